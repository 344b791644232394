// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;

/** Tests that the progress of a job advances within a file, and is taken back if the file fails. */
class JobProgressTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  private final Recorder recorder = new Recorder();

  /** Keeps the bytes of each report of progress. */
  private static final class Recorder implements JobObserver {
    final List<Long> steps = new CopyOnWriteArrayList<>();
    volatile long atEnd = -1;

    @Override
    public void advanced(long bytes) {
      steps.add(bytes);
    }

    @Override
    public void ended(String path, long bytes, FileOutcome outcome) {
      atEnd = sum();
    }

    long sum() {
      return steps.stream().mapToLong(Long::longValue).sum();
    }
  }

  @BeforeAll
  static void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private JobReport run(JobSettings settings, String job, StepListener listener)
      throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), recorder, listener)) {
      return driver.execute(settings, job);
    }
  }

  @Test
  void adoptionAdvancesByGroupAndUndoByBytes() throws Exception {
    int bytes = 7 * BLOCK + 4711;
    byte[] content = cluster.write("/adopted/a", bytes);

    assertThat(run(ConvertCluster.contiguous("/adopted", CODE), "adopted", StepListener.NONE))
        .extracting(JobReport::converted)
        .isEqualTo(1L);
    assertThat(recorder.steps)
        .containsExactlyInAnyOrder(3L * BLOCK, 3L * BLOCK, (long) BLOCK + 4711);
    assertThat(recorder.atEnd).isEqualTo(bytes);

    recorder.steps.clear();
    JobSettings undo = ConvertCluster.undo("/adopted");
    assertThat(run(undo, "undone", StepListener.NONE).converted()).isEqualTo(1);
    // The source is read, the copy is written, and its replicas are read.
    assertThat(recorder.steps).hasSizeGreaterThan(8).allMatch(step -> 0 < step && step <= BLOCK);
    assertThat(recorder.atEnd).isEqualTo(bytes);
    assertThat(cluster.read("/adopted/a")).isEqualTo(content);
  }

  @Test
  void mapsAdvanceWhenTheyEnd() throws Exception {
    int bytes = 7 * BLOCK + 4711;
    cluster.write("/mapped/a", bytes);

    JobSettings settings = ConvertCluster.mapped(ConvertCluster.striped("/mapped", CODE));
    assertThat(run(settings, "mapped", StepListener.NONE).converted()).isEqualTo(1);

    assertThat(recorder.steps).hasSizeGreaterThan(1).allMatch(step -> step > 0);
    assertThat(recorder.atEnd).isEqualTo(bytes);
  }

  @Test
  void bytesOfAFileThatFailsAreTakenBack() throws Exception {
    cluster.write("/failing/a", 7 * BLOCK);
    StepListener failing =
        (step, path) -> {
          if (step == Step.VERIFIED) {
            throw new IllegalStateException("injected");
          }
        };

    JobReport report = run(ConvertCluster.striped("/failing", CODE), "failing", failing);

    assertThat(report.failed()).isEqualTo(1);
    assertThat(recorder.steps).contains(-7L * BLOCK);
    assertThat(recorder.atEnd).isZero();
  }
}
