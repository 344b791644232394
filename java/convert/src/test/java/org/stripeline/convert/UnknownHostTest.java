// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

/** Tests that an address of no host has the exit status of an HDFS that does not answer. */
class UnknownHostTest {
  private static final String HDFS = "hdfs://no-such-host.invalid:1/";

  private static void assertUnchecked(String what, Object command, String... arguments) {
    StringWriter err = new StringWriter();
    CommandLine line = CommandStyle.commandLine(command);
    line.setOut(new PrintWriter(new StringWriter()));
    line.setErr(new PrintWriter(err));
    assertThat(line.execute(arguments)).as(err.toString()).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(err.toString()).contains("Cannot " + what + " " + HDFS).contains("no-such-host");
  }

  @Test
  void nothingIsCheckedOnAnUnknownHost() {
    assertUnchecked("convert", new ConvertCommand(), HDFS, "--policy=RS-6-3");
    assertUnchecked("control the jobs of", new ConvertCommand(), HDFS, "--status");
    assertUnchecked("show the jobs of", new StatusCommand(), HDFS);
  }
}
