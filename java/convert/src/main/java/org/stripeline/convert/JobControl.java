// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.JsonLines;
import org.stripeline.convert.report.TableText;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.convert.service.StatusRecorder;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.convert.status.JobEntry;
import org.stripeline.convert.status.JobList;
import org.stripeline.convert.status.StatusText;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Terminal;

/** Shows and controls jobs, whichever process and user runs them. */
final class JobControl {
  private final DistributedFileSystem fs;
  private final String root;
  private final PrintWriter out;
  private final boolean isJson;

  /**
   * Creates a control of the jobs below a directory.
   *
   * @param isJson whether to print JSON
   */
  JobControl(DistributedFileSystem fs, String root, PrintWriter out, boolean isJson) {
    this.fs = fs;
    this.root = root;
    this.out = out;
    this.isJson = isJson;
  }

  /**
   * Executes the option that is given.
   *
   * @param name name of the job, or null for the only unfinished one
   * @param argument the path of the job; null, / or a file system alone for any
   * @return the exit status
   */
  int run(ControlOptions options, String name, String argument) throws IOException {
    String given = argument == null ? "" : PathArguments.parse(argument).toUri().getPath();
    String path = given.isEmpty() || given.equals("/") ? null : given;
    boolean isOne = name != null && !options.list;
    List<JobEntry> jobs = new JobList(fs, root).read(one -> !isOne || one.equals(name));
    StatusText text = new StatusText(out, isJson);
    if (options.list) {
      text.list(jobs);
      return ExitStatus.SOUND;
    }
    JobEntry job = find(jobs, name, path, options.name());
    if (options.status) {
      text.list(Collections.singletonList(job));
      text.details(job);
      return ExitStatus.SOUND;
    }
    if (job.state().isEnded()) {
      throw new RefusedException(
          "Cannot use " + options.name() + " for job " + job.name() + ": it has ended");
    }
    if (options.pause) {
      job.directory().pause();
      say(job, "is paused: nothing new is begun until --continue" + noDriver(job));
    } else if (options.proceed) {
      boolean wasPaused = job.directory().proceed();
      say(job, (wasPaused ? "continues" : "was not paused") + noDriver(job));
    } else {
      return cancel(job);
    }
    return ExitStatus.SOUND;
  }

  /** Prints the last service, all jobs, and the details of those that have not ended. */
  void showAll() throws IOException {
    List<JobEntry> jobs = new JobList(fs, root).read();
    StatusText text = new StatusText(out, isJson);
    ServiceStatus service = StatusRecorder.read(fs, root);
    if (service != null) {
      text.service(service, ConvertCommand.CLOCK.millis());
    }
    text.list(jobs);
    for (JobEntry job : jobs) {
      if (!job.state().isEnded()) {
        text.details(job);
      }
    }
  }

  private void say(JobEntry job, String what) {
    if (!isJson) {
      out.println("Job " + job.name() + " on " + Terminal.oneLine(job.path()) + " " + what);
      out.flush();
    }
  }

  private static String noDriver(JobEntry job) {
    String service = job.isOfRule() ? ", or a service that carries out rules ends it" : "";
    return job.state().isLive()
        ? ""
        : "; it has no live driver: use --resume to continue it" + service;
  }

  private int cancel(JobEntry job) throws IOException {
    job.directory().cancel();
    if (job.state().isLive()) {
      say(
          job,
          "is being cancelled: its driver completes or rolls back the files in progress;"
              + " --status shows when it has ended");
      return ExitStatus.SOUND;
    }
    long start = Ticker.SYSTEM.nanos();
    JobReport report = end(job);
    if (report == null) {
      say(job, "has just ended; --status shows how");
      return ExitStatus.SOUND;
    }
    double seconds = (Ticker.SYSTEM.nanos() - start) / 1e9;
    if (isJson) {
      new JsonLines(out).report(report, seconds);
    } else {
      new TableText(out).report(report, seconds);
    }
    return report.failed() == 0 ? ExitStatus.SOUND : ExitStatus.FAILED;
  }

  /**
   * Ends a job that has no live driver, as far as its status shows. Returns null if another driver
   * has ended it since then.
   */
  private JobReport end(JobEntry job) throws IOException {
    try {
      return new Driver(fs, root, JobObserver.NONE, StepListener.NONE)
          .resume(null, job.name(), new JobTuning());
    } catch (RefusedException e) {
      JobDirectory.Contents now = job.directory().contents();
      if (!now.isUnfinished()) {
        return null;
      }
      if (!now.hasJournal()) {
        throw e;
      }
      throw new RefusedException(
          e.getMessage() + "; the request is recorded, and a driver that has the job will end it");
    }
  }

  /** Throws an exception if there is a job of that name whose settings cannot be read. */
  private void requireReadable(String name) throws IOException {
    for (JobDirectory job : JobDirectory.all(fs, root)) {
      if (job.name().equals(name)) {
        job.settings();
      }
    }
  }

  private JobEntry find(List<JobEntry> jobs, String name, String path, String option)
      throws IOException {
    List<JobEntry> found =
        jobs.stream()
            .filter(job -> name == null ? !job.state().isEnded() : job.name().equals(name))
            .filter(job -> path == null || path.equals(job.path()))
            .collect(Collectors.toList());
    if (found.size() == 1) {
      return found.get(0);
    }
    String which =
        (name == null ? "unfinished job" : "job " + name) + (path == null ? "" : " on " + path);
    if (found.isEmpty()) {
      requireReadable(name);
      throw new RefusedException(
          "Cannot use "
              + option
              + ": there is no "
              + which
              + " in "
              + root
              + "; --list shows the jobs");
    }
    throw new RefusedException(
        "Cannot use "
            + option
            + ": there is more than one unfinished job; name one with --job: "
            + found.stream().map(JobEntry::name).collect(Collectors.joining(" ")));
  }
}
