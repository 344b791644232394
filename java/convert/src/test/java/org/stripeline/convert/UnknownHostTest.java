// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;

/** Tests that an address of no host has the exit status of an HDFS that does not answer. */
class UnknownHostTest {
  private static final String HDFS = "hdfs://no-such-host.invalid:1/";

  private static void assertUnchecked(String what, Object command, String... arguments) {
    CommandRun run =
        CommandRun.of(CommandStyle.commandLine(command), arguments).require(ExitStatus.UNCHECKED);
    assertThat(run.err()).contains("Cannot " + what + " " + HDFS).contains("no-such-host");
  }

  @Test
  void nothingIsCheckedOnAnUnknownHost() {
    assertUnchecked("convert", new ConvertCommand(), HDFS, "--policy=RS-6-3");
    assertUnchecked("control the jobs of", new ConvertCommand(), HDFS, "--status");
    assertUnchecked("show the jobs of", new StatusCommand(), HDFS);
  }
}
