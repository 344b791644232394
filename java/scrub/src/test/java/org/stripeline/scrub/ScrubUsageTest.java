// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.convert.LoginOptions;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

/** Command lines of {@code stripeline scrub} that are refused before a cluster is asked. */
class ScrubUsageTest {
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return execute(new ScrubCommand(), arguments);
  }

  private int execute(Object command, String... arguments) {
    CommandLine line = CommandStyle.commandLine(command);
    line.setOut(new PrintWriter(new StringWriter()));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @ParameterizedTest
  @CsvSource({
    "--groups-at-once=0, 1 to 256 are possible",
    "--groups-at-once=257, 1 to 256 are possible",
    "--rate-per-node=100KiB, at least 256KiB are possible",
    "--rate-per-node=fast, --rate-per-node",
    "--older-than=14, write for example 90m",
    "--fast, Unknown option",
    "relative/path, name an absolute path",
    "'', Can not create a Path from an empty string",
    "--ledger=, Can not create a Path from an empty string",
    "/data/.snapshot/s1/file, it is in a snapshot",
    "/.reserved/raw/data, it is another name of a tree"
  })
  void commandLinesAreRefusedWithTheReason(String argument, String reason) {
    int status =
        argument.startsWith("--") ? run("hdfs://localhost:1/data", argument) : run(argument);

    assertThat(status).as(err.toString()).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains(reason);
  }

  @Test
  void pathsMustBeOfOneHdfs() {
    assertThat(run("file:///data")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("is not HDFS; set HADOOP_CONF_DIR");
    assertThat(run("hdfs://one:1/data", "hdfs://two:1/data")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("it is on another file system than the first");
    assertThat(run()).isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void theDirectoryOfRecordsMustBeAnAbsolutePath() {
    for (String directory : new String[] {"", "relative"}) {
      int status =
          execute(new RepairCommand(), "hdfs://localhost:1/data", "--audit-directory=" + directory);
      assertThat(status).as(directory).isEqualTo(ExitStatus.USAGE);
    }
    assertThat(err.toString()).contains("--audit-directory=''", "name an absolute path");
  }

  @Test
  void anUnexpectedFailureIsNotChecked() {
    assertThatThrownBy(
            () ->
                new ScrubTarget(null, new LoginOptions(), "scrub")
                    .run(
                        () -> {
                          throw new IllegalStateException("a surprise");
                        }))
        .isInstanceOfSatisfying(
            CommandException.class,
            failed -> assertThat(failed.exitStatus()).isEqualTo(ExitStatus.UNCHECKED))
        .hasMessage("Cannot scrub: IllegalStateException: a surprise");
  }

  @Test
  void anHdfsThatDoesNotAnswerIsNotChecked() {
    assertThat(run("hdfs://no-such-host.invalid:1/data")).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(err.toString()).contains("no-such-host.invalid");
  }
}
