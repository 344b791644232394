// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.job.Reasons;
import org.stripeline.natives.Ticker;

/** Finds and kills the MapReduce job that a driver, perhaps a dead one, may have left running. */
public final class MapJobs implements Consumer<JournalRecord> {
  /** Application masters get 10 s to stop, then the resource manager kills them. */
  private static final long END_MS = 120_000;

  private JournalRecord last;

  /** Returns the prefix of the names of a job's MapReduce jobs. */
  public static String name(String job) {
    return "stripeline convert " + job;
  }

  /** Records the last one, since only one runs at a time. */
  @Override
  public void accept(JournalRecord record) {
    if (record.kind == JournalRecord.Kind.MAPS) {
      last = record;
    }
  }

  /**
   * Kills the job and waits for its end, so that its maps cannot change files that are rolled back.
   *
   * @throws IOException if it may still run; the message says what to do
   */
  public void end(Configuration conf, Ticker ticker) throws IOException {
    if (last == null) {
      return;
    }
    try {
      endLast(conf, ticker);
      last = null;
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "Cannot end MapReduce job '"
              + last.mapJobName
              + "', whose maps may still run: "
              + Reasons.of(e)
              + "; when the ResourceManager answers again, run the command again with --resume",
          e);
    }
  }

  private void endLast(Configuration conf, Ticker ticker) throws IOException {
    Cluster cluster = new Cluster(new JobConf(conf));
    try {
      JobStatus running = find(cluster);
      if (running == null) {
        return;
      }
      Job job = cluster.getJob(running.getJobID());
      if (job != null) {
        job.killJob();
      }
      if (!Polling.isMet(ticker, END_MS, () -> findQuietly(cluster) == null)) {
        throw new IOException("it was killed " + END_MS / 1000 + " s ago");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      cluster.close();
    }
  }

  private JobStatus findQuietly(Cluster cluster) throws IOException {
    try {
      return find(cluster);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for a job: interrupted");
    }
  }

  /**
   * Finds the job by its name among all jobs. A driver that died during the submission left no id
   * in the journal, and a job that ended may not be found by its id any more.
   */
  private JobStatus find(Cluster cluster) throws IOException, InterruptedException {
    JobStatus[] all = cluster.getAllJobStatuses();
    if (all == null) {
      // The local framework ended with its driver.
      return null;
    }
    for (JobStatus status : all) {
      if (last.mapJobName.equals(status.getJobName()) && !status.isJobComplete()) {
        return status;
      }
    }
    return null;
  }
}
