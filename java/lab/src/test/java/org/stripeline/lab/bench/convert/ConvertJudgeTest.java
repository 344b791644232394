// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stripeline.lab.bench.Judgement;

/** Tests ratios within repetitions, and their thresholds. */
class ConvertJudgeTest {
  private final List<ConvertSample> samples = new ArrayList<>();

  private void sample(
      String code, ConversionMethod method, int repetition, double seconds, double cpu) {
    ConvertSample sample = new ConvertSample();
    sample.code = code;
    sample.method = method.label();
    sample.repetition = repetition;
    sample.seconds = seconds;
    sample.jobSeconds = method.isInPlace() ? seconds : 0;
    sample.mibPerSecond = 1000 / seconds;
    sample.clientCpuSecondsPerGib = cpu;
    samples.add(sample);
  }

  private Judgement only(boolean shaped, boolean rough) {
    List<Judgement> judgements = new ConvertJudge(samples, shaped, rough).judge();
    assertThat(judgements).hasSize(1);
    return judgements.get(0);
  }

  @Test
  void comparesAdoptionWithTheFastestCopyOfItsRepetition() {
    sample("RS-6-3", ConversionMethod.ADOPT, 0, 10, 3);
    sample("RS-6-3", ConversionMethod.CP, 0, 30, 5);
    sample("RS-6-3", ConversionMethod.CP_4, 0, 19, 5);
    sample("RS-6-3", ConversionMethod.ADOPT, 1, 5, 3);
    sample("RS-6-3", ConversionMethod.CP, 1, 10.5, 5);

    List<Judgement> judgements = new ConvertJudge(samples, false, false).judge();

    assertThat(judgements).extracting(j -> j.verdict).containsExactly("kept", "MISSED");
    assertThat(judgements.get(0).value).isBetween(1.99, 2.01);
    assertThat(judgements.get(1).value).isBetween(0.59, 0.61);
  }

  @Test
  void requiresFourTimesTheCopyRateOnShapedLinks() {
    sample("RS-6-3", ConversionMethod.ADOPT, 0, 10, 3);
    sample("RS-6-3", ConversionMethod.DISTCP, 0, 39, 5);

    assertThat(only(true, false).verdict).isEqualTo("MISSED");
    assertThat(only(true, true).verdict).isEqualTo("not judged");
  }

  @Test
  void comparesPlacementWithThePaper() {
    sample("RS-10-2", ConversionMethod.ADOPT, 0, 16, 3);
    sample("RS-10-2", ConversionMethod.ADOPT_EAR, 0, 10, 3);

    assertThat(only(true, false).verdict).isEqualTo("kept");
    samples.get(0).jobSeconds = 15;
    assertThat(only(true, false).verdict).isEqualTo("MISSED");
  }

  @Test
  void judgesNothingWithoutACopyToCompare() {
    sample("RS-6-3", ConversionMethod.ADOPT, 0, 10, 3);
    sample("RS-6-3", ConversionMethod.STRIPED, 0, 39, 5);

    assertThat(new ConvertJudge(samples, false, false).judge()).isEmpty();
  }
}
