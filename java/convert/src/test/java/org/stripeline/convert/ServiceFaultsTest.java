// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.service.StatusRecorder;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.ExitStatus;

/** Tests a conversion service in which something goes wrong. */
@Timeout(120)
class ServiceFaultsTest extends ServiceTestCase {
  @Test
  void aServiceLivesOnIfHdfsDoesNotAnswer() throws Exception {
    write("/on/a", 2, 3);
    rules(rule("on", "/on", COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      fs.getConf().setBoolean("dfs.client.retry.policy.enabled", false);
      ConversionService service = service(fs);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      awaitPass(1);
      cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
      try {
        clock.set("13:00");
        await(
            "a failed pass",
            () ->
                said.stream().anyMatch(text -> text.startsWith("Cannot carry out the rules now")));
      } finally {
        cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
      }
      write("/on/b", 2, 3);
      clock.set("13:05");
      awaitPass(3);
      assertThat(swapped).containsExactly("/on/a", "/on/b");
      service.stop();
      assertThat(serving.get(60, TimeUnit.SECONDS)).isEqualTo(ExitStatus.SOUND);
    }
  }

  @Test
  void aStatusThatIsReplacedWhileItIsReadIsReadAgain() throws Exception {
    try (FSDataOutputStream out = cluster.fs().create(new Path(jobs, "service.json"))) {
      out.writeBytes("{\"state\": \"waiting\"}");
    }
    AtomicInteger opened = new AtomicInteger();
    DistributedFileSystem fs =
        new DistributedFileSystem() {
          @Override
          public FSDataInputStream open(Path file) throws IOException {
            FSDataInputStream in = cluster.fs().open(file);
            if (opened.incrementAndGet() < 3) {
              // Reads fail, as they do when the blocks of a replaced file are deleted.
              in.close();
            }
            return in;
          }
        };
    assertThat(StatusRecorder.read(fs, jobs).state).isEqualTo("waiting");
  }

  @Test
  void anErrorOfOnePathDoesNotAffectTheOthers() throws Exception {
    write("/error/a", 2, 3);
    rules(rule("one", "/error-one", COPY), rule("other", "/error", COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service =
          service(
              fs,
              (settings, text, observer, isOver) -> {
                if (settings.path.equals("/error-one")) {
                  throw new IllegalStateException("for a test");
                }
                return job(settings, text, observer, isOver);
              });
      assertThat(service.serve(0)).isEqualTo(ExitStatus.UNCHECKED);
    }
    assertThat(swapped).containsExactly("/error/a");
    assertThat(said.toString()).contains("for a test");
  }

  @Test
  void aPlanDoesNotDependOnTheTimeOfDay() throws Exception {
    cluster.fs().mkdirs(new Path("/by-night"));
    rules(rule("night", "/by-night", "<window>22:00-06:00</window>" + COPY));
    List<Boolean> over = new ArrayList<>();
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service =
          service(
              fs,
              (settings, text, observer, isOver) -> {
                over.add(isOver.getAsBoolean());
                return ExitStatus.SOUND;
              });
      assertThat(service.plan()).isEqualTo(ExitStatus.SOUND);
    }
    assertThat(over).containsExactly(false);
  }

  @Test
  void aPassBeginsWhenAWindowOpensThoughItIsOpenNow() throws Exception {
    rules(rule("noon", "/noon", "<window>11:30-13:00</window>" + COPY));
    cluster.fs().mkdirs(new Path("/noon"));
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service = service(fs);
      Future<Integer> serving = threads.submit(() -> service.serve(5 * DAY_MS));
      awaitPass(1);
      assertThat(status().nextPassMs)
          .isEqualTo(Instant.parse("2026-01-11T11:30:00Z").toEpochMilli());
      service.stop();
      assertThat(serving.get(60, TimeUnit.SECONDS)).isEqualTo(ExitStatus.SOUND);
    }
  }

  @Test
  void aWindowThatEndsDuringTheWalkIsNoFailure() throws Exception {
    write("/walk/a", 2, 3);
    rules(rule("walk", "/walk", "<window>11:30-13:00</window>" + COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service =
          service(
              fs,
              (settings, text, observer, isOver) -> {
                clock.set("13:00");
                return job(settings, text, observer, isOver);
              });
      assertThat(service.serve(0)).as(said.toString()).isEqualTo(ExitStatus.SOUND);
    }
    assertThat(swapped).isEmpty();
  }

  @Test
  void aJobThatAnOperatorHasResumedIsLeftToThatDriver() throws Exception {
    write("/resumed/a", 2, 3);
    rules(rule("resumed", "/resumed", COPY));
    JobSettings settings = RulesFile.read(rules.toString()).get(0).job("/resumed", List.of());
    JobDirectory job = JobDirectory.create(cluster.fs(), jobs, "resumed", settings);
    // The journal that the driver of the operator has open.
    try (DistributedFileSystem operator = cluster.client();
        Journal journal = Journal.create(operator, job.journalFile());
        DistributedFileSystem fs = cluster.client()) {
      // The service waits for the driver as long as a dead one can have the lease.
      assertThat(service(fs, this::job, new InstantWaits()).serve(0)).isEqualTo(ExitStatus.FAILED);
      assertThat(said.toString()).contains("another driver has it");
      assertThat(job.contents().request()).isEqualTo(JobDirectory.Request.NONE);
      assertThat(job.contents().isUnfinished()).isTrue();
    }
    assertThat(swapped).isEmpty();
  }

  /**
   * Writes a file below each of two directories, for each of which there is a rule, and the
   * settings of a job for the first one.
   */
  private JobDirectory beginWithTwoRules(String begun, String other) throws IOException {
    write("/" + begun + "/a", 2, 3);
    write("/" + other + "/a", 2, 3);
    rules(rule("one", "/" + begun, COPY), rule("other", "/" + other, COPY));
    JobSettings settings = RulesFile.read(rules.toString()).get(0).job("/" + begun, List.of());
    return JobDirectory.create(cluster.fs(), jobs, begun, settings);
  }

  @Test
  void aJobThatCannotBeSettledDoesNotEndTheService() throws Exception {
    JobDirectory job = beginWithTwoRules("unsettled", "settled");
    cluster.fs().enableErasureCodingPolicy("XOR-2-1-1024k");
    // HDFS does not append to it.
    cluster.fs().createFile(job.journalFile()).ecPolicyName("XOR-2-1-1024k").build().close();
    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).as(said.toString()).isEqualTo(ExitStatus.FAILED);
    }
    assertThat(said.toString()).contains("Cannot end job unsettled");
    assertThat(swapped).containsExactly("/settled/a");
  }

  @Test
  void aFileThatCannotBeSettledIsNamed() throws Exception {
    JobDirectory job = beginWithTwoRules("begun", "other");
    Candidate file =
        new Candidate("/begun/a", cluster.fs().getClient().getLocatedFileInfo("/begun/a", false));
    Path temporary = new Path(job.temporaries(), "a");
    cluster.fs().create(temporary).close();
    long directory = ((HdfsFileStatus) cluster.fs().getFileStatus(job.temporaries())).getFileId();
    try (Journal journal = Journal.create(cluster.fs(), job.journalFile())) {
      journal.write(JournalRecord.driver("another"));
      journal.write(JournalRecord.begin(file, temporary.toUri().getPath(), directory, "another"));
      // A job that copies has no agents, which alone can remove links.
      journal.write(JournalRecord.group(file.status().getFileId(), "pool", List.of()));
    }
    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).as(said.toString()).isEqualTo(ExitStatus.FAILED);
    }
    assertThat(said.toString()).contains("Cannot settle /begun/a: ", "need agents to remove them");
    assertThat(swapped).containsExactly("/other/a");
  }

  @Test
  void aLeaseThatCannotBeTakenIsNamed() throws Exception {
    rules(rule("lease", "/lease", COPY));
    Path lease = new Path(jobs, "service.lease");
    cluster.fs().mkdirs(new Path(jobs), JobDirectory.PRIVATE);
    cluster.fs().mkdirs(lease);
    assertThat(run("--execute")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("the lease of " + lease + ": it is a directory");
    cluster.fs().delete(lease, true);
    cluster.fs().enableErasureCodingPolicy("XOR-2-1-1024k");
    cluster.fs().createFile(lease).ecPolicyName("XOR-2-1-1024k").build().close();
    assertThat(run("--execute")).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(err.toString()).contains("Cannot take the lease of " + lease + ": ");
  }

  @Test
  void theDirectoryOfJobsIsNotConverted() throws Exception {
    jobs += "/";
    cluster.fs().mkdirs(new Path(jobs), JobDirectory.PRIVATE);
    write(jobs + "not-of-a-rule", 2, 3);
    for (String path : Arrays.asList("/", "/jobs-*.xml")) {
      rules(rule("all", path, "<glob>not-of-a-rule</glob>" + COPY));
      assertThat(run("--execute")).as(err.toString()).isEqualTo(ExitStatus.SOUND);
      assertThat(isConverted(jobs + "not-of-a-rule")).as(path).isFalse();
    }
    jobs = "relative";
    assertThat(run("--execute")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("it must be absolute");
  }

  @Test
  void aServiceWhoseLeaseFileIsRenamedEndsBeforeItsNextFile() throws Exception {
    write("/renamed/a", 2, 3);
    write("/renamed/b", 2, 3);
    rules(rule("renamed", "/renamed", COPY));
    AtomicLong skipped = new AtomicLong();
    listener =
        (step, path) -> {
          if (step == Step.SWAPPED && skipped.get() == 0) {
            // As if the process had been stopped for a minute.
            rename(new Path(jobs, "service.lease"), new Path(jobs, "other"));
            skipped.set(TimeUnit.MINUTES.toNanos(1));
          }
        };
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service =
          service(fs, this::job, () -> Ticker.SYSTEM.nanos() + skipped.get());
      assertThatThrownBy(() -> service.serve(0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another service can have the lease now");
    }
    assertThat(swapped).containsExactly("/renamed/a");
    assertThat(status().state).isEqualTo("working");
  }

  @Test
  @Tag("full")
  void aServiceThatLosesItsLeaseWhileItWaitsDoesNotEndAsIfAllWereWell() throws Exception {
    cluster.fs().mkdirs(new Path("/waits"));
    rules(rule("waits", "/waits", COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service = service(fs);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      awaitPass(1);
      rename(new Path(jobs, "service.lease"), new Path(jobs, "other"));
      assertThatThrownBy(() -> serving.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining("another service can have the lease now");
    }
  }

  @Test
  void aClockThatIsPutBackDoesNotDelayThePasses() throws Exception {
    cluster.fs().mkdirs(new Path("/back"));
    rules(rule("back", "/back", COPY));
    AtomicLong skipped = new AtomicLong();
    Ticker ticker =
        new Ticker() {
          @Override
          public long nanos() {
            return Ticker.SYSTEM.nanos() + skipped.get();
          }

          @Override
          public void timedWait(Object monitor, long timeoutNanos) throws InterruptedException {
            Ticker.SYSTEM.timedWait(
                monitor, Math.min(timeoutNanos, TimeUnit.MILLISECONDS.toNanos(20)));
          }
        };
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service = service(fs, this::job, ticker);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      awaitPass(1);
      clock.set("02:00");
      skipped.set(TimeUnit.HOURS.toNanos(1));
      awaitPass(2);
      assertThat(status().nextPassMs).isEqualTo(clock.millis() + 3_600_000);
      service.stop();
      assertThat(serving.get(60, TimeUnit.SECONDS)).isEqualTo(ExitStatus.SOUND);
    }
  }

  @Test
  void aServiceDoesNotChangeAJobOfANewerVersion() throws Exception {
    write("/newer/a", 2, 3);
    rules(rule("newer", "/newer", COPY));
    JobSettings settings = RulesFile.read(rules.toString()).get(0).job("/newer", List.of());
    settings.format = JobSettings.FORMAT + 1;
    JobDirectory job = JobDirectory.create(cluster.fs(), jobs, "newer", settings);
    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).isEqualTo(ExitStatus.FAILED);
    }
    assertThat(swapped).isEmpty();
    assertThat(job.contents().isUnfinished()).isTrue();
    assertThat(said.toString())
        .contains("its format is 2 and this version of the command knows 1")
        .contains("may be on the same files")
        .doesNotContain("delete the directory");
    try (Driver driver = new Driver(cluster.client(), jobs, JobObserver.NONE, StepListener.NONE)) {
      assertThatThrownBy(() -> driver.resume(null, "newer", new JobTuning()))
          .hasMessageContaining("use the version that began the job");
    }
    List<String> list = List.of("convert", "--list", "/", "--job-directory=" + jobs);
    assertThat(ConvertMain.run(cluster, out, err, list)).as(err.toString()).isZero();
  }

  @Test
  void settingsWithoutAFormatAreThoseOfTheFirst() throws Exception {
    Path job = new Path(jobs, "old");
    cluster.fs().mkdirs(new Path(jobs), JobDirectory.PRIVATE);
    cluster.fs().mkdirs(job, JobDirectory.PRIVATE);
    try (OutputStream file = cluster.fs().create(new Path(job, "job.json"))) {
      file.write("{\"path\": \"/old\"}".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(JobDirectory.all(cluster.fs(), jobs).get(0).settings().format).isEqualTo(1);
  }

  private static void rename(Path from, Path to) {
    try {
      assertThat(cluster.fs().rename(from, to)).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
