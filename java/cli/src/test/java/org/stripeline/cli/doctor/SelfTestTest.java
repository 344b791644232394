// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SelfTestTest {
  @Test
  void aWrongAnswerIsAFailure() {
    DoctorReport.SelfTest report = new DoctorReport.SelfTest();
    new SelfTest(report).test("xor", 6, 1, "xor_java", 0);

    assertThat(report.failures).containsExactly("xor 6+1: parity differs from the known answer");
    assertThat(report.patterns).isEqualTo(7);
  }

  @Test
  void aMissingCoderIsAFailure() {
    DoctorReport.SelfTest report = new DoctorReport.SelfTest();
    new SelfTest(report).test("xor", 6, 1, "rs_java", 0xe8944c07);

    assertThat(report.failures)
        .containsExactly("xor 6+1: java.io.IOException: coder rs_java is not on the class path");
  }
}
