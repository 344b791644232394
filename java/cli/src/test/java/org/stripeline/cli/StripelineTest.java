// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Release;
import org.stripeline.testkit.CommandRun;
import picocli.CommandLine.Command;

class StripelineTest {
  @TempDir Path temporary;

  /** The command that was run last. */
  private CommandRun last;

  private int run(String... arguments) {
    last = CommandRun.of(Stripeline.commandLine(), arguments);
    return last.status();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|no command is named",
        "clustr|Did you mean: stripeline cluster",
        "cluster|name a command",
        "cluster start|Missing required option: '--dir=DIR'",
        "cluster start --dir=d --datanodes=0|datanodes must be 1 to 200, not 0",
        "cluster start --dir=d --datanodes=many|'many' is not an int",
        "cluster start --dir=d --racks=|rack '' is not of the form /name",
        "cluster start --dir=d --racks=0|racks must be 1 to 200, not 0",
        "cluster start --dir=d --racks=/a,/b/c|differ in depth",
        "cluster start --dir=d --port=65536|port must be 1 to 65535, not 65536",
        "cluster start --dir=d --heap-mib=4|heap must be 128 MiB or more, not 4",
        "cluster start --dir=d --set=key|should be in KEY=VALUE format",
        "cluster start --dir=d extra|Unmatched argument at index 3: 'extra'",
        "cluster stop-datanode --dir=d|Missing required parameter: 'ID'",
        "cluster status --dir=d --format=json|Unknown option: '--format=json'",
        "bench|name what to measure",
        "hdfs|name one of dfs, fsck, ec, debug, dfsadmin",
        "hdfs dsf -ls /|Cannot run hdfs dsf: name one of dfs",
        "convert hdfs://127.0.0.1:1/a --policy=RS-6-3 --glob=[|Cannot read --glob=[: error parsing",
        "convert /a --policy=RS-6-3 --dry-run --execute|Cannot use --dry-run with --execute",
        "convert /a --resume --dry-run|leave --dry-run out",
        "help convrt|Unknown subcommand 'convrt' of stripeline",
        "help cluster stopp|Unknown subcommand 'stopp' of stripeline cluster",
        "help hdfs dfs|Try 'stripeline hdfs --help'",
        "version --jsn|Possible solutions: --json",
        "plan /a --archive-cost=0.5|Cannot use --archive-cost without --storage-policy=COLD: only",
      })
  void aWrongCommandLineIsExplained(String arguments, String expected) {
    String[] words = arguments == null ? new String[0] : arguments.split(" ");

    assertThat(run(words)).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).startsWith("stripeline: ").contains(expected);
    assertThat(last.out()).isEmpty();
  }

  @Test
  void helpAndVersionGoToStandardOutput() {
    assertThat(run("--help")).isZero();
    assertThat(last.out()).contains("Commands:").contains("HADOOP_CONF_DIR");
    assertThat(last.err()).isEmpty();
    assertThat(run("--version")).isZero();
    assertThat(last.out()).contains("stripeline " + Release.version());
    assertThat(last.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "convert -help",
        "cluster start -help",
        "cluster stop -help",
        "help convert",
        "help cluster",
        "help cluster stop-datanode",
        "help bench io",
        "help help"
      })
  void helpIsAlsoWrittenAsInHadoop(String arguments) {
    assertThat(run(arguments.split(" "))).isZero();
    assertThat(last.out())
        .contains("Usage: stripeline " + arguments.replaceAll("^help | -help$", "") + " [");
    assertThat(last.err()).isEmpty();
  }

  @Test
  void versionIsAlsoPrintedAsJson() {
    assertThat(run("version", "--json")).isZero();
    assertThat(last.out()).contains("\"hadoop\": \"" + Release.hadoopVersion() + "\"");
  }

  @Test
  void aDirectoryWithoutClusterCannotBeChecked() {
    assertThat(run("cluster", "status", "--dir=" + temporary)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err())
        .contains("Cannot find cluster: " + temporary + " holds none")
        .contains("stripeline cluster start --dir=");
  }

  @Test
  void stoppingAStoppedClusterSucceeds() {
    assertThat(run("cluster", "stop", "--dir=" + temporary)).isEqualTo(ExitStatus.SOUND);
    assertThat(last.err()).contains("No cluster runs in " + temporary);
  }

  @Test
  void commandsForARunningClusterSayThatNoneRuns() {
    assertThat(run("cluster", "add-datanode", "--dir=" + temporary)).isEqualTo(ExitStatus.FAILED);
    assertThat(last.err()).contains("Cannot reach cluster: none runs in " + temporary);
  }

  @Test
  void aDirectoryWithOtherFilesIsNotChanged() throws Exception {
    Path file = Files.write(temporary.resolve("thesis.txt"), new byte[] {1});

    assertThat(run("cluster", "start", "--dir=" + temporary)).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains("it contains other files and no cluster");
    for (String bench : new String[] {"io", "convert"}) {
      assertThat(run("bench", bench, "--dir=" + temporary)).isEqualTo(ExitStatus.USAGE);
      assertThat(last.err()).contains("Cannot use " + temporary + ": it is not empty");
    }
    assertThat(temporary.toFile().list()).containsExactly("thesis.txt");
    assertThat(file).hasBinaryContent(new byte[] {1});
  }

  @Test
  void aCrashIsNotAResult() {
    CommandRun run = CommandRun.of(CommandStyle.commandLine(new Crash()));

    assertThat(run.require(ExitStatus.UNCHECKED).err())
        .contains("stripeline: Cannot continue: java.lang.NoClassDefFoundError: ssj/Missing");
  }

  @Command(name = "crash")
  private static final class Crash implements Runnable {
    @Override
    public void run() {
      throw new NoClassDefFoundError("ssj/Missing");
    }
  }

  @Test
  void anUnreadableDescriptionIsNamed() throws Exception {
    Files.write(temporary.resolve("cluster.json"), "{".getBytes());

    assertThat(run("cluster", "status", "--dir=" + temporary)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains("Cannot read " + temporary.resolve("cluster.json"));
  }

  @Test
  void statusSaysThatHdfsDoesNotAnswer() {
    // Nothing listens on the first port.
    assertThat(run("status", "hdfs://127.0.0.1:1", "-Dipc.client.connect.max.retries=0"))
        .isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains("Cannot show the jobs: ").contains("Connection refused");
  }
}
