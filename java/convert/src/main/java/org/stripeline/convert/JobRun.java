// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.stripeline.convert.file.CopyMaker;
import org.stripeline.convert.file.FileConversion;
import org.stripeline.convert.file.Maker;
import org.stripeline.convert.file.Settlement;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;
import org.stripeline.convert.job.Outcome;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.mapreduce.MapCopyMaker;
import org.stripeline.convert.mapreduce.MapLeftovers;
import org.stripeline.convert.mapreduce.MapWaves;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Verdict;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.select.SnapshotIndex;
import org.stripeline.convert.select.TreeWalk;
import org.stripeline.convert.select.UndoRoom;
import org.stripeline.convert.settings.JobSettings;

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

  /** Room for replicas, or null for jobs that do not undo. */
  private final UndoRoom room;

  private final AtomicReference<Throwable> stopped = new AtomicReference<>();

  /** Numbers of files that are being converted, and of those that could not be settled. */
  private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

  private volatile boolean unsettled;

  /** The snapshots that files of the walk are judged by. */
  private volatile SnapshotIndex snapshots;

  private JobRun(
      Job job, JobObserver observer, Settlement settlement, FileConversion conversion) {
    this.job = job;
    this.observer = observer;
    this.settlement = settlement;
    this.conversion = conversion;
    report = new JobReport(job.directory().name(), job.traffic());
    room = job.settings().undo ? new UndoRoom(job.fs()) : null;
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

  /**
   * Settles what a dead driver had begun, each file by itself: one that cannot be settled now stays
   * open in the journal, and is left alone by this run.
   */
  void settle(List<OpenFile> files) throws IOException {
    job.journal().write(JournalRecord.driver(job.leaseHolder()));
    for (OpenFile open : files) {
      ended(open.begin().path, settle(open));
    }
  }

  private Outcome settle(OpenFile open) throws JournalLostException {
    JournalRecord begin = open.begin();
    Outcome outcome;
    try {
      outcome =
          settlement.settle(open) == Settlement.Result.SWAPPED
              ? Outcome.converted(begin.bytes)
              : Outcome.takenBack();
    } catch (JournalLostException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      underWay.add(begin.fileId);
      return Outcome.unsettled(
          "what a dead driver had begun could not be settled: " + Reasons.of(e)
              + "; run the command again with --resume");
    }
    job.journal().write(JournalRecord.end(begin.path, begin.fileId, outcome));
    return outcome;
  }

  /**
   * Converts what is to be converted.
   *
   * @param jobs directory of the jobs' directories, which is not entered
   */
  void walk(String jobs) throws IOException {
    int atOnce = filesAtOnce();
    TreeWalk walk = new TreeWalk(job.fs(), job.settings(), jobs);
    snapshots = walk.snapshots();
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
      report.vanished(
          walk.visit(
              (file, verdict) -> {
                if (verdict.isConvert()) {
                  begin(file, verdict, threads, free);
                } else if (verdict.skip() == SkipReason.REPLICATION) {
                  leave(file, verdict.skip().text());
                }
                return stopped.get() == null;
              }));
    } finally {
      // Also when the walk fails: files under way come to their ends while the journal is open.
      free.acquireUninterruptibly(atOnce);
      threads.shutdown();
    }
    rethrow(stopped.get());
  }

  private void begin(Candidate file, Verdict verdict, ExecutorService threads, Semaphore free)
      throws IOException {
    // A file that is renamed ahead of the walk is met twice.
    if (!underWay.add(file.status().getFileId())) {
      return;
    }
    free.acquireUninterruptibly();
    try {
      job.waitWhilePaused();
    } catch (IOException | RuntimeException e) {
      free.release();
      throw e;
    }
    threads.execute(() -> convert(file, verdict, free));
  }

  private int filesAtOnce() {
    JobSettings settings = job.settings();
    if (settings.undo || settings.adopts() || settings.isMapped()) {
      return settings.filesAtOnce();
    }
    long each = (long) STRIPES_HELD * settings.code().shape().total() * settings.cellBytes;
    return (int) Math.max(1, Math.min(settings.filesAtOnce(), BUFFER_BYTES_MAX / each));
  }

  private void convert(Candidate file, Verdict verdict, Semaphore free) {
    try {
      if (stopped.get() == null) {
        Outcome outcome = room == null ? convert(file, verdict) : undo(file, verdict);
        if (!outcome.isUnsettled()) {
          underWay.remove(file.status().getFileId());
        }
        ended(file.path(), outcome);
      }
    } catch (IOException | RuntimeException | Error e) {
      stopped.compareAndSet(null, e);
    } finally {
      free.release();
    }
  }

  private Outcome convert(Candidate file, Verdict verdict) throws JournalLostException {
    return conversion.convert(file, verdict.cellBytes(), snapshots);
  }

  private Outcome undo(Candidate file, Verdict verdict) throws JournalLostException {
    UndoRoom.Promise promise;
    try {
      promise = room.take(file.path(), verdict.bytesNow(), verdict.bytesAfter());
    } catch (IOException e) {
      return end(file, Outcome.failed(Reasons.of(e)));
    }
    try {
      return convert(file, verdict);
    } finally {
      promise.close();
    }
  }

  /** Counts a file that its user wants to be converted, and that is not even begun. */
  private void leave(Candidate file, String reason) throws JournalLostException {
    ended(file.path(), end(file, Outcome.failed(reason)));
  }

  private Outcome end(Candidate file, Outcome outcome) throws JournalLostException {
    job.journal()
        .write(JournalRecord.end(file.path(), file.status().getFileId(), outcome));
    return outcome;
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

  /**
   * Ends the job unless something is left for another driver: a file that only this job's journal
   * knows of. What vanished is left to another job: a tree that always changes would keep this one
   * from its end, and that would keep out all others.
   */
  void finish() throws IOException {
    if (unsettled) {
      return;
    }
    job.places().deleteAll();
    job.journal().write(JournalRecord.finished());
    job.directory().markFinished();
  }

  JobReport report() {
    return report;
  }
}
