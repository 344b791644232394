// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.stripeline.terminal.Spread;

class JavaBenchReportTest {

  @Test
  void ratiosAreFormedRoundByRoundAndJudged() {
    JavaBenchReport report = report(21, 0.9, 390);
    assertThat(report.isKept()).isTrue();
    assertThat(report.render())
        .contains("kept       encode, direct buffers, times rs_java: 21.00")
        .contains("kept       decode, heap buffers, times direct buffers: 0.90")
        .contains("kept       encode direct 64-byte cells, ns per call: 390.00")
        .contains("decode rs-legacy_java");
  }

  @Test
  void everyThresholdCanBeMissed() {
    assertThat(report(19, 0.9, 390).render()).contains("MISSED     encode, direct buffers");
    assertThat(report(21, 0.8, 390).render()).contains("MISSED     decode, heap buffers");
    assertThat(report(21, 0.9, 410).render()).contains("MISSED     decode-1 direct 64-byte cells");
    assertThat(report(21, 0.9, 410).isKept()).isFalse();
  }

  @Test
  void medianLiesBetweenTheMiddleValues() {
    assertThat(Spread.of(Arrays.asList(3.0, 1.0, 2.0)).median).isEqualTo(2);
    assertThat(Spread.of(Arrays.asList(4.0, 1.0)).median).isEqualTo(2.5);
  }

  /**
   * Returns a report of three rounds, each twice as fast as the previous one, which must not affect
   * ratios.
   */
  private static JavaBenchReport report(double overRsJava, double heapOverDirect, double nanos) {
    JavaBenchReport report = new JavaBenchReport(3, 1, 1024, 1);
    for (int round = 0; round < 3; round++) {
      double base = 1 << round;
      for (String operation : new String[] {"encode", "decode"}) {
        double direct = base * overRsJava;
        report.addThroughput(BenchCoder.STRIPELINE_DIRECT, operation, direct);
        report.addThroughput(BenchCoder.STRIPELINE_HEAP, operation, direct * heapOverDirect);
        report.addThroughput(BenchCoder.RS_JAVA, operation, base);
        report.addThroughput(BenchCoder.RS_LEGACY_JAVA, operation, base / 4);
      }
      report.addCallCosts(
          Arrays.asList("encode direct 64 " + nanos, "decode-1 direct 64 " + nanos));
    }
    report.judge();
    return report;
  }
}
