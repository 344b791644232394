// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

/** {@code stripeline scrub} on a mini cluster. */
@Timeout(300)
class ScrubCommandTest {
  private static final String STRIPED = "/tree/striped";
  private static final String REPLICATED = "/tree/replicated";

  @TempDir Path directory;
  private ConvertCluster cluster;
  private List<JsonObject> lines;

  @BeforeEach
  void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
    cluster.fs().enableErasureCodingPolicy("RS-3-2-1024k");
    cluster.write(REPLICATED, 3 * ConvertCluster.BLOCK / 2);
    org.apache.hadoop.fs.Path striped = new org.apache.hadoop.fs.Path(STRIPED);
    byte[] bytes = ConvertCluster.bytes(7, 7 * ConvertCluster.BLOCK / 2);
    try (FSDataOutputStream out =
        cluster.fs().createFile(striped).ecPolicyName("RS-3-2-1024k").build()) {
      out.write(bytes);
    }
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private int scrub(String... options) {
    StringWriter out = new StringWriter();
    CommandLine line = CommandStyle.commandLine(new ScrubCommand());
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(new StringWriter()));
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add(cluster.uri() + "/tree");
    arguments.add("--json");
    int status = line.execute(arguments.toArray(new String[0]));
    lines = new ArrayList<>();
    out.toString().lines().forEach(one -> lines.add(JsonParser.parseString(one).getAsJsonObject()));
    return status;
  }

  private long sum(String name) {
    return lines.get(lines.size() - 1).get(name).getAsLong();
  }

  /** Returns the findings of a file, as kind and unit. */
  private List<String> findings(String path) {
    List<String> found = new ArrayList<>();
    for (JsonObject line : lines) {
      if (line.has("findings") && line.get("path").getAsString().equals(path)) {
        JsonArray all = line.getAsJsonArray("findings");
        all.forEach(
            one -> {
              JsonObject finding = one.getAsJsonObject();
              String unit = finding.has("unit") ? " " + finding.get("unit").getAsInt() : "";
              found.add(finding.get("kind").getAsString() + unit);
            });
      }
    }
    return found;
  }

  /** Returns the DataNode of an internal block of a group. */
  private DatanodeInfo holder(int number, int unit) throws IOException {
    LocatedStripedBlock group = (LocatedStripedBlock) cluster.blocks(STRIPED).get(number);
    for (int i = 0; i < group.getLocations().length; i++) {
      if (group.getBlockIndices()[i] == unit) {
        return group.getLocations()[i];
      }
    }
    throw new AssertionError("no block " + unit);
  }

  /** Replaces bytes beneath matching checksums. */
  private void damage(long block, DatanodeInfo node) throws IOException {
    ReplicaFiles files = ReplicaFiles.of(cluster, node.getDatanodeUuid(), block);
    byte[] bytes = files.bytes();
    bytes[bytes.length / 2] ^= 1;
    files.replace(bytes);
  }

  private void damageParity() throws IOException {
    damage(cluster.blocks(STRIPED).get(0).getBlock().getBlockId() + 4, holder(0, 4));
  }

  @Test
  void damageBeneathChecksumsIsFoundByAgents() throws IOException {
    assertThat(scrub()).isEqualTo(ExitStatus.SOUND);
    assertThat(lines).hasSize(1);
    assertThat(sum("files")).isEqualTo(2);
    assertThat(sum("groupsHealthy")).isEqualTo(4);
    assertThat(sum("windowsByClient")).isZero();
    assertThat(sum("windowsByAgents")).isGreaterThan(0);

    assertThat(scrub("--older-than=1d")).isEqualTo(ExitStatus.SOUND);
    assertThat(sum("files")).isZero();

    damageParity();
    LocatedBlock second = cluster.blocks(REPLICATED).get(1);
    damage(second.getBlock().getBlockId(), second.getLocations()[0]);

    assertThat(scrub()).isEqualTo(ExitStatus.FAILED);
    assertThat(findings(STRIPED)).containsExactly("WRONG_BYTES 4");
    assertThat(findings(REPLICATED)).containsExactly("UNLOCATED 0", "UNLOCATED 0", "UNLOCATED 0");
    assertThat(sum("groupsDamaged")).isEqualTo(2);
    assertThat(sum("groupsNotChecked")).isZero();
  }

  @Test
  void withoutAgentsTheClientReadsTheBlocks() throws IOException {
    cluster.mini.getDataNodes().forEach(AgentSwitch::stop);
    assertThat(scrub()).as("%s", lines).isEqualTo(ExitStatus.SOUND);
    assertThat(sum("windowsByAgents")).isZero();
    assertThat(sum("windowsByClient")).isGreaterThan(0);

    damageParity();
    long second = cluster.blocks(STRIPED).get(1).getBlock().getBlockId();
    ReplicaFiles.of(cluster, holder(1, 0).getDatanodeUuid(), second).flip(70_000);

    assertThat(scrub()).isEqualTo(ExitStatus.FAILED);
    assertThat(findings(STRIPED))
        .containsExactly("WRONG_BYTES 4", "BAD_CHECKSUM 0", "WRONG_BYTES 0");
  }

  @Test
  void whatCannotBeReadIsNotChecked() throws IOException {
    try (FSDataOutputStream open =
        cluster.fs().create(new org.apache.hadoop.fs.Path("/tree/open"))) {
      open.write(new byte[5000]);
      open.hsync();
      AgentSwitch.cutOff(AgentSwitch.node(cluster, holder(0, 1).getDatanodeUuid()));

      int status = scrub();

      assertThat(status).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(findings("/tree/open")).containsExactly("NOT_CHECKED");
      assertThat(findings(STRIPED)).contains("NOT_CHECKED 1");
      assertThat(sum("groupsDamaged")).isZero();
    }
  }
}
