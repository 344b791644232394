// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.testkit.Leftovers;

/** Kills evaluations and benches, which leave no processes, files or networks. */
@Tag("full")
@Timeout(500)
class EvaluateKillTest extends EvaluateCase {
  private static final org.apache.hadoop.fs.Path USERS = new org.apache.hadoop.fs.Path("/users");

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
    Leftovers.await(temporary);
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
    kill();
    assertThat(directory).doesNotExist();
    assertThat(record).as("what is there if the bench goes on").doesNotExist();
  }

  /** A process that is stopped does not notice the end of its input. */
  @Test
  void aKilledBenchLeavesNoDataNodeThatItHasPaused() throws Exception {
    start(
        "bench", "io", "--quick", "--operations=read-hung", "--dir=" + temporary.resolve("bench"));
    while (process.descendants().noneMatch(EvaluateKillTest::isStopped)) {
      assertThat(process.isAlive()).isTrue();
      Thread.sleep(20);
    }
    kill();
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
      kill();
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

  private static boolean isStopped(ProcessHandle process) {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    try {
      return Files.readString(status).contains("State:\tT (stopped)");
    } catch (IOException gone) {
      return false;
    }
  }
}
