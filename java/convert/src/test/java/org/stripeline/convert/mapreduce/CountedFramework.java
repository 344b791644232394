// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;
import org.apache.hadoop.security.Credentials;

/**
 * The local MapReduce framework under another name, which counts its clients, finds the jobs of
 * others, and can refuse to kill jobs.
 */
public final class CountedFramework extends ClientProtocolProvider {
  static final String NAME = "counted";
  static final AtomicInteger OPENED = new AtomicInteger();
  static final AtomicInteger CLOSED = new AtomicInteger();

  /** Whether jobs can be neither killed nor listed. */
  static volatile boolean isAway;

  /** An action before each job starts. */
  static volatile Runnable beforeJob = () -> {};

  /** Jobs by their ids as text, since ids of the old and new API are not equal. */
  private static final Map<String, Runner> RUNNERS = new ConcurrentHashMap<>();

  /** Returns whether no job runs. */
  static boolean isIdle() {
    return Stream.of(all()).allMatch(JobStatus::isJobComplete);
  }

  private static JobStatus[] all() {
    return RUNNERS.entrySet().stream()
        .map(one -> one.getValue().getJobStatus(JobID.forName(one.getKey())))
        .toArray(JobStatus[]::new);
  }

  private static final class Runner extends LocalJobRunner {
    Runner(Configuration conf) throws IOException {
      super(conf);
    }

    @Override
    public JobStatus submitJob(JobID id, String directory, Credentials credentials)
        throws IOException {
      beforeJob.run();
      JobStatus status = super.submitJob(id, directory, credentials);
      RUNNERS.put(id.toString(), this);
      return status;
    }

    @Override
    public JobStatus getJobStatus(JobID id) {
      Runner runner = RUNNERS.getOrDefault(id.toString(), this);
      return runner == this ? super.getJobStatus(id) : runner.getJobStatus(id);
    }

    @Override
    public void killJob(JobID id) {
      requireAnswers();
      Runner runner = RUNNERS.getOrDefault(id.toString(), this);
      if (runner == this) {
        super.killJob(id);
      } else {
        runner.killJob(id);
      }
    }

    @Override
    public JobStatus[] getAllJobs() {
      requireAnswers();
      return all();
    }

    private static void requireAnswers() {
      if (isAway) {
        throw new UncheckedIOException(new ConnectException("no ResourceManager"));
      }
    }
  }

  @Override
  public ClientProtocol create(Configuration conf) throws IOException {
    if (!NAME.equals(conf.get(MRConfig.FRAMEWORK_NAME))) {
      return null;
    }
    OPENED.incrementAndGet();
    return new Runner(conf);
  }

  @Override
  public ClientProtocol create(InetSocketAddress address, Configuration conf) {
    return null;
  }

  @Override
  public void close(ClientProtocol client) {
    CLOSED.incrementAndGet();
  }
}
