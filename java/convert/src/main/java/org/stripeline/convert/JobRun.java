// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.stripeline.convert.file.CopyingRewriter;
import org.stripeline.convert.file.FileConversion;
import org.stripeline.convert.file.FileRewriter;
import org.stripeline.convert.file.Recovery;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileMeter;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.Job.CancelledException;
import org.stripeline.convert.job.Job.PausedException;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.mapreduce.MapCopyingRewriter;
import org.stripeline.convert.mapreduce.MapWaves;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Vanished;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.select.OldestFirst;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.select.SnapshotIndex;
import org.stripeline.convert.select.TreeWalk;
import org.stripeline.convert.select.UndoRoom;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.terminal.DaemonThreads;

/** Walks a tree and converts its files, several concurrently. */
final class JobRun {
  /**
   * Limit on the buffers of all concurrent copies, which keeps the memory of a driver below 512
   * MiB.
   */
  private static final long BUFFER_BYTES_MAX = 192L << 20;

  /** Stripes that a writer buffers: it fills one while it sends the previous one. */
  private static final int STRIPES_HELD = 2;

  private final Job job;
  private final JobObserver observer;
  private final Recovery recovery;

  /** Converts files of the contiguous layout, or null for jobs that only copy. */
  private final FileConversion adopting;

  private final FileConversion copying;
  private final Policies policies;

  /** The maps of the job, or null if this process moves the bytes. */
  private final MapWaves waves;

  private final JobReport report;

  /** Space for replicas, or null for jobs that do not undo. */
  private final UndoRoom room;

  /** Records of interrupted conversions that were rolled back, by inode id. */
  private final Map<Long, JournalRecord> begun = new TreeMap<>();

  private final AtomicReference<Throwable> stopped = new AtomicReference<>();

  /** Inode ids of files that are being converted, and of those that could not be recovered. */
  private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

  /** Inode ids of files that could not be converted, which a further walk leaves out. */
  private final Set<Long> left = ConcurrentHashMap.newKeySet();

  private volatile boolean hasUnrecovered;

  /** The snapshots that the walk checks files against. */
  private volatile SnapshotIndex snapshots;

  private JobRun(
      Job job,
      JobObserver observer,
      Recovery recovery,
      FileConversion adopting,
      FileConversion copying,
      Policies policies,
      MapWaves waves) {
    this.job = job;
    this.observer = observer;
    this.recovery = recovery;
    this.adopting = adopting;
    this.copying = copying;
    this.policies = policies;
    this.waves = waves;
    report = new JobReport(job.directory().name(), job.traffic());
    room = job.settings().undo ? new UndoRoom(job.fs()) : null;
  }

  /**
   * Creates a run.
   *
   * @param policies the policies that the job may use, or null to undo conversions
   * @param adoption the agents, or null for jobs that copy
   * @param waves the map jobs that move the bytes, or null if this process moves them
   */
  static JobRun of(
      Job job, JobObserver observer, Policies policies, Adoption adoption, MapWaves waves) {
    Recovery recovery = new Recovery(job, unlinker(job, adoption, waves));
    FileRewriter copies = new CopyingRewriter(job);
    FileRewriter copier = waves == null ? copies : new MapCopyingRewriter(job, waves, copies);
    return new JobRun(
        job,
        observer,
        recovery,
        adoption == null
            ? null
            : new FileConversion(job, adoption.rewriter(job), policies, recovery),
        new FileConversion(job, copier, policies, recovery),
        policies,
        waves);
  }

  private static Recovery.Unlinker unlinker(Job job, Adoption adoption, MapWaves waves) {
    if (adoption != null) {
      return adoption.unlinker();
    }
    // Maps leave parts of files.
    return waves == null ? Recovery.Unlinker.NONE : open -> job.deleteWorkDirectory(open.begin());
  }

  /**
   * Recovers the files that a dead driver had begun, each independently. A file that cannot be
   * recovered now stays open in the journal, and this run does not convert it.
   */
  void recover(List<OpenFile> files) throws IOException {
    job.journal().write(JournalRecord.driver(job.leaseHolder()));
    for (OpenFile open : files) {
      FileOutcome outcome = recover(open);
      if (outcome.kind() == FileOutcome.Kind.ROLLED_BACK) {
        begun.put(open.begin().fileId, open.begin());
      }
      ended(open.begin().path, 0, outcome);
    }
  }

  /** Returns the records of interrupted conversions that were rolled back, by inode id. */
  Map<Long, JournalRecord> begun() {
    return begun;
  }

  private FileOutcome recover(OpenFile open) throws JournalLostException {
    JournalRecord begin = open.begin();
    FileOutcome outcome;
    try {
      outcome =
          recovery.recover(open) == Recovery.Result.SWAPPED
              ? FileOutcome.converted(begin.bytes)
              : FileOutcome.rolledBack();
    } catch (JournalLostException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      underWay.add(begin.fileId);
      return FileOutcome.unrecovered(
          "work in progress of a dead driver could not be finished or rolled back: "
              + Reasons.of(e)
              + "; run the command again with --resume");
    }
    job.journal().write(JournalRecord.end(begin.path, begin.fileId, outcome));
    return outcome;
  }

  /**
   * Converts the files that the rules select.
   *
   * @param jobs parent of all job directories, which the walk does not enter
   */
  void walk(String jobs) throws IOException {
    walk(jobs, DaemonThreads.named("stripeline-convert"));
  }

  /** Does the same with threads of a factory. */
  void walk(String jobs, ThreadFactory factory) throws IOException {
    int atOnce = filesAtOnce(job.settings());
    Semaphore free = new Semaphore(atOnce);
    ExecutorService threads = Executors.newFixedThreadPool(atOnce, factory);
    try {
      if (job.settings().sortedFiles > 0) {
        walkOldestFirst(jobs, threads, free);
      } else {
        report.vanished(open(jobs).visit((file, decision) -> take(file, decision, threads, free)));
      }
    } catch (CancelledException e) {
      report.cancelled();
    } catch (PausedException e) {
      report.leftPaused();
    } finally {
      // Even if the walk fails, wait for the running conversions: they need the open journal.
      free.acquireUninterruptibly(atOnce);
      threads.shutdown();
    }
    rethrow(stopped.get());
  }

  private TreeWalk open(String jobs) throws IOException {
    TreeWalk walk = new TreeWalk(job.fs(), job.settings(), jobs, begun, policies);
    snapshots = walk.snapshots();
    return walk;
  }

  /** Converts a file or counts it, and returns whether the walk continues. */
  private boolean take(
      Candidate file, FileDecision decision, ExecutorService threads, Semaphore free)
      throws IOException {
    // Also if nothing is left to convert: the rest of the tree may be large.
    if (!goesOn()) {
      return false;
    }
    if (decision.isConvert()) {
      begin(file, decision, threads, free);
    } else if (decision.skip() == SkipReason.REPLICATION) {
      leave(file, decision.skip().text());
    } else {
      report.skip(decision.skip());
    }
    return stopped.get() == null;
  }

  private boolean goesOn() throws IOException {
    job.requireNotCancelled();
    if (job.isOver()) {
      // A paused job stays as it is; the operator would lose the pause if another job followed.
      job.waitWhilePaused();
      report.cancelled();
      return false;
    }
    return stopped.get() == null;
  }

  /**
   * Walks the tree as often as needed, because only some of its files are kept in memory: each walk
   * finds the first of those that are left.
   */
  private void walkOldestFirst(String jobs, ExecutorService threads, Semaphore free)
      throws IOException {
    Vanished vanished = null;
    OldestFirst first;
    do {
      TreeWalk walk = open(jobs);
      boolean isFirstWalk = vanished == null;
      first = new OldestFirst(job.settings().sortedFiles);
      OldestFirst found = first;
      Vanished now =
          walk.visit(
              (file, decision) -> {
                boolean isTaken = decision.isConvert();
                if (isTaken && !left.contains(file.status().getFileId())) {
                  found.offer(file);
                }
                return isFirstWalk && !isTaken ? take(file, decision, threads, free) : goesOn();
              });
      vanished = isFirstWalk ? now : vanished;
      for (OldestFirst.Entry entry : first.inOrder()) {
        if (!goesOn() || !walk.visitAgain(entry, (f, d) -> take(f, d, threads, free), vanished)) {
          break;
        }
      }
      // A file that is still in progress would be found again.
      free.acquireUninterruptibly(filesAtOnce(job.settings()));
      free.release(filesAtOnce(job.settings()));
    } while (first.isFull() && goesOn());
    report.vanished(vanished);
  }

  private void begin(Candidate file, FileDecision decision, ExecutorService threads, Semaphore free)
      throws IOException {
    // The walk meets a file twice if it is renamed to a path that the walk has not reached yet.
    if (!underWay.add(file.status().getFileId())) {
      return;
    }
    free.acquireUninterruptibly();
    boolean isBegun = false;
    try {
      job.waitWhilePaused();
      // Its time may be over now.
      if (goesOn()) {
        threads.execute(() -> convert(file, decision, free));
        isBegun = true;
      }
    } finally {
      // Also if no thread can be created; the end of the walk would wait for the file for ever.
      if (!isBegun) {
        free.release();
      }
    }
  }

  /** Returns how many files of a job are in progress at a time. */
  static int filesAtOnce(JobSettings settings) {
    if (!settings.stripes() || settings.isMapped()) {
      return settings.filesAtOnce();
    }
    long each = (long) STRIPES_HELD * settings.code().shape().total() * settings.cellBytes;
    return (int) Math.max(1, Math.min(settings.filesAtOnce(), BUFFER_BYTES_MAX / each));
  }

  private void convert(Candidate file, FileDecision decision, Semaphore free) {
    try {
      if (stopped.get() == null) {
        FileOutcome outcome = room == null ? convert(file, decision) : undo(file, decision);
        if (!outcome.isUnrecovered()) {
          underWay.remove(file.status().getFileId());
        }
        if (outcome.kind() != FileOutcome.Kind.CONVERTED && job.settings().sortedFiles > 0) {
          left.add(file.status().getFileId());
        }
        ended(file.path(), file.bytes(), outcome);
      }
    } catch (IOException | RuntimeException | Error e) {
      stopped.compareAndSet(null, e);
    } finally {
      free.release();
    }
  }

  private FileOutcome convert(Candidate file, FileDecision decision) throws JournalLostException {
    boolean isAdopted =
        decision.code() != null && decision.treatment().layout() == Layout.CONTIGUOUS;
    FileMeter meter = new FileMeter(file.bytes(), observer::advanced);
    FileOutcome outcome =
        (isAdopted ? adopting : copying).convert(file, decision, snapshots, meter);
    boolean isConverted = outcome.kind() == FileOutcome.Kind.CONVERTED;
    meter.end(isConverted);
    if (!isConverted && job.directory().isCancelled()) {
      report.cancelled();
    }
    return outcome;
  }

  private FileOutcome undo(Candidate file, FileDecision decision) throws JournalLostException {
    UndoRoom.Promise promise;
    try {
      promise = room.take(file.path(), decision.bytesNow(), decision.bytesAfter());
    } catch (IOException e) {
      return end(file, FileOutcome.failed(Reasons.of(e)));
    }
    try {
      return convert(file, decision);
    } finally {
      promise.close();
    }
  }

  /** Records as failed a file that was selected by the user but whose conversion did not begin. */
  private void leave(Candidate file, String reason) throws JournalLostException {
    if (underWay.contains(file.status().getFileId())) {
      // Its record must stay open, for the thread that converts it or for the next --resume.
      return;
    }
    ended(file.path(), 0, end(file, FileOutcome.failed(reason)));
  }

  private FileOutcome end(Candidate file, FileOutcome outcome) throws JournalLostException {
    job.journal().write(JournalRecord.end(file.path(), file.status().getFileId(), outcome));
    return outcome;
  }

  private void ended(String path, long bytes, FileOutcome outcome) {
    if (outcome.isUnrecovered()) {
      hasUnrecovered = true;
    }
    report.add(path, outcome);
    observer.ended(path, bytes, outcome);
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
   * Ends the job, unless a file could not be recovered, because only this job's journal has its
   * record, or maps may still run, or the operator pauses it.
   *
   * <p>Files that vanished during the walk do not keep the job open, since a tree that changes
   * constantly would then keep it open forever, and an open job blocks all other jobs on the tree.
   *
   * @return whether the job has ended
   */
  boolean finish() throws IOException {
    if (job.isLeftPaused()) {
      report.leftPaused();
    }
    if (hasUnrecovered || job.isLeftPaused() || !hasEndedMaps()) {
      return false;
    }
    job.places().deleteAll();
    job.journal().write(JournalRecord.finished(report.isCancelled() ? "cancelled" : null));
    job.directory().markFinished();
    return true;
  }

  private boolean hasEndedMaps() {
    if (waves != null) {
      try {
        waves.requireEnded();
      } catch (IOException e) {
        observer.warned(Reasons.of(e));
        return false;
      }
    }
    return true;
  }

  JobReport report() {
    return report;
  }
}
