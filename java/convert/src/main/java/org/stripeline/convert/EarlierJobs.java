// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.KnownJobs;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Terminal;

/** Ends the jobs that services left, because they have died or the jobs were paused. */
final class EarlierJobs {
  private static final Logger LOG = LoggerFactory.getLogger(EarlierJobs.class);

  private final DistributedFileSystem fs;
  private final String jobs;
  private final Consumer<String> printer;
  private final Ticker ticker;
  private final KnownJobs known = new KnownJobs();

  /** Names of paused jobs whose files in progress this process has settled. */
  private final Set<String> paused = new HashSet<>();

  EarlierJobs(DistributedFileSystem fs, String jobs, Consumer<String> printer, Ticker ticker) {
    this.fs = fs;
    this.jobs = jobs;
    this.printer = printer;
    this.ticker = ticker;
  }

  /**
   * Settles the files in progress of jobs of rules, and ends those jobs that are not paused: the
   * rules may be others now. Names files that cannot be settled; the next call tries them again.
   *
   * @return the exit status
   */
  int settle(BooleanSupplier isStopping) throws IOException {
    int worst = ExitStatus.SOUND;
    Set<String> nowPaused = new HashSet<>();
    for (JobDirectory job : JobDirectory.unfinished(fs, jobs, known)) {
      if (isStopping.getAsBoolean()) {
        break;
      }
      try {
        if (job.settings().rule != null) {
          boolean isPaused = job.contents().request() == JobDirectory.Request.PAUSE;
          boolean isSettled = isPaused && paused.contains(job.name()) || end(job, isPaused);
          if (!isSettled) {
            worst = ExitStatus.FAILED;
          } else if (isPaused) {
            nowPaused.add(job.name());
          }
        }
      } catch (FileNotFoundException e) {
        LOG.debug("Job {} was deleted since the listing", job.name(), e);
      } catch (IOException | RuntimeException e) {
        printer.accept(Reasons.cannot("end job " + job.name(), e));
        worst = ExitStatus.FAILED;
      }
    }
    paused.clear();
    paused.addAll(nowPaused);
    return worst;
  }

  /** Returns whether all files in progress are settled. */
  private boolean end(JobDirectory job, boolean isPaused) throws IOException {
    printer.accept(
        isPaused
            ? "Job " + job.name() + " is paused, and stays so until --continue or --cancel"
            : "Ending job " + job.name() + ", which an earlier service left");
    // With a client of its own, whose configuration gets the properties of this job only.
    try (Driver driver =
        new Driver(
            HdfsConnection.open(fs.getConf(), new Path(fs.getUri())),
            jobs,
            JobObserver.NONE,
            StepListener.NONE,
            known,
            ticker)) {
      driver.beginUntil(() -> true);
      JobReport report = driver.resume(null, job.name(), new JobTuning());
      for (JobReport.Failure failure : report.failures()) {
        printer.accept(Terminal.oneLine("Cannot settle " + failure));
      }
      return report.failed() == 0;
    }
  }
}
