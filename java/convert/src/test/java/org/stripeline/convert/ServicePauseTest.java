// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.terminal.ExitStatus;

/** Tests that a pause by hand stays until it is withdrawn by hand, whatever the service does. */
@Timeout(120)
class ServicePauseTest extends ServiceTestCase {
  private static final String NIGHT = "<window>22:00-06:00</window>";

  @BeforeAll
  static void letLeasesEndSoon() {
    cluster.mini.setLeasePeriod(500, 3_600_000);
  }

  private List<JobDirectory> unfinished() throws IOException {
    return JobDirectory.unfinished(cluster.fs(), jobs);
  }

  private JobDirectory only() {
    try {
      assertThat(unfinished()).hasSize(1);
      return unfinished().get(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void pause() {
    try {
      only().pause();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertPaused(String name) throws IOException {
    assertThat(only().name()).isEqualTo(name);
    assertThat(only().contents().request()).isEqualTo(JobDirectory.Request.PAUSE);
  }

  private void servesOnce() throws IOException {
    try (DistributedFileSystem fs = cluster.client()) {
      service(fs).serve(0);
    }
  }

  @Test
  void aPauseOutlastsTheWindow() throws Exception {
    for (String name : Arrays.asList("a", "b", "c")) {
      write("/night/" + name, 2, 3);
    }
    write("/day/a", 2, 3);
    rules(rule("night", "/night", NIGHT + COPY), rule("day", "/day", COPY));
    clock.set("23:00");
    listener =
        (step, path) -> {
          if (step == Step.SWAPPED && path.equals("/night/a")) {
            pause();
            clock.set("06:00");
          }
        };
    servesOnce();
    assertThat(swapped).containsExactly("/night/a", "/day/a");
    String job = only().name();
    assertPaused(job);
    assertThat(status().rules.get(0).last).isEqualTo("its window ended");

    clock.set("23:00");
    write("/day/b", 2, 3);
    servesOnce();
    assertPaused(job);
    assertThat(swapped).containsExactly("/night/a", "/day/a", "/day/b");
    assertThat(said.toString())
        .contains("Job " + job + " is paused, and stays so until --continue")
        .contains("job " + job + " on /night is paused; continue it with: stripeline convert");

    assertThat(only().proceed()).isTrue();
    servesOnce();
    assertThat(unfinished()).isEmpty();
    assertThat(swapped).containsExactly("/night/a", "/day/a", "/day/b", "/night/b", "/night/c");
  }

  @Test
  void aPauseOutlastsTheServiceWhichEndsInTime() throws Exception {
    write("/ended/a", 2, 3);
    write("/ended/b", 2, 3);
    rules(rule("ended", "/ended", COPY));
    listener =
        (step, path) -> {
          if (step == Step.SWAPPED) {
            pause();
          }
        };
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service = service(fs);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      await("the first file", () -> swapped.size() == 1);
      service.stop();
      serving.get(60, TimeUnit.SECONDS);
    }
    String job = only().name();
    assertPaused(job);
    assertThat(swapped).containsExactly("/ended/a");

    // The next services look at its files in progress once, and leave the job alone.
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service = service(fs);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      awaitPass(1);
      long length = cluster.fs().getFileStatus(only().journalFile()).getLen();
      clock.set("13:00");
      awaitPass(2);
      assertThat(cluster.fs().getFileStatus(only().journalFile()).getLen()).isEqualTo(length);
      service.stop();
      serving.get(60, TimeUnit.SECONDS);
    }
    assertPaused(job);
    only().cancel();
    servesOnce();
    assertThat(swapped).containsExactly("/ended/a", "/ended/b");
  }

  @Test
  void aFileInProgressIsRolledBackIfTheTimeEndsDuringAPause() throws Exception {
    write("/groups/a", 8, 3);
    byte[] before = cluster.read("/groups/a");
    rules(
        rule(
            "groups",
            "/groups",
            "<policy>XOR-2-1</policy><allow-rack-loss/><groups-at-once>1</groups-at-once>"));
    JobSettings settings = RulesFile.read(rules.toString()).get(0).job("/groups", List.of());
    AtomicBoolean isOver = new AtomicBoolean();
    listener =
        (step, path) -> {
          if (step == Step.ENCODED && isOver.compareAndSet(false, true)) {
            pause();
          }
        };
    assertThat(job(settings, null, JobObserver.NONE, isOver::get)).isEqualTo(ExitStatus.FAILED);
    assertPaused(only().name());
    assertThat(isConverted("/groups/a")).isFalse();
    assertThat(cluster.read("/groups/a")).isEqualTo(before);
    assertThat(cluster.fs().listStatus(only().temporaries())).isEmpty();

    assertThat(only().proceed()).isTrue();
    servesOnce();
    assertThat(isConverted("/groups/a")).isTrue();
    assertThat(cluster.read("/groups/a")).isEqualTo(before);
  }

  @Test
  void filesInProgressOfAPausedJobWhoseDriverDiedAreRolledBack() throws Exception {
    write("/died/a", 2, 3);
    rules(rule("died", "/died", COPY));
    JobSettings settings = RulesFile.read(rules.toString()).get(0).job("/died", List.of());
    DistributedFileSystem client = cluster.client();
    try (Driver driver =
        new Driver(client, jobs, JobObserver.NONE, new Crash(client, Step.CREATED, 1))) {
      assertThatThrownBy(() -> driver.execute(settings, "died")).isInstanceOf(Crash.Death.class);
    }
    only().pause();
    servesOnce();
    assertPaused("died");
    assertThat(cluster.fs().listStatus(only().temporaries())).isEmpty();
    assertThat(isConverted("/died/a")).isFalse();
    assertThat(only().proceed()).isTrue();
    servesOnce();
    assertThat(isConverted("/died/a")).isTrue();
  }
}
