// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.JobJournals;
import org.stripeline.terminal.JavaRuntime;
import org.stripeline.testkit.Conditions;

/** What a conversion in its own process says when a signal or the loss of HDFS ends it. */
@Timeout(360)
@Tag("full")
class CommandEndTest {
  private static final int FILES = 4;

  @TempDir Path directory;
  private ConvertCluster cluster;
  private Process command;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("hdfs"),
            6,
            3,
            conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
    for (int i = 0; i < FILES; i++) {
      cluster.write("/tree/f" + i, 4 * ConvertCluster.BLOCK + 100 * i);
    }
  }

  @AfterEach
  void stop() {
    if (command != null) {
      command.destroyForcibly();
    }
    cluster.close();
  }

  private void begin(String... arguments) throws IOException {
    Configuration conf = new Configuration(cluster.conf());
    conf.setInt("ipc.client.connect.max.retries", 1);
    Path site = Files.createDirectories(directory.resolve("conf"));
    try (OutputStream out = Files.newOutputStream(site.resolve("hdfs-site.xml"))) {
      conf.writeXml(out);
    }
    List<String> line = new ArrayList<>();
    line.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(
        Arrays.asList("-Xmx256m", "-Dlog4j.configuration=org/stripeline/cli/log4j.properties"));
    line.addAll(JavaRuntime.hadoopArguments());
    line.addAll(JavaRuntime.compilerArguments());
    line.add(Stripeline.class.getName());
    line.add("convert");
    line.addAll(Arrays.asList(arguments));
    // Background processes of a shell ignore SIGINT, and so would their children.
    line.addAll(0, Arrays.asList("env", "--default-signal=INT"));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder
        .environment()
        .put("CLASSPATH", site + File.pathSeparator + System.getProperty("java.class.path"));
    builder.environment().put("HOME", directory.toString());
    builder.redirectErrorStream(true);
    builder.redirectOutput(directory.resolve("said").toFile());
    command = builder.start();
  }

  /** Begins a job that is slow enough to be ended in the middle of a file. */
  private void beginJob() throws Exception {
    begin(
        cluster.uri() + "/tree",
        "--policy=RS-3-2",
        "--allow-rack-loss",
        "--throttle=4MiB",
        "--files-at-once=1",
        "--job=a-tree",
        "--execute");
    Conditions.await(
        "the second file", () -> JobJournals.isBegun(cluster, "/tree/f1") || !command.isAlive());
    assertThat(command.isAlive()).as(said()).isTrue();
  }

  private int status() throws Exception {
    // For two minutes agents that have lost the NameNode are asked again, as in a failover.
    assertThat(command.waitFor(240, TimeUnit.SECONDS)).as(said()).isTrue();
    return command.exitValue();
  }

  private String said() throws IOException {
    return new String(Files.readAllBytes(directory.resolve("said")));
  }

  private String resumption() {
    return "Continue with: stripeline convert " + cluster.uri() + "/tree --resume --job=a-tree";
  }

  @Test
  void anInterruptSaysHowToContinue() throws Exception {
    beginJob();
    String pid = Long.toString(command.pid());
    assertThat(new ProcessBuilder("kill", "-INT", pid).start().waitFor()).isZero();
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
