// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JobLock;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.KnownJobs;
import org.stripeline.convert.job.OneTry;
import org.stripeline.convert.job.OpenFile;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.mapreduce.MapJob;
import org.stripeline.convert.mapreduce.MapJobs;
import org.stripeline.convert.mapreduce.MapPreflight;
import org.stripeline.convert.mapreduce.MapWaves;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.select.ClusterFacts;
import org.stripeline.convert.select.ConversionRoom;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.select.TreeWalk;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.convert.status.JobList;
import org.stripeline.convert.status.JobState;
import org.stripeline.convert.status.StatusWriter;
import org.stripeline.natives.Ticker;

/** Plans and executes jobs, and resumes the jobs of drivers that have died. */
public final class Driver implements AutoCloseable {
  /** Longer than the 60 s after which the NameNode expires the lease of a silent client. */
  private static final long TAKE_OVER_MS = 90_000;

  private final DistributedFileSystem fs;
  private final String root;
  private final JobObserver observer;
  private final StepListener listener;
  private final Ticker ticker;
  private final KnownJobs known;
  private BooleanSupplier isOver = () -> false;

  /**
   * Creates a driver.
   *
   * @param fs the client for all calls, which is closed with the driver
   * @param root the directory on HDFS that contains the directories of all jobs
   */
  public Driver(
      DistributedFileSystem fs, String root, JobObserver observer, StepListener listener) {
    this(fs, root, observer, listener, new KnownJobs(), Ticker.SYSTEM);
  }

  /**
   * Creates a driver that follows others of the same command.
   *
   * @param known what those have learnt about the jobs in {@code root}
   */
  public Driver(
      DistributedFileSystem fs,
      String root,
      JobObserver observer,
      StepListener listener,
      KnownJobs known,
      Ticker ticker) {
    this.fs = fs;
    this.root = root;
    this.observer = observer;
    this.listener = listener;
    this.known = known;
    this.ticker = ticker;
  }

  /**
   * Sets what tells that no more files may be begun. A job then completes its files in progress and
   * ends as cancelled, or stays unfinished if the operator pauses it; one that is resumed ends so
   * only if it is true from the beginning.
   */
  public void beginUntil(BooleanSupplier over) {
    isOver = over;
  }

  /**
   * Determines what a job would do, without changing anything. Agents may be missing: then the
   * observer is warned.
   */
  public Totals plan(JobSettings settings) throws IOException {
    return plan(settings, policies(settings));
  }

  /**
   * Does the same, and decides which policies the job would use.
   *
   * @param policies of {@link #policies}
   */
  Totals plan(JobSettings settings, Policies policies) throws IOException {
    ClusterFacts cluster = check(settings);
    try (Adoption adoption = adoption(settings)) {
      String lack = adoption == null ? null : adoption.nodes().lack(cluster.nodes());
      if (lack != null) {
        observer.warned(
            lack
                + "; --execute is refused until they have one. The files and sizes do not depend on"
                + " agents; whether every DataNode can keep and encode blocks is not known");
      }
      warnOfRacks(settings, adoption, cluster);
      Totals totals = walk(settings, policies, observer, Collections.emptyMap(), isOver);
      try {
        requireRoom(settings, totals);
      } catch (RefusedException e) {
        observer.warned(e.getMessage() + "; --execute is refused until then");
      }
      return totals;
    }
  }

  private ClusterFacts check(JobSettings settings) throws IOException {
    ClusterFacts cluster = Preflight.check(fs.getClient(), settings);
    requireNameNodes();
    if (settings.isMapped()) {
      MapPreflight.check(fs, settings, root);
    }
    return cluster;
  }

  /** Refuses configurations that lack what each swap needs, before a job is created. */
  private void requireNameNodes() throws IOException {
    try {
      OneTry.open(fs).close();
    } catch (IOException e) {
      throw new RefusedException(e.getMessage());
    }
  }

  /** Returns the agents if the job needs them, or null. */
  private Adoption adoption(JobSettings settings) throws IOException {
    return settings.adopts() ? Adoption.open(fs, settings, ticker) : null;
  }

  private void requireAgents(JobSettings settings, Adoption adoption, ClusterFacts cluster)
      throws IOException {
    if (adoption != null) {
      adoption.nodes().require(cluster.nodes());
      warnOfRacks(settings, adoption, cluster);
    }
  }

  /** Warns if groups do not follow the rule by which the NameNode placed the blocks. */
  private void warnOfRacks(JobSettings settings, Adoption adoption, ClusterFacts cluster) {
    if (adoption != null) {
      String obstacle =
          adoption.racks().obstacle(settings.path, settings.code().shape(), cluster.racks());
      if (obstacle != null) {
        observer.warned(obstacle);
      }
    }
  }

  /** Determines what is done with each file, and which policies are used. */
  private Totals walk(
      JobSettings settings,
      Policies policies,
      JobObserver watching,
      Map<Long, JournalRecord> begun,
      BooleanSupplier isCancelled)
      throws IOException {
    Totals all = walkOnce(settings, policies, watching, begun, isCancelled);
    if (policies == null || !policies.admit(all.policies, observer)) {
      return all;
    }
    // Which policies are used depends on all files, so those of the others are only found now.
    JobObserver again =
        new JobObserver() {
          @Override
          public void planned(Candidate file, FileDecision decision) {
            if (decision.skip() == SkipReason.POLICY_LIMIT
                || decision.skip() == SkipReason.CELL_LIMIT) {
              watching.planned(file, decision);
            }
          }
        };
    return walkOnce(settings, policies, again, begun, isCancelled);
  }

  private Totals walkOnce(
      JobSettings settings,
      Policies policies,
      JobObserver watching,
      Map<Long, JournalRecord> begun,
      BooleanSupplier isCancelled)
      throws IOException {
    Totals totals = new Totals();
    totals.storagePolicyOfCopies = new ConversionRoom(fs).idOf(settings.storagePolicy);
    totals.vanished =
        new TreeWalk(fs, settings, root, begun, policies)
            .visit(
                (file, decision) -> {
                  totals.add(file, decision);
                  observer.looked();
                  watching.planned(file, decision);
                  return !isCancelled.getAsBoolean();
                });
    return totals;
  }

  /** Returns the policies of the job, or null if it undoes conversions. */
  Policies policies(JobSettings settings) throws IOException {
    return settings.undo ? null : new Policies(fs, settings.skipNameNodeCheck);
  }

  /**
   * Executes a job.
   *
   * @param name name of the job's directory
   * @throws RefusedException if the job cannot be done; nothing has been changed then
   */
  public JobReport execute(JobSettings settings, String name) throws IOException {
    ClusterFacts cluster = check(settings);
    Preflight.refuseStaleReaders(settings);
    jobs().refuseOverlap(settings, null);
    expire();
    try (Adoption adoption = adoption(settings)) {
      requireAgents(settings, adoption, cluster);
      Policies policies = policies(settings);
      Totals totals = walk(settings, policies, JobObserver.NONE, Collections.emptyMap(), isOver);
      if (isOver.getAsBoolean()) {
        throw new RefusedException(
            "Cannot begin a job on " + settings.path + ": its time was over before it began");
      }
      if (settings.rule != null && totals.files == 0 && !totals.vanished.isAny()) {
        // A service would leave a directory in each pass.
        return JobReport.empty(totals);
      }
      prepare(settings, policies, totals);
      JobDirectory directory = create(settings, name);
      try (Journal journal = createJournal(directory);
          Job job = new Job(fs, settings, directory, journal, listener, ticker);
          MapWaves waves = waves(job);
          StatusWriter status = StatusWriter.start(job, observer)) {
        job.beginUntil(isOver);
        JobRun run = JobRun.of(job, status, policies, adoption, waves);
        return untilTakenOver(directory, status, () -> finish(run, directory, totals, status));
      }
    }
  }

  private JobDirectory create(JobSettings settings, String name) throws IOException {
    JobDirectory directory;
    try {
      directory = JobDirectory.create(fs, root, name, settings);
    } catch (QuotaExceededException e) {
      throw overQuota(name, e);
    }
    try {
      // Another driver may have passed the first check at the same time as this one.
      jobs().refuseOverlap(settings, name);
    } catch (IOException e) {
      directory.dispose(directory.contents());
      throw e;
    }
    return directory;
  }

  private Journal createJournal(JobDirectory directory) throws IOException {
    try {
      return Journal.create(fs, directory.journalFile());
    } catch (QuotaExceededException e) {
      // Otherwise the job would have begun, and no other could begin on the same files.
      fs.delete(directory.path(), true);
      throw overQuota(directory.name(), e);
    }
  }

  private static RefusedException overQuota(String name, QuotaExceededException e) {
    return new RefusedException(
        "Cannot begin job "
            + name
            + ": "
            + Reasons.of(e)
            + "; raise that quota, or choose another --job-directory");
  }

  /** Returns the map jobs if the job uses MapReduce, or null. */
  private MapWaves waves(Job job) {
    return job.settings().isMapped() ? new MapWaves(job, new MapJob(job, observer)) : null;
  }

  private void requireRoom(JobSettings settings, Totals totals) throws IOException {
    if (!settings.undo) {
      int filesAtOnce = JobRun.filesAtOnce(settings);
      ConversionRoom room = new ConversionRoom(fs);
      String warning = room.require(settings.path, totals.needs, filesAtOnce);
      if (warning != null) {
        observer.warned(warning);
      }
      room.requireQuotas(settings.path, root, totals.quotaNeed, filesAtOnce);
    }
  }

  private void prepare(JobSettings settings, Policies policies, Totals totals) throws IOException {
    requireRoom(settings, totals);
    if (policies != null) {
      policies.prepare(totals.policies.keySet(), observer);
    }
  }

  /**
   * Resumes a job. Files that a dead driver had begun are completed or rolled back, whatever has
   * happened to the tree and the cluster since. Then, if the tree and the cluster allow it, the
   * tree is walked again to convert the remaining files.
   *
   * @param path path of the job, or null for any
   * @param name name of the job, or null if there is only one
   * @param tuning rate and concurrency to use from now on, as far as they are given
   * @throws RefusedException if there is no such job, or another driver runs it
   */
  public JobReport resume(String path, String name, JobTuning tuning) throws IOException {
    Preflight.asSuperuser(fs.getClient());
    JobDirectory directory = jobs().find(path, name, observer::warned);
    observer.resuming();
    JobSettings settings = directory.settings();
    boolean isTuned = tuning.applyTo(settings);
    settings.properties.forEach(fs.getConf()::set);
    try (Adoption adoption = adoption(settings);
        Journal journal = JobLock.take(fs, directory, TAKE_OVER_MS, ticker)) {
      if (!directory.contents().isUnfinished()) {
        // Its driver ended it while this process waited for the lease.
        throw new RefusedException(
            "Cannot resume job " + directory.name() + ": its driver has just ended it");
      }
      if (isTuned) {
        directory.keep(settings);
      }
      if (isOver.getAsBoolean() && directory.request(ticker) != JobDirectory.Request.PAUSE) {
        // Not before, because another driver may have resumed it.
        directory.cancel();
      }
      OpenFile.Collector open = new OpenFile.Collector();
      MapJobs maps = new MapJobs();
      JournalRecord[] last = new JournalRecord[1];
      Journal.read(
          fs, directory.journalFile(), open.andThen(maps).andThen(record -> last[0] = record));
      maps.end(fs.getConf(), ticker);
      try (Job job = new Job(fs, settings, directory, journal, listener, ticker);
          MapWaves waves = waves(job);
          StatusWriter status = StatusWriter.start(job, observer)) {
        Policies policies = policies(settings);
        JobRun run = JobRun.of(job, status, policies, adoption, waves);
        job.places().takeOver(open.zoneDirectories());
        if (last[0] != null && last[0].kind == JournalRecord.Kind.FINISHED) {
          // Its driver had done all. If it was only stopped, it still deletes the temporary files.
          return last[0].reason == null ? end(run, status) : cancel(run, status);
        }
        return untilTakenOver(
            directory,
            status,
            () -> {
              run.recover(open.files());
              return goOn(run, directory, settings, policies, adoption, status);
            });
      }
    }
  }

  private interface Work {
    JobReport run() throws IOException;
  }

  private static JobReport untilTakenOver(JobDirectory directory, StatusWriter status, Work work)
      throws IOException {
    try {
      return work.run();
    } catch (JournalLostException e) {
      throw status.isReplaced() ? new JournalLostException(directory.name(), e) : e;
    }
  }

  /** Continues a job whose files have been recovered. */
  private JobReport goOn(
      JobRun run,
      JobDirectory directory,
      JobSettings settings,
      Policies policies,
      Adoption adoption,
      StatusWriter status)
      throws IOException {
    if (directory.request(ticker) == JobDirectory.Request.CANCEL) {
      return cancel(run, status);
    }
    if (isOver.getAsBoolean() && directory.request(ticker) == JobDirectory.Request.PAUSE) {
      run.report().leftPaused();
      return run.report();
    }
    if (!Preflight.isThere(fs.getClient(), settings.path)) {
      run.report()
          .gone(
              "Nothing exists at "
                  + settings.path
                  + " any more, so the job ends; if the tree was"
                  + " renamed, begin a job at its new path");
      return end(run, status);
    }
    Totals totals;
    try {
      requireAgents(settings, adoption, check(settings));
      if (policies != null) {
        policies.leaveAll();
      }
      totals = walk(settings, policies, JobObserver.NONE, run.begun(), directory::isCancelled);
      if (directory.request(ticker) == JobDirectory.Request.CANCEL) {
        return cancel(run, status);
      }
      prepare(settings, policies, totals);
    } catch (RefusedException e) {
      if (directory.request(ticker) == JobDirectory.Request.CANCEL) {
        // The operator was told that this driver, which still had the job, ends it.
        return cancel(run, status);
      }
      run.report().refused(e.getMessage());
      return run.report();
    }
    return finish(run, directory, totals, status);
  }

  private static JobReport cancel(JobRun run, StatusWriter status) throws IOException {
    run.report().cancelled();
    return end(run, status);
  }

  private JobReport finish(JobRun run, JobDirectory directory, Totals totals, StatusWriter status)
      throws IOException {
    status.begun(directory, totals);
    run.walk(root);
    return end(run, status);
  }

  private static JobReport end(JobRun run, StatusWriter status) throws IOException {
    if (!run.finish()) {
      run.report().leftOpen();
    } else {
      status.end(run.report().isCancelled() ? JobState.CANCELLED : JobState.FINISHED);
    }
    return run.report();
  }

  private UnfinishedJobs jobs() {
    return new UnfinishedJobs(fs, root, known);
  }

  /** Deletes what is left of old jobs. */
  private void expire() {
    if (!known.expires(ticker)) {
      return;
    }
    try {
      new JobList(fs, root).expire();
    } catch (IOException e) {
      observer.warned("the directories of old jobs cannot be deleted: " + Reasons.of(e));
    }
  }

  @Override
  public void close() throws IOException {
    fs.close();
  }
}
