// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Plans large images. The full size, 10 million blocks in less than 2 minutes and 4 GiB, is
 *
 * <pre>
 * mvn -f java/pom.xml -pl tools -am test -Dtest=PlanSpeedTest -Dsurefire.failIfNoSpecifiedTests=false
 *     "-Dsurefire.jvm.arguments=-Xmx4g -Dstripeline.plan.blocks=10000000"
 * </pre>
 */
class PlanSpeedTest {
  private static final long BLOCKS = Long.getLong("stripeline.plan.blocks", 100_000);
  private static final long NANOS_MAX = 120_000_000_000L;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

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
    settings.code = TargetCode.parse("RS-6-3", 1 << 20);
    settings.depth = 2;
    settings.racks = 20;
    settings.nodes = 400;

    // Time of this thread, which does all the work: others may use the machine meanwhile.
    long start = System.nanoTime();
    long startCpu = THREADS.getCurrentThreadCpuTime();
    Plan plan = Plan.ofImage(settings, file, new PrintWriter(new StringWriter()));
    long cpuNanos = THREADS.getCurrentThreadCpuTime() - startCpu;
    long nanos = System.nanoTime() - start;

    PlanReport report = (PlanReport) plan.forJson();
    assertThat(report.total.files).isEqualTo(generator.files);
    assertThat(report.total.blocks).isEqualTo(generator.blocks).isEqualTo(BLOCKS);
    assertThat(report.total.bytes).isEqualTo(generator.bytes);
    assertThat(report.total.bytesNow).isEqualTo(3 * generator.bytes);
    assertThat(report.total.bytesAfter).isBetween(generator.bytes * 3 / 2, generator.bytes * 2);
    assertThat(report.moves.isExpected).isTrue();
    assertThat(cpuNanos).isLessThan(NANOS_MAX);
    System.out.printf(
        "%s: %d files, %d blocks, %d MiB of file, %.1f s, %.1f s of CPU, heap %d MiB%n",
        name, report.total.files, BLOCKS, Files.size(file) >> 20, nanos / 1e9, cpuNanos / 1e9,
        Runtime.getRuntime().totalMemory() >> 20);
  }
}
