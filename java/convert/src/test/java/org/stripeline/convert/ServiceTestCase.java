// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.convert.service.StatusRecorder;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** What tests of services have in common: a cluster, rules, and a clock that the test sets. */
abstract class ServiceTestCase {
  static final int BLOCK = ConvertCluster.BLOCK;
  static final long DAY_MS = 86_400_000;

  /** What each rule of these tests has, so that files are copied, which needs no agents. */
  static final String COPY =
      "<policy>XOR-2-1</policy><layout>striped</layout><cell-size>64KiB</cell-size>"
          + "<allow-rack-loss/><allow-stale-readers/><files-at-once>1</files-at-once>";

  @TempDir static java.nio.file.Path directory;
  static ConvertCluster cluster;

  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();
  final List<String> said = Collections.synchronizedList(new ArrayList<>());
  final List<String> swapped = Collections.synchronizedList(new ArrayList<>());
  final ExecutorService threads = Executors.newCachedThreadPool();
  final SetClock clock = new SetClock();
  java.nio.file.Path rules;
  StepListener listener = StepListener.NONE;

  /** Jobs of this test alone. */
  String jobs;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            4,
            2,
            conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void prepare() throws IOException {
    rules = Files.createTempFile(directory, "rules", ".xml");
    jobs = "/jobs-" + rules.getFileName();
  }

  @AfterEach
  void endThreads() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Waits end often, because the time that they wait for is set by the test. */
  private static final Ticker OFTEN =
      new Ticker() {
        @Override
        public long nanos() {
          return Ticker.SYSTEM.nanos();
        }

        @Override
        public void timedWait(Object monitor, long timeoutNanos) throws InterruptedException {
          Ticker.SYSTEM.timedWait(
              monitor, Math.min(timeoutNanos, TimeUnit.MILLISECONDS.toNanos(20)));
        }
      };

  /** A clock that only the test sets. */
  static final class SetClock extends Clock {
    private final AtomicLong ms =
        new AtomicLong(Instant.parse("2026-01-10T12:00:00Z").toEpochMilli());

    void set(String time) {
      ms.set(Instant.parse("2026-01-10T" + time + ":00Z").toEpochMilli());
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(ms.get());
    }
  }

  void rules(String... all) throws IOException {
    String text = "<rules>\n" + String.join("\n", all) + "\n</rules>\n";
    Files.write(rules, text.getBytes(StandardCharsets.UTF_8));
  }

  static String rule(String name, String path, String more) {
    return "<rule name='" + name + "'><path>" + path + "</path>" + more + "</rule>";
  }

  int run(String... arguments) {
    List<String> words = new ArrayList<>(List.of("convert", "--rules=" + rules));
    words.addAll(List.of(arguments));
    words.add("-Dfs.defaultFS=" + cluster.uri());
    words.add("--job-directory=" + jobs);
    return ConvertMain.run(cluster, out, err, words);
  }

  ConversionService service(DistributedFileSystem fs) {
    return service(fs, this::job);
  }

  ConversionService service(DistributedFileSystem fs, ConversionService.JobRunner runner) {
    return service(fs, runner, OFTEN);
  }

  ConversionService service(
      DistributedFileSystem fs, ConversionService.JobRunner runner, Ticker ticker) {
    ServiceOptions options = new ServiceOptions();
    options.file = rules.toString();
    return new ConversionService(fs, options, jobs, runner, said::add, clock, ticker);
  }

  /** Does a job as the command does. */
  int job(JobSettings settings, String layout, JobObserver observer, BooleanSupplier isOver) {
    settings.sortedFiles = 2;
    try (Driver driver =
        new Driver(
            cluster.client(),
            jobs,
            observer,
            (step, path) -> {
              if (step == Step.SWAPPED) {
                swapped.add(path);
              }
              listener.reached(step, path);
            })) {
      driver.beginUntil(isOver);
      JobReport report = driver.execute(settings, JobDirectory.newName());
      return report.isComplete() ? ExitStatus.SOUND : ExitStatus.FAILED;
    } catch (RefusedException e) {
      throw new CommandException(ExitStatus.USAGE, e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void write(String path, int blocks, long daysOld) throws IOException {
    cluster.write(path, blocks * BLOCK);
    long at = System.currentTimeMillis() - daysOld * DAY_MS;
    cluster.fs().setTimes(new Path(path), at, at);
  }

  boolean isConverted(String path) throws IOException {
    return cluster.policy(path) != null;
  }

  ServiceStatus status() throws IOException {
    return StatusRecorder.read(cluster.fs(), jobs);
  }

  void awaitPass(long number) {
    await(
        "the end of pass " + number,
        () -> {
          ServiceStatus now = status();
          return now != null && now.passes == number && now.nextPassMs != null;
        });
  }

  void await(String what, Callable<Boolean> condition) {
    Conditions.await(what + " " + said, condition);
  }
}
