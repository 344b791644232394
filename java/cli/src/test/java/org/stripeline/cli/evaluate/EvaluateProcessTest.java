// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.terminal.JavaRuntime;
import org.stripeline.testkit.PageBrowser;

/** Runs an evaluation on a real cluster, kills it, and continues it. */
@Tag("full")
@Timeout(500)
class EvaluateProcessTest {
  private static final org.apache.hadoop.fs.Path USERS = new org.apache.hadoop.fs.Path("/users");

  @TempDir Path temporary;

  private Process process;

  @Test
  void aKilledEvaluationLeavesNoProcessAndContinues() throws Exception {
    Path directory = temporary.resolve("evaluation");
    start("evaluate", "--trial", "--only=placement", "--dir=" + directory);
    killDuring("placement-conversion", directory);

    start("evaluate", "--trial", "--only=placement", "--dir=" + directory);
    assertThat(process.waitFor()).as("without --resume").isEqualTo(2);
    start("evaluate", "--quick", "--full", "--dir=" + temporary.resolve("both"));
    assertThat(process.waitFor()).as("two sizes").isEqualTo(2);
    start("evaluate", "--trial", "--only=placement", "--dir=" + directory, "--resume");
    assertThat(process.waitFor()).isZero();
    JsonObject section = sections(directory).get(0).getAsJsonObject();
    JsonArray runs = section.getAsJsonArray("runs");
    assertThat(runs.get(0).getAsJsonObject().get("isEarlier").getAsBoolean()).isTrue();
    assertThat(runs.get(1).getAsJsonObject().get("isEarlier").getAsBoolean()).isFalse();
    assertThat(section.getAsJsonArray("figures")).hasSize(4);
    assertThat(directory.resolve("report.html")).isNotEmptyFile();
    assertThat(directory.resolve("plots/placement-1.svg")).content().startsWith("<!--");
    awaitNoProcess();
  }

  /** Killed while links are limited; then measured to the end, and shown in a browser. */
  @Test
  void codersClientsAndModelAreMeasured() throws Exception {
    Path directory = temporary.resolve("evaluation");
    List<String> arguments =
        List.of("evaluate", "--trial", "--only=coders,clients,model", "--dir=" + directory);
    List<String> networks = networks();
    start(arguments.toArray(new String[0]));
    killDuring("links", directory);
    assertThat(networks()).isEqualTo(networks);

    List<String> again = new ArrayList<>(arguments);
    again.add("--resume");
    start(again.toArray(new String[0]));
    int status = process.waitFor();
    List<String> leftOut = new ArrayList<>();
    for (JsonElement section : sections(directory)) {
      for (JsonElement run : section.getAsJsonObject().getAsJsonArray("runs")) {
        JsonObject one = run.getAsJsonObject();
        assertThat(one.get("failed").isJsonNull()).as("%s", one).isTrue();
        if (!one.get("leftOut").isJsonNull()) {
          leftOut.add(one.get("leftOut").getAsString());
        }
      }
      assertThat(section.getAsJsonObject().getAsJsonArray("figures")).isNotEmpty();
    }
    // What a machine may lack.
    assertThat(leftOut).allMatch(reason -> reason.matches(".*(libisal2|root).*"));
    assertThat(status).isEqualTo(leftOut.isEmpty() ? 0 : 3);
    if (PageBrowser.isThere()) {
      Path page = directory.resolve("report.html");
      assertThat(PageBrowser.faults(page, Files.createDirectory(temporary.resolve("browser"))))
          .isEmpty();
    }
  }

  @Test
  void aKilledBenchOnLimitedLinksLeavesNothing() throws Exception {
    assumeTrue(PrivateNetwork.obstacle() == null, "no private network");
    Path directory = temporary.resolve("bench");
    Path record = temporary.resolve("record");
    start("bench", "io", "--quick", "--shaped=500", "--dir=" + directory, "--record=" + record);
    while (!Files.exists(directory.resolve("data/dn2"))) {
      assertThat(process.isAlive()).isTrue();
      Thread.sleep(50);
    }
    process.destroyForcibly().waitFor();
    awaitNoProcess();
    assertThat(directory).doesNotExist();
    assertThat(record).as("what is there if the bench goes on").doesNotExist();
  }

  /** A process that is stopped does not notice the end of its input. */
  @Test
  void aKilledBenchLeavesNoDataNodeThatItHasPaused() throws Exception {
    start(
        "bench", "io", "--quick", "--operations=read-hung", "--dir=" + temporary.resolve("bench"));
    while (!hasStopped()) {
      assertThat(process.isAlive()).isTrue();
      Thread.sleep(5);
    }
    process.destroyForcibly().waitFor();
    awaitNoProcess();
  }

  /** Returns whether a process of ours is stopped by a signal. */
  private boolean hasStopped() throws IOException {
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      return processes
          .filter(path -> path.getFileName().toString().matches("\\d+") && isOurs(path))
          .anyMatch(EvaluateProcessTest::isStopped);
    }
  }

  private static boolean isStopped(Path process) {
    try {
      return Files.readString(process.resolve("status")).contains("State:\tT (stopped)");
    } catch (IOException gone) {
      return false;
    }
  }

  /** Kills the evaluation when the cluster of a measurement is starting or running. */
  private void killDuring(String measurement, Path directory) throws Exception {
    Path log = directory.resolve("log/" + measurement + ".txt");
    while (!Files.exists(log) || Files.size(log) == 0) {
      assertThat(process.isAlive()).isTrue();
      Thread.sleep(50);
    }
    process.destroyForcibly().waitFor();
    awaitNoProcess();
    assertThat(temporary.toFile().list()).containsExactly("evaluation");
  }

  /** Returns the named networks of this machine. */
  private static List<String> networks() {
    String[] names = Path.of("/run/netns").toFile().list();
    return names == null ? List.of() : Arrays.asList(names);
  }

  @Test
  void aKilledEvaluationLeavesARunningClusterAsItWas(@TempDir Path elsewhere) throws Exception {
    try (IoCluster cluster =
        IoCluster.start(elsewhere.resolve("cluster"), 9, Collections.emptyMap())) {
      cluster.enable(
          SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_6_3_POLICY_ID));
      cluster.fs().mkdirs(USERS);
      cluster.fs().create(new org.apache.hadoop.fs.Path(USERS, "file")).close();
      Path directory = temporary.resolve("evaluation");
      String[] arguments = {
        "evaluate",
        "--trial",
        "--only=clients,placement",
        "--resume",
        "--dir=" + directory,
        "--conf=" + cluster.status().clientConfiguration,
        "--path=" + USERS
      };
      start(arguments);
      // Until it writes.
      while (names(cluster).size() == 1) {
        assertThat(process.isAlive()).isTrue();
        Thread.sleep(50);
      }
      process.destroyForcibly().waitFor();
      awaitNoProcess();
      assertThat(names(cluster)).containsExactly("file");

      start(arguments);
      assertThat(process.waitFor()).as("conversions are left out").isEqualTo(3);
      assertThat(names(cluster)).containsExactly("file");
      JsonArray sections = sections(directory);
      JsonObject clients = sections.get(0).getAsJsonObject();
      JsonObject run = clients.getAsJsonArray("runs").get(0).getAsJsonObject();
      assertThat(run.get("failed").isJsonNull()).isTrue();
      assertThat(clients.getAsJsonArray("figures")).as("clients and busy").hasSize(2);
      JsonArray placement = sections.get(1).getAsJsonObject().getAsJsonArray("runs");
      assertThat(placement.get(1).getAsJsonObject().get("leftOut").getAsString())
          .contains("placement-conversion on a running cluster");
    }
  }

  private static List<String> names(IoCluster cluster) throws IOException {
    List<String> names = new ArrayList<>();
    for (FileStatus status : cluster.fs().listStatus(USERS)) {
      names.add(status.getPath().getName());
    }
    return names;
  }

  private static JsonArray sections(Path directory) throws IOException {
    return JsonParser.parseString(Files.readString(directory.resolve("report.json")))
        .getAsJsonObject()
        .getAsJsonArray("sections");
  }

  @AfterEach
  void end() throws Exception {
    process.destroyForcibly().waitFor();
    awaitNoProcess();
  }

  private void start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    String library = System.getProperty("stripeline.native.path");
    if (library != null) {
      command.add("-Dstripeline.native.path=" + library);
    }
    command.addAll(JavaRuntime.compilerArguments());
    command.add("-XX:+UseSerialGC");
    command.add("-Djava.io.tmpdir=" + temporary);
    // The checkout, whose test classes have the coder that computes nothing.
    command.add("-Dstripeline.home=" + Path.of("../..").toAbsolutePath().normalize());
    command.add(Stripeline.class.getName());
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    process = builder.start();
  }

  /** The measurement and its cluster notice the end of the evaluation and stop. */
  private void awaitNoProcess() throws Exception {
    while (true) {
      try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
        if (processes
            .filter(path -> path.getFileName().toString().matches("\\d+"))
            .noneMatch(this::isOurs)) {
          return;
        }
      }
      Thread.sleep(50);
    }
  }

  private boolean isOurs(Path process) {
    try {
      return Files.readString(process.resolve("cmdline")).contains(temporary.toString());
    } catch (IOException gone) {
      return false;
    }
  }
}
