// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.management.ObjectName;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.metrics2.util.MBeans;
import org.apache.hadoop.net.NetUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JsonFile;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.Totals;

/**
 * Keeps the status of a service, and shows it on HDFS and as a managed bean. A status that cannot
 * be recorded does not affect the service.
 */
public final class StatusRecorder implements ConversionServiceMXBean, JobObserver, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StatusRecorder.class);
  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
  private static final String NAME = "service.json";

  private final DistributedFileSystem fs;
  private final Leader leader;
  private final Path file;
  private final Clock clock;
  private final ServiceStatus status = new ServiceStatus();
  private final ObjectName bean;

  /** Held while the status is recorded, because the next one has a fixed name. */
  private final Object recording = new Object();

  /** The rule that is being carried out; null between two. */
  private ServiceStatus.RuleStatus current;

  /**
   * Begins with a service that does nothing yet.
   *
   * @param leader without whose lease nothing is recorded, because another service does it then
   */
  public StatusRecorder(
      DistributedFileSystem fs, Leader leader, String jobs, String rulesFile, Clock clock) {
    this.fs = fs;
    this.leader = leader;
    this.clock = clock;
    file = new Path(jobs, NAME);
    status.host = NetUtils.getLocalHostname();
    status.rulesFile = rulesFile;
    status.startedMs = clock.millis();
    status.state = "starting";
    bean = MBeans.register("Stripeline", "ConversionService", this);
  }

  /**
   * Reads what the last service recorded.
   *
   * @return null if there was none
   */
  public static ServiceStatus read(DistributedFileSystem fs, String jobs) throws IOException {
    try {
      ServiceStatus read = JsonFile.read(fs, new Path(jobs, NAME), ServiceStatus.class);
      return read == null || read.state == null ? null : read;
    } catch (FileNotFoundException e) {
      return null;
    } catch (JsonFile.UnreadableException e) {
      throw new IOException(e.getMessage() + "; delete it", e);
    }
  }

  /** Changes the status, and records it. */
  public void set(Consumer<ServiceStatus> change) {
    synchronized (this) {
      change.accept(status);
    }
    record();
  }

  /** Sets the rules in force; those that stay keep their counts. */
  public void rules(List<String> names) {
    set(
        now -> {
          List<ServiceStatus.RuleStatus> before = now.rules;
          now.rules = new ArrayList<>();
          for (String name : names) {
            ServiceStatus.RuleStatus rule = find(before, name);
            if (rule == null) {
              rule = new ServiceStatus.RuleStatus();
              rule.name = name;
            }
            now.rules.add(rule);
          }
        });
  }

  private static ServiceStatus.RuleStatus find(List<ServiceStatus.RuleStatus> rules, String name) {
    return rules.stream().filter(rule -> rule.name.equals(name)).findFirst().orElse(null);
  }

  /** Notes that a rule is begun; what is counted from now on belongs to it. */
  public void begins(String rule) {
    set(
        now -> {
          current = find(now.rules, rule);
          current.begunMs = clock.millis();
          current.last = "being carried out";
        });
  }

  /** Notes why a rule is not carried out in a pass; the end of the pass records that. */
  public synchronized void leftOut(String rule, String why) {
    find(status.rules, rule).last = why;
  }

  /** Notes how a rule ended. */
  public void ended(String rule, String how) {
    set(
        now -> {
          find(now.rules, rule).last = how;
          current = null;
        });
  }

  @Override
  public synchronized void begun(JobDirectory directory, Totals totals) {
    if (current != null) {
      current.job = directory.name();
    }
  }

  @Override
  public synchronized void ended(String path, long bytes, FileOutcome outcome) {
    status.count(bytes, outcome);
    if (current != null) {
      current.count(bytes, outcome);
    }
  }

  /** Records the status on HDFS while this process leads. */
  public void record() {
    synchronized (recording) {
      try {
        leader.require();
        JsonFile.replace(fs, file, getStatus());
      } catch (IOException | RuntimeException e) {
        LOG.warn("Cannot record the status of the service, which continues: {}", Reasons.of(e));
      }
    }
  }

  @Override
  public synchronized String getState() {
    return status.state;
  }

  @Override
  public synchronized long getPasses() {
    return status.passes;
  }

  @Override
  public synchronized long getFilesConverted() {
    return status.filesConverted;
  }

  @Override
  public synchronized long getBytesConverted() {
    return status.bytesConverted;
  }

  @Override
  public synchronized long getFilesFailed() {
    return status.filesFailed;
  }

  @Override
  public synchronized long getNextPassMs() {
    return status.nextPassMs == null ? 0 : status.nextPassMs;
  }

  @Override
  public synchronized String getRulesError() {
    return status.rulesError == null ? "" : status.rulesError;
  }

  @Override
  public synchronized String getStatus() {
    status.atMs = clock.millis();
    return GSON.toJson(status);
  }

  @Override
  public void close() {
    MBeans.unregister(bean);
  }
}
