// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stripeline.lab.bench.io.IoSettings;

class ScrubBenchReportTest {
  private static final int GIB = 1 << 30;

  private final ScrubSettings settings = new ScrubSettings();
  private final ScrubBenchReport report = new ScrubBenchReport();

  private void sample(ScrubMethod method, int repetition, double seconds, long networkBytes) {
    ScrubSample sample = new ScrubSample();
    sample.method = method.label();
    sample.repetition = repetition;
    sample.seconds = seconds;
    sample.networkBytes = networkBytes;
    report.samples.add(sample);
  }

  private void conclude(boolean ownNetwork) {
    settings.policy = IoSettings.policy("RS-6-3-1024k");
    settings.files = 2;
    settings.fileBytes = GIB;
    settings.ownNetwork = ownNetwork;
    report.describe(settings);
    report.conclude();
  }

  @Test
  void ratiosAreOfTheSameRepetition() {
    sample(ScrubMethod.SCRUB, 0, 2, GIB / 500);
    sample(ScrubMethod.VERIFY_EC, 0, 12, 3L * GIB);
    sample(ScrubMethod.VERIFY_EC, 1, 60, 3L * GIB);
    sample(ScrubMethod.SCRUB, 1, 10, GIB / 400);
    sample(ScrubMethod.SCRUB, 2, 1, GIB / 400);
    conclude(true);

    assertThat(report.timesFaster.median).isEqualTo(6);
    assertThat(report.judgements).extracting(j -> j.verdict).containsExactly("kept", "MISSED");
    assertThat(report.isSound(false)).isTrue();
    assertThat(report.isSound(true)).isFalse();
    assertThat(report.text()).contains("MISSED     bytes of scrub on the network");
  }

  @Test
  void aProcessorWithoutANameIsUnnamed() {
    conclude(true);
    report.machine.processor = null;
    assertThat(report.text()).contains(", unnamed processor, ");
  }

  @Test
  void othersTrafficIsNotJudged() {
    sample(ScrubMethod.SCRUB, 0, 2, GIB);
    sample(ScrubMethod.VERIFY_EC, 0, 12, GIB);
    conclude(false);
    assertThat(report.judgements).extracting(j -> j.verdict).containsExactly("kept", "not judged");
    assertThat(report.text()).contains("and everything else that runs on this machine");
  }

  @Test
  void withoutBothMethodsThereIsNoRatio() {
    sample(ScrubMethod.SCRUB, 0, 2, GIB);
    conclude(true);
    assertThat(report.timesFaster).isNull();
    assertThat(report.judgements).isEmpty();
    assertThat(report.text()).contains("was not found, or not sought");
  }
}
