// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.Topology;
import org.stripeline.plan.source.PlannedFiles;
import org.stripeline.terminal.Progress;

/**
 * Plans large images. The full size, 10 million blocks in less than 2 minutes and 4 GiB, is
 *
 * <pre>
 * mvn -f java/pom.xml -pl plan -am test -Dtest=PlanSpeedTest
 *     -Dsurefire.failIfNoSpecifiedTests=false
 *     "-Dsurefire.jvm.arguments=-Xmx4g -Dstripeline.plan.blocks=10000000"
 * </pre>
 */
class PlanSpeedTest {
  private static final long BLOCKS = Long.getLong("stripeline.plan.blocks", 100_000);
  private static final long BLOCK_BYTES = 128L << 20;
  private static final long NANOS_MAX = 120_000_000_000L;

  @TempDir Path temporary;

  @ParameterizedTest
  @ValueSource(strings = {"image.xml", "image.xml.gz", "image.txt", "image.txt.gz"})
  void aLargeImageIsPlannedInTimeAndMemory(String name) throws Exception {
    Path file = temporary.resolve(name);
    ImageGenerator generator = new ImageGenerator(7, BLOCKS);
    if (name.contains(".xml")) {
      generator.writeXml(file);
    } else {
      generator.writeDelimited(file);
    }
    PlanSettings settings = new PlanSettings();
    settings.code = CodeName.parse("RS-6-3", 1 << 20);
    settings.depth = 2;
    settings.racks = 20;
    settings.nodes = 400;

    // CPU time of this process including its garbage collector: other processes may use the machine
    // at the same time.
    long start = System.nanoTime();
    long startCpu = cpuNanos();
    Plan plan =
        Plan.ofImage(settings, file, Progress.onStandardError(new PrintWriter(new StringWriter())));
    long usedNanos = cpuNanos() - startCpu;
    long nanos = System.nanoTime() - start;

    PlanReport report = (PlanReport) plan.forJson();
    assertThat(report.total.files).isEqualTo(generator.files);
    assertThat(report.total.blocks).isEqualTo(generator.blocks).isEqualTo(BLOCKS);
    assertThat(report.total.bytes).isEqualTo(generator.bytes);
    assertThat(report.total.bytesNow).isEqualTo(3 * generator.bytes);
    assertThat(report.total.bytesAfter).isBetween(generator.bytes * 3 / 2, generator.bytes * 2);
    assertThat(report.moves.isExpected).isTrue();
    assertThat(usedNanos).isLessThan(NANOS_MAX);
    System.out.printf(
        "%s: %d files, %d blocks, %d MiB of file, %.1f s, %.1f s of CPU, heap %d MiB%n",
        name,
        report.total.files,
        BLOCKS,
        Files.size(file) >> 20,
        nanos / 1e9,
        usedNanos / 1e9,
        Runtime.getRuntime().totalMemory() >> 20);
  }

  @Test
  void manyGroupsWithLocationsArePlannedInTime() {
    Topology topology = Topology.uniform(20, 20);
    PlanSettings settings = new PlanSettings();
    settings.code = CodeName.parse("RS-6-3", 1 << 20);
    PlanCalculator calculator =
        new PlanCalculator(
            settings,
            null,
            new LocatedTraffic(() -> topology, RackRules.OF_HDFS, 0, true),
            new DirectoryRows("/", 1, 1000, 6));
    SplittableRandom random = new SplittableRandom(9);

    long startCpu = cpuNanos();
    int count;
    for (long blocks = 0; blocks < BLOCKS; blocks += count) {
      count = (int) Math.min(1 + random.nextInt(40), BLOCKS - blocks);
      long[] lengths = new long[count];
      Arrays.fill(lengths, BLOCK_BYTES);
      int[][] replicas = new int[count][];
      Arrays.setAll(replicas, i -> replicas(random));
      String path = "/d" + blocks % 100 + "/f" + blocks;
      calculator.accept(
          PlannedFiles.located(PlannedFiles.of(path, BLOCK_BYTES, 3, lengths), replicas));
    }
    long usedNanos = cpuNanos() - startCpu;

    Tally all = calculator.rollUp().get("/");
    assertThat(all.all.blocks).isEqualTo(BLOCKS);
    assertThat(all.traffic.unplaceable).isZero();
    assertThat(all.traffic.adoptedBlocks)
        .isGreaterThan(0.95 * (all.traffic.adoptedBlocks + all.traffic.sentBlocks));
    assertThat(usedNanos).isLessThan(NANOS_MAX);
    System.out.printf(
        "locations: %d blocks, %d groups, %.1f s of CPU%n",
        BLOCKS, all.traffic.groups, usedNanos / 1e9);
  }

  private static long cpuNanos() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
  }

  /** Returns nodes as HDFS places replicas: one on a random rack, and two on another rack. */
  private static int[] replicas(SplittableRandom random) {
    int first = random.nextInt(400);
    int rack = (first / 20 + 1 + random.nextInt(19)) % 20;
    int second = random.nextInt(20);
    int third = (second + 1 + random.nextInt(19)) % 20;
    return new int[] {first, 20 * rack + second, 20 * rack + third};
  }
}
