// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.settings.JobSettings;
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

  @Test
  void aJobThatCannotBeSettledDoesNotEndTheService() throws Exception {
    write("/unsettled/a", 2, 3);
    write("/settled/a", 2, 3);
    rules(rule("one", "/unsettled", COPY), rule("other", "/settled", COPY));
    JobSettings settings = RulesFile.read(rules.toString()).get(0).job("/unsettled", List.of());
    JobDirectory job = JobDirectory.create(cluster.fs(), jobs, "unsettled", settings);
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

  private static void rename(Path from, Path to) {
    try {
      assertThat(cluster.fs().rename(from, to)).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
