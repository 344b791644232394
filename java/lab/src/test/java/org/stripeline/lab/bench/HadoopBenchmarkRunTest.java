// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.hadoop.io.erasurecode.rawcoder.NoOpCoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.lab.LabMain;
import org.stripeline.testkit.CommandRun;

class HadoopBenchmarkRunTest {

  /** Without and with a pass to warm up. */
  @ParameterizedTest
  @ValueSource(strings = {"0.05", "0.2"})
  void hadoopsBenchmarkTimesAContestantInItsOwnJvm(String seconds) throws Exception {
    BenchCoder contestant = BenchCoder.STRIPELINE_JAVA;
    List<String> lines =
        BenchmarkJvm.run(
            HadoopBenchmarkRun.class,
            contestant.jvmArguments(),
            contestant.name(),
            "encode",
            "1",
            seconds,
            "1024");
    assertThat(Double.parseDouble(lines.get(lines.size() - 1))).isPositive();
  }

  @Test
  void everyContestantsBytesAreRight() throws Exception {
    for (BenchCoder contestant : BenchCoder.values()) {
      assertThat(CoderCheck.findFault(contestant.factory(), contestant.codesLikeRsJava(), 6, 3))
          .as(contestant.label())
          .isNull();
    }
  }

  @Test
  void aCoderThatCodesNothingIsDetected() throws Exception {
    assertThat(CoderCheck.findFault(new NoOpCoderFactory(), true, 6, 3))
        .isEqualTo("unit 6 differs from rs_java's");
  }

  @Test
  void throughputIsReadFromTheOutputOfTheBenchmark() {
    assertThat(
            HadoopBenchmarkRun.throughput("Total time: 1 s.\nTotal throughput: 1234.5 MB/s\nMin"))
        .isEqualTo(1234.5);
    assertThatThrownBy(() -> HadoopBenchmarkRun.throughput("Usage: ..."))
        .hasMessageContaining("the benchmark printed Usage");
  }

  @Test
  void numbersOutOfRangeAreUsageErrors() {
    assertThat(refused("--rounds=0")).contains("Cannot measure 0 rounds");
    assertThat(refused("--chunk-kib=21505")).contains("21505 KiB");
  }

  private static String refused(String option) {
    return CommandRun.of(LabMain.commandLine(), "bench", "java", option).require(2).err();
  }
}
