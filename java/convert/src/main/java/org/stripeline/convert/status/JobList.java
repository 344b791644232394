// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.status;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Futures;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.JsonFile.UnreadableException;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.DaemonThreads;

/** Finds the jobs in a directory and their states, and deletes old ones. */
public final class JobList {
  /** Key of the time for which the directories of finished jobs are kept; 0 for ever. */
  public static final String KEEP_KEY = "stripeline.convert.jobs.keep";

  private static final long KEEP_DAYS = 30;

  /**
   * Age in milliseconds at which the status of a driver is that of a dead one. The lease of a
   * silent client lasts as long.
   */
  private static final long SILENT_MS = 60_000;

  /** Jobs that are read at a time: thousands one by one would take minutes. */
  private static final int READERS = 16;

  private static final Logger LOG = LoggerFactory.getLogger(JobList.class);

  private final DistributedFileSystem fs;
  private final String root;

  /**
   * Creates a list.
   *
   * @param root the directory on HDFS that contains the directories of all jobs
   */
  public JobList(DistributedFileSystem fs, String root) {
    this.fs = fs;
    this.root = root;
  }

  /**
   * Returns all jobs, ordered by name.
   *
   * @throws RefusedException if the caller is not a superuser
   */
  public List<JobEntry> read() throws IOException {
    return read(any -> true);
  }

  /**
   * Returns the jobs with names that a condition accepts, ordered by name; the others are not
   * looked at.
   *
   * @throws RefusedException if the caller is not a superuser
   */
  public List<JobEntry> read(Predicate<String> names) throws IOException {
    List<JobEntry> entries = new ArrayList<>();
    try {
      List<JobDirectory> jobs = JobDirectory.all(fs, root);
      jobs.removeIf(job -> !names.test(job.name()));
      long nowMs = jobs.isEmpty() ? 0 : nameNodeMs(fs.getClient());
      ExecutorService threads =
          Executors.newFixedThreadPool(READERS, DaemonThreads.named("stripeline-jobs"));
      try {
        List<Future<JobEntry>> all = new ArrayList<>();
        for (JobDirectory job : jobs) {
          all.add(threads.submit(() -> readIfPossible(job, nowMs)));
        }
        for (Future<JobEntry> one : all) {
          JobEntry entry = Futures.get(one);
          if (entry != null) {
            entries.add(entry);
          }
        }
      } finally {
        threads.shutdown();
      }
    } catch (AccessControlException e) {
      throw new RefusedException(
          "Cannot read the jobs in "
              + root
              + ": only superusers of HDFS can; the NameNode says '"
              + Reasons.of(e)
              + "'; run this as the user that runs the NameNode, or as a member of the group that"
              + " dfs.permissions.superusergroup names");
    }
    return entries;
  }

  /** Returns null if the job was deleted since the listing, or if its settings are unreadable. */
  private JobEntry readIfPossible(JobDirectory job, long nowMs) throws IOException {
    try {
      return read(job, nowMs);
    } catch (FileNotFoundException e) {
      LOG.debug("{} was deleted during the listing, or has no settings", job.path(), e);
    } catch (UnreadableException e) {
      LOG.warn("Cannot list job {}: {}", job.name(), Reasons.of(e));
    }
    return null;
  }

  private JobEntry read(JobDirectory job, long nowMs) throws IOException {
    JobDirectory.Contents contents = job.contents();
    JobStatus status = contents.statusMs() == 0 ? null : status(job);
    long ageMs = Math.max(0, nowMs - contents.statusMs());
    JobState state =
        contents.isUnfinished()
            ? state(job, contents, ageMs)
            : status == null || status.ended == null ? ended(job, contents) : status.ended;
    return new JobEntry(job, state, contents.request(), status, ageMs);
  }

  /** Returns null if the status is lost: it only informs, so the job can be controlled anyway. */
  private static JobStatus status(JobDirectory job) throws IOException {
    try {
      JobStatus status = job.status(JobStatus.class);
      return status == null || !status.isWhole() ? null : status;
    } catch (FileNotFoundException | UnreadableException e) {
      LOG.warn("Cannot show the status of job {}: {}", job.name(), Reasons.of(e));
      return null;
    }
  }

  /** Returns how a job ended whose driver recorded no last status, or was late to replace it. */
  private JobState ended(JobDirectory job, JobDirectory.Contents contents) {
    JournalRecord last = null;
    try {
      last = Journal.last(fs, job.journalFile());
    } catch (IOException e) {
      LOG.warn("Cannot read the journal of job {}: {}", job.name(), Reasons.of(e));
    }
    boolean isCancelled =
        last != null && last.kind == JournalRecord.Kind.FINISHED
            ? last.reason != null
            : contents.request() == JobDirectory.Request.CANCEL;
    return isCancelled ? JobState.CANCELLED : JobState.FINISHED;
  }

  private JobState state(JobDirectory job, JobDirectory.Contents contents, long ageMs)
      throws IOException {
    if (contents.isOnlyBegun()) {
      return JobState.BEGUN;
    }
    if (!contents.hasJournal() || !isHeld(job)) {
      return JobState.INTERRUPTED;
    }
    if (contents.statusMs() == 0) {
      return JobState.UNKNOWN;
    }
    if (ageMs > SILENT_MS) {
      return JobState.INTERRUPTED;
    }
    switch (contents.request()) {
      case PAUSE:
        return JobState.PAUSED;
      case CANCEL:
        return JobState.CANCELLING;
      default:
        return JobState.RUNNING;
    }
  }

  /** Returns whether a driver has, or had until its death, the lease of the journal. */
  private boolean isHeld(JobDirectory job) throws IOException {
    String journal = job.journalFile().toUri().getPath();
    return fs.getClient().getLocatedBlocks(journal, 0, 1).isUnderConstruction();
  }

  /**
   * Returns the time of the NameNode's clock, by which files are dated, to within a heartbeat: the
   * clock of this machine may differ.
   */
  private static long nameNodeMs(DFSClient client) throws IOException {
    long latest = 0;
    for (DatanodeInfo node : client.datanodeReport(DatanodeReportType.LIVE)) {
      latest = Math.max(latest, node.getLastUpdate());
    }
    return latest == 0 ? System.currentTimeMillis() : latest;
  }

  /**
   * Deletes the directories of jobs that ended long ago, and of those that were begun long ago and
   * have changed nothing. Nothing needs their journals any more: undoing a conversion reads only
   * extended attributes of the files.
   *
   * @throws IOException if the key is not a time, or HDFS does not answer
   */
  public void expire() throws IOException {
    long keepMs;
    try {
      keepMs =
          fs.getConf().getTimeDuration(KEEP_KEY, KEEP_DAYS, TimeUnit.DAYS, TimeUnit.MILLISECONDS);
    } catch (NumberFormatException e) {
      throw new IOException(KEEP_KEY + "=" + fs.getConf().get(KEEP_KEY) + " is not a time", e);
    }
    if (keepMs <= 0) {
      return;
    }
    long nowMs = nameNodeMs(fs.getClient());
    for (JobDirectory job : JobDirectory.all(fs, root)) {
      try {
        JobDirectory.Contents contents = job.contents();
        if (nowMs - contents.changedMs() > keepMs && job.isDisposable(contents)) {
          job.dispose(contents);
          LOG.info("Deleted {}, which was kept for {}", job.path(), KEEP_KEY);
        }
      } catch (FileNotFoundException | FileAlreadyExistsException e) {
        LOG.debug("Another driver has deleted {}, or has begun or ended its job", job.path(), e);
      }
    }
  }
}
