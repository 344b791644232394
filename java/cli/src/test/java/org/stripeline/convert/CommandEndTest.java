// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.fixture.ConvertProcessCase;
import org.stripeline.convert.fixture.HadoopProcess;

/** What a conversion in its own process says when a signal or the loss of HDFS ends it. */
@Timeout(360)
@Tag("full")
class CommandEndTest extends ConvertProcessCase {
  private void begin(String... arguments) throws IOException {
    Configuration conf = new Configuration(cluster.conf());
    conf.setInt("ipc.client.connect.max.retries", 1);
    List<String> words = new ArrayList<>(List.of("convert"));
    words.addAll(Arrays.asList(arguments));
    // Background processes of a shell ignore SIGINT, and so would their children.
    begin(
        jvm(Stripeline.class, conf, words.toArray(new String[0]))
            .under(List.of("env", "--default-signal=INT"))
            .with("-Dlog4j.configuration=org/stripeline/cli/log4j.properties")
            .environment("HOME", directory.toString()));
  }

  /** Begins a job that is slow enough to be ended in the middle of a file. */
  private void beginJob() throws Exception {
    begin(
        cluster.uri() + "/tree",
        "--policy=RS-3-2",
        "--allow-rack-loss",
        "--throttle=" + SLOW,
        "--files-at-once=1",
        "--job=a-tree",
        "--execute");
    awaitBegun("/tree/f1");
  }

  private int status() throws Exception {
    // For two minutes agents that have lost the NameNode are asked again, as in a failover.
    return awaitEnd(240);
  }

  private String resumption() {
    return "Continue with: stripeline convert " + cluster.uri() + "/tree --resume --job=a-tree";
  }

  @Test
  void anInterruptSaysHowToContinue() throws Exception {
    beginJob();
    HadoopProcess.signal(command, "INT");
    assertThat(status()).isEqualTo(130);
    String said = said();
    assertThat(said)
        .containsOnlyOnce("Interrupted, exit status 130 (Ctrl-C) or 143 (SIGTERM).")
        .containsOnlyOnce(resumption())
        .contains("until their lease expires", "agents stop by themselves")
        .doesNotContain("Exception", "\tat ", "FAILED", "Cannot");

    cluster.mini.setLeasePeriod(500, 3_600_000);
    begin(cluster.uri() + "/tree", "--resume", "--job=a-tree");
    assertThat(status()).as(said()).isZero();
    assertThat(said()).doesNotContain("Interrupted");
    for (int i = 0; i < FILES; i++) {
      assertThat(cluster.policy("/tree/f" + i)).isEqualTo("RS-3-2-1024k");
      cluster.assertHealthy("/tree/f" + i);
    }
  }

  @Test
  void aLostNameNodeIsOneLineAndTheWayToContinue() throws Exception {
    beginJob();
    String before = said();
    cluster.mini.shutdownNameNode(0);
    assertThat(status()).isEqualTo(3);
    String after = said().substring(before.length());
    assertThat(after.split("\n"))
        .as(after)
        .filteredOn(line -> !line.contains(" convert ") && !line.contains("Log messages"))
        .filteredOn(line -> !line.contains("Cannot record the status"))
        .hasSize(1)
        .allMatch(line -> line.startsWith("stripeline: Cannot continue: "));
    assertThat(after).contains(resumption()).doesNotContain("\tat ");
  }
}
