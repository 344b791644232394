// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.terminal.ExitStatus;

/** Sets the stage for the demo, runs it, clears the stage, and turns the outcome into a status. */
final class DemoRunner {

  /** What a shell shows for a command that SIGINT ended. */
  static final int INTERRUPTED = 130;

  /** The data once here, and half as much again for each coder, twice while overwriting. */
  private static final int SPACE_FACTOR = 8;

  /** Enough stripes for the virtual machines to compile what is timed later. */
  private static final long WARM_UP_STRIPES = 24;

  private static final long WARM_UP_SEED = 99;

  private final DemoSettings settings;
  private final Progress progress;
  private final DemoReport report;

  DemoRunner(DemoSettings settings, Progress progress, DemoReport report) {
    this.settings = settings;
    this.progress = progress;
    this.report = report;
  }

  /**
   * Runs the demo.
   *
   * @param directory to work in, or null for a temporary one
   * @return exit status; the report says why when it is not 0
   */
  int run(Path directory, Workplace.AtEnd atEnd) {
    int status;
    Workplace place;
    try {
      place = Workplace.open(directory, atEnd);
    } catch (IOException e) {
      return end(ExitStatus.UNCHECKED, e);
    }
    try {
      status = run(place);
    } finally {
      place.close();
    }
    if (atEnd == Workplace.AtEnd.KEEP) {
      progress.say("kept: stripeline cluster start --dir=%s", place.cluster());
    }
    report.seconds = progress.seconds();
    return status;
  }

  private int run(Workplace place) {
    Demo demo;
    SampleFiles sample;
    SourceFile warmUp;
    try {
      place.requireSpace(SPACE_FACTOR * settings.bytes());
      sample = prepareFiles(place);
      warmUp = warmUpFile(place.data());
      demo = startCluster(place, sample);
    } catch (DemoException | IOException e) {
      return place.isInterrupted() ? INTERRUPTED : end(ExitStatus.UNCHECKED, e);
    }
    try {
      demo.run(sample, place, warmUp);
      report.passed = true;
      return end(ExitStatus.SOUND, null);
    } catch (DemoException | IOException e) {
      return place.isInterrupted() ? INTERRUPTED : end(ExitStatus.FAILED, e);
    }
  }

  private int end(int status, Exception reason) {
    report.finish();
    report.seconds = progress.seconds();
    if (reason != null) {
      report.failure =
          reason instanceof DemoException ? reason.getMessage() : describe((IOException) reason);
    }
    return status;
  }

  /** Hadoop's exceptions carry stack traces in their text; the first line says what happened. */
  private static String describe(IOException e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    String first = message.split("\n", 2)[0];
    return first.startsWith("Cannot ") ? message : e.getClass().getSimpleName() + ": " + first;
  }

  private SampleFiles prepareFiles(Workplace place) throws IOException {
    if (settings.data() != null) {
      try (Progress.Step step = progress.step("read files of " + settings.data(), 0)) {
        SampleFiles sample = SampleFiles.of(settings.data(), step);
        place.requireSpace(SPACE_FACTOR * sample.bytes());
        step.succeeded();
        return sample;
      }
    }
    try (Progress.Step step = progress.step("make text and a Parquet table", settings.bytes())) {
      SampleFiles sample =
          SampleFiles.make(place.data(), settings.bytes(), settings.shape(), step);
      step.succeeded();
      if (sample.table() == null) {
        report.proof.parquetQuery = "left out, its library is not on the class path";
        progress.say("The Parquet library is not on the class path: text files only");
      }
      return sample;
    }
  }

  private SourceFile warmUpFile(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path file = directory.resolve("warm-up.txt");
    try (OutputStream out = Files.newOutputStream(file)) {
      new WordText(WARM_UP_SEED).writeTo(out, WARM_UP_STRIPES * settings.shape().stripeBytes());
    }
    return new SourceFile(file, "warm-up.txt", Fingerprint.of(file));
  }

  private Demo startCluster(Workplace place, SampleFiles sample) throws IOException {
    DemoCluster cluster = place.add(new DemoCluster(place.cluster()));
    try (Progress.Step step =
        progress.step("start HDFS, " + settings.shape().units() + " DataNodes", 0)) {
      cluster.start(settings.shape().units());
      step.succeeded();
    }
    ClusterStatus status = cluster.status();
    report.policy = settings.shape().policyName();
    report.datanodes = status.datanodes.size();
    report.hadoopVersion = status.hadoopVersion;
    report.javaVersion = status.javaVersion;
    report.processors = Runtime.getRuntime().availableProcessors();
    report.files = sample.files().size();
    report.bytes = sample.bytes();
    return new Demo(settings, cluster, progress, report);
  }
}
