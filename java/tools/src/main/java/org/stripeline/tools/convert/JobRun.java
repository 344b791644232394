// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Walks a tree and converts its files, several at one time. */
final class JobRun {
  /** What copies may hold in buffers at one time, so that a driver stays below 512 MiB. */
  private static final long BUFFER_BYTES_MAX = 192L << 20;

  /** A writer holds a stripe and sends the one before. */
  private static final int STRIPES_HELD = 2;

  private final Job job;
  private final JobObserver observer;
  private final Settlement settlement;
  private final FileConversion conversion;
  private final JobReport report;
  private final AtomicReference<Throwable> stopped = new AtomicReference<>();
  private volatile boolean unsettled;

  private JobRun(
      Job job, JobObserver observer, Settlement settlement, FileConversion conversion) {
    this.job = job;
    this.observer = observer;
    this.settlement = settlement;
    this.conversion = conversion;
    report = new JobReport(job.directory().name(), job.traffic());
  }

  /**
   * Puts a run together.
   *
   * @param adoption the agents, or null for jobs that copy
   * @param waves maps for what moves bytes, or null if this process does that
   */
  static JobRun of(
      Job job, JobObserver observer, Policies policies, Adoption adoption, MapWaves waves) {
    Settlement.Unlinker unlinker =
        adoption == null ? Settlement.Unlinker.NONE : adoption.unlinker();
    Settlement settlement =
        new Settlement(job, waves == null ? unlinker : new MapLeftovers(job, unlinker));
    Maker copies = new CopyMaker(job);
    Maker maker = waves == null ? copies : new MapCopyMaker(job, waves, copies);
    if (adoption != null) {
      maker = adoption.maker(job, waves);
    }
    FileConversion conversion = new FileConversion(job, maker, policies, settlement);
    return new JobRun(job, observer, settlement, conversion);
  }

  /** Settles what a dead driver had begun. */
  void settle(List<OpenFile> files) throws IOException {
    job.journal().write(JournalRecord.driver(job.leaseHolder()));
    for (OpenFile open : files) {
      String path = open.begin().path;
      Outcome outcome =
          settlement.settle(open) == Settlement.Result.SWAPPED
              ? Outcome.converted(open.begin().bytes)
              : Outcome.takenBack();
      job.journal().write(JournalRecord.end(path, open.begin().fileId, outcome));
      ended(path, outcome);
    }
  }

  /**
   * Converts what is to be converted.
   *
   * @param except directory that is not entered
   */
  void walk(String except) throws IOException {
    int atOnce = filesAtOnce();
    FileJudge judge = new FileJudge(job.settings(), job.client(), System.currentTimeMillis());
    FileFinder finder = Preflight.walk(job.client(), job.settings(), except);
    Semaphore free = new Semaphore(atOnce);
    ExecutorService threads =
        Executors.newFixedThreadPool(
            atOnce,
            task -> {
              Thread thread = new Thread(task, "stripeline-convert");
              thread.setDaemon(true);
              return thread;
            });
    try {
      while (stopped.get() == null && finder.hasNext()) {
        Candidate file = finder.next();
        Verdict verdict = judge.judge(file);
        if (verdict.isConvert()) {
          job.waitWhilePaused();
          free.acquireUninterruptibly();
          threads.execute(() -> convert(file, verdict.cellBytes(), free));
        }
      }
    } finally {
      // Also when the walk fails: files under way come to their ends while the journal is open.
      free.acquireUninterruptibly(atOnce);
      threads.shutdown();
    }
    rethrow(stopped.get());
  }

  private int filesAtOnce() {
    JobSettings settings = job.settings();
    if (settings.undo || Adoption.isFor(settings) || settings.isMapped()) {
      return settings.filesAtOnce();
    }
    long each = (long) STRIPES_HELD * settings.request().units() * settings.cellBytes;
    return (int) Math.max(1, Math.min(settings.filesAtOnce(), BUFFER_BYTES_MAX / each));
  }

  private void convert(Candidate file, int cellBytes, Semaphore free) {
    try {
      if (stopped.get() == null) {
        ended(file.path(), conversion.convert(file, cellBytes));
      }
    } catch (IOException | RuntimeException | Error e) {
      stopped.compareAndSet(null, e);
    } finally {
      free.release();
    }
  }

  private void ended(String path, Outcome outcome) {
    if (outcome.isUnsettled()) {
      unsettled = true;
    }
    report.add(path, outcome);
    observer.ended(path, outcome);
  }

  private static void rethrow(Throwable cause) throws IOException {
    if (cause instanceof Error) {
      throw (Error) cause;
    }
    if (cause instanceof RuntimeException) {
      throw (RuntimeException) cause;
    }
    if (cause != null) {
      throw (IOException) cause;
    }
  }

  /** Tells whether nothing is left that only this job's journal knows of. */
  boolean isSettled() {
    return !unsettled;
  }

  void journalEnd() throws IOException {
    job.journal().write(JournalRecord.finished());
  }

  JobReport report() {
    return report;
  }
}
