// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.status;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.net.NetUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JsonFile.UnreadableException;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.DaemonThreads;

/**
 * Records the status of a job in its directory every {@link #WRITE_SECONDS}, and looks every {@link
 * #LOOK_SECONDS} for the files by which operators pause and cancel it. A status that cannot be
 * recorded does not affect the job, nor does a NameNode that does not answer. Once another driver
 * has resumed the job, nothing is recorded any more.
 */
public final class StatusWriter implements JobObserver, Closeable {
  /** Seconds between two records. */
  static final int WRITE_SECONDS = 10;

  private static final int LOOK_SECONDS = 5;
  private static final int FAILURES_MAX = 10;
  private static final int NODES_MAX = 200;
  private static final Gson GSON = new Gson();
  private static final Logger LOG = LoggerFactory.getLogger(StatusWriter.class);

  private final Job job;
  private final JobObserver next;
  private final Ticker ticker;
  private final JobStatus status = new JobStatus();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("stripeline-convert-status"));

  /** Orders the records; held during calls to HDFS, so never while bytes are counted. */
  private final Object recording = new Object();

  /** Whether a status could not be recorded; guarded by {@link #recording}. */
  private boolean hasFailed;

  /** Whether another driver has resumed the job; guarded by {@link #recording}. */
  private boolean isReplaced;

  /** Number of this driver, 0 until its first record; guarded by {@link #recording}. */
  private int driver;

  /** Bytes of the totals, with those of files that failed. */
  private long bytesPlanned;

  private boolean isPaused;
  private long ticks;
  private long tickedNanos;

  /** When the first file was begun; 0 before. */
  private long begunNanos;

  private long idleNanos;

  /** Everything that was ever converted, also what was taken back: it took time. */
  private long worked;

  /** Creates a writer that passes all events on to {@code next}. */
  StatusWriter(Job job, JobObserver next) {
    this.job = job;
    this.next = next;
    ticker = job.ticker();
    status.host = NetUtils.getLocalHostname();
    status.startedMs = System.currentTimeMillis();
    tickedNanos = ticker.nanos();
  }

  /** Starts to record the status of a job whose journal this process has. */
  public static StatusWriter start(Job job, JobObserver next) {
    StatusWriter writer = new StatusWriter(job, next);
    writer.record();
    writer.thread.scheduleAtFixedRate(writer::tick, 1, 1, TimeUnit.SECONDS);
    return writer;
  }

  /** Returns the number of the driver that recorded last, 0 if none has or its record is lost. */
  private int recordedDriver() throws IOException {
    try {
      JobStatus last = job.directory().status(JobStatus.class);
      return last == null ? 0 : last.driver;
    } catch (FileNotFoundException | UnreadableException e) {
      LOG.debug("There is no status of job {}", job.directory().name(), e);
      return 0;
    }
  }

  /** Returns whether another driver has resumed the job, as far as is known. */
  public boolean isReplaced() {
    synchronized (recording) {
      try {
        return isReplaced || (driver != 0 && recordedDriver() > driver);
      } catch (IOException e) {
        LOG.debug("Cannot read the status of job {}", job.directory().name(), e);
        return false;
      }
    }
  }

  /** Called once a second. */
  void tick() {
    try {
      ticks++;
      if (ticks % LOOK_SECONDS == 0) {
        isPaused = job.directory().request(ticker) == JobDirectory.Request.PAUSE;
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("Cannot look for files of operators", e);
    }
    try {
      synchronized (this) {
        long now = ticker.nanos();
        idleNanos += isPaused && begunNanos != 0 ? now - tickedNanos : 0;
        tickedNanos = now;
      }
      next.ticked(isPaused);
      if (ticks % WRITE_SECONDS == 0) {
        record();
      }
    } catch (RuntimeException e) {
      LOG.debug("Cannot show the status", e);
    }
  }

  @Override
  public void warned(String text) {
    next.warned(text);
  }

  @Override
  public void begun(JobDirectory directory, Totals totals) {
    synchronized (this) {
      status.files = totals.files;
      status.bytes = totals.bytes;
      bytesPlanned = totals.bytes;
      begunNanos = ticker.nanos();
    }
    record();
    next.begun(directory, totals);
  }

  @Override
  public void advanced(long bytes) {
    synchronized (this) {
      status.bytesConverted += bytes;
      worked += Math.max(0, bytes);
    }
    next.advanced(bytes);
  }

  @Override
  public void ended(String path, long bytes, FileOutcome outcome) {
    synchronized (this) {
      // Files that were recovered after an earlier driver are not included in the totals.
      if (outcome.kind() == FileOutcome.Kind.CONVERTED) {
        status.filesConverted += begunNanos == 0 ? 0 : 1;
      } else if (outcome.kind() != FileOutcome.Kind.ROLLED_BACK) {
        status.filesFailed++;
        status.bytes = Math.max(0, status.bytes - bytes);
        if (status.failures.size() < FAILURES_MAX) {
          status.failures.add(new JobReport.Failure(path, outcome.reason()));
        }
      }
      // Files that appeared after the totals, or that --undo selects but cannot replicate.
      status.files = Math.max(status.files, status.filesConverted + status.filesFailed);
    }
    next.ended(path, bytes, outcome);
  }

  /** Records the last status of a job that has ended. */
  public void end(JobState state) {
    synchronized (this) {
      status.ended = state;
      if (state == JobState.CANCELLED) {
        // The files in progress ended as failed, only because of the cancellation.
        status.bytes = bytesPlanned;
      }
    }
    record();
  }

  private void record() {
    synchronized (recording) {
      if (isReplaced) {
        return;
      }
      try {
        int last = recordedDriver();
        driver = driver == 0 ? last + 1 : driver;
        isReplaced = last > driver;
        if (!isReplaced) {
          job.directory().keepStatus(snapshot(driver));
        }
      } catch (IOException | RuntimeException e) {
        if (!hasFailed) {
          LOG.warn(
              "Cannot record the status of job {}, which continues: {}",
              job.directory().name(),
              Reasons.of(e));
        }
        hasFailed = true;
      }
    }
  }

  private synchronized JsonElement snapshot(int number) {
    status.driver = number;
    status.atMs = System.currentTimeMillis();
    double seconds = (ticker.nanos() - begunNanos - idleNanos) / 1e9;
    double rate = begunNanos == 0 ? 0 : worked / Math.max(seconds, 1e-3);
    status.bytesPerSecond = Math.round(rate);
    long left = status.bytes - status.bytesConverted;
    status.secondsLeft =
        rate < 1 || status.ended != null ? null : (Long) Math.round(Math.max(0, left) / rate);
    status.traffic = job.settings().adopts() ? job.traffic() : null;
    status.dataNodes = job.settings().adopts() ? job.traffic().busiest(NODES_MAX) : null;
    return GSON.toJsonTree(status);
  }

  /** Stops recording. A call to HDFS that is under way is not interrupted: others share it. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      thread.awaitTermination(WRITE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
