// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.io.IoSettings;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;

/** Tests the arguments that the command line refuses before any work is done. */
class DemoCommandTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "demo --size=1MiB|Cannot write files of 1MiB: --size must be 8MiB or more",
        "demo --size=lots|Cannot read size 'lots': write for example 256MiB, 1GiB or 65536",
        "demo --rounds=0|Cannot repeat steps 0 times: --rounds must be 1 or more",
        "demo --policy=RS-7-1|Cannot use policy 'RS-7-1': it is none of RS-6-3-1024k",
        "demo --html=/no/such/demo.html|/no/such is not a writable directory",
        "demo --format=json|Unknown option: '--format=json'",
      })
  void usageErrorsExitWithTwo(String arguments, String message) {
    CommandRun run = CommandRun.of(LabMain.commandLine(), arguments.split(" "));
    assertThat(run.require(ExitStatus.USAGE).err()).contains(message).contains("--help");
  }

  /** The trees that are converted have at least two block groups. */
  @Test
  void smallFilesNeedTheSpaceOfTheTreesThatAreConverted() {
    assertThat(space(DemoSettings.LEAST_BYTES)).isEqualTo(5 * 2 * 6 * 32L << 20);
    assertThat(space(1L << 30)).isEqualTo(10L << 30);
  }

  private static long space(long bytes) {
    return new DemoSettings(IoSettings.policy("RS-6-3-1024k"), bytes, 1, false, "").spaceBytes();
  }
}
