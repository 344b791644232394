// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ForgottenReplica;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.cli.JsonKeys;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.access.HdfsGroup;
import org.stripeline.terminal.ExitStatus;

/** {@code stripeline scrub} on a mini cluster. */
@Timeout(300)
class ScrubCommandTest {
  private static final String STRIPED = "/tree/striped";
  private static final String REPLICATED = "/tree/replicated";

  @TempDir Path directory;
  private ConvertCluster cluster;

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

  private ScrubReport scrub(String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add(cluster.uri() + "/tree");
    arguments.add("--json");
    return ScrubReport.of(arguments.toArray(new String[0]));
  }

  /** Returns the DataNode of an internal block of a group. */
  private DatanodeInfo holder(int number, int unit) throws IOException {
    return ReplicaFiles.holder(cluster, STRIPED, number, unit);
  }

  private void damageParity() throws IOException {
    ReplicaFiles.of(cluster, STRIPED, 0, 4).damage();
  }

  @Test
  void damageBeneathChecksumsIsFoundByAgents() throws IOException {
    ScrubReport sound = scrub();
    assertThat(sound.status).as("%s", sound).isEqualTo(ExitStatus.SOUND);
    assertThat(sound.lines()).hasSize(1);
    assertThat(sound.sum("files")).isEqualTo(2);
    assertThat(sound.sum("groupsHealthy")).isEqualTo(4);
    assertThat(sound.sum("windowsByClient")).isZero();
    assertThat(sound.sum("windowsByAgents")).isGreaterThan(0);

    ScrubReport old = scrub("--older-than=1d");
    assertThat(old.status).isEqualTo(ExitStatus.SOUND);
    assertThat(old.sum("files")).isZero();

    damageParity();
    LocatedBlock second = cluster.blocks(REPLICATED).get(1);
    String node = second.getLocations()[0].getDatanodeUuid();
    ReplicaFiles.of(cluster, node, second.getBlock().getBlockId()).damage();

    ScrubReport damaged = scrub();
    assertThat(damaged.status).isEqualTo(ExitStatus.FAILED);
    assertThat(damaged.findings(STRIPED)).containsExactly("WRONG_BYTES 4");
    assertThat(damaged.findings(REPLICATED))
        .containsExactly("UNLOCATED 0", "UNLOCATED 0", "UNLOCATED 0");
    assertThat(damaged.sum("groupsDamaged")).isEqualTo(2);
    assertThat(damaged.sum("groupsNotChecked")).isZero();

    Set<String> documented = JsonKeys.documented("scrub");
    Set<String> printed = new TreeSet<>();
    damaged.lines().forEach(line -> printed.addAll(JsonKeys.in(line.toString(), documented)));
    assertThat(printed).isEqualTo(documented);
  }

  @Test
  void withoutAgentsTheClientReadsTheBlocks() throws IOException {
    cluster.mini.getDataNodes().forEach(AgentSwitch::stop);
    ScrubReport sound = scrub();
    assertThat(sound.status).as("%s", sound).isEqualTo(ExitStatus.SOUND);
    assertThat(sound.sum("windowsByAgents")).isZero();
    assertThat(sound.sum("windowsByClient")).isGreaterThan(0);

    damageParity();
    long second = cluster.blocks(STRIPED).get(1).getBlock().getBlockId();
    ReplicaFiles.of(cluster, holder(1, 0).getDatanodeUuid(), second).flip(70_000);

    ScrubReport damaged = scrub();
    assertThat(damaged.status).isEqualTo(ExitStatus.FAILED);
    assertThat(damaged.findings(STRIPED))
        .containsExactlyInAnyOrder("WRONG_BYTES 4", "BAD_CHECKSUM 0", "WRONG_BYTES 0");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void replicasThatCannotBeReadHaveFindingsOfTheirOwn(boolean hasAgents) throws IOException {
    if (!hasAgents) {
      cluster.mini.getDataNodes().forEach(AgentSwitch::stop);
    }
    long group = cluster.blocks(STRIPED).get(0).getBlock().getBlockId();
    // The DataNode forgets the first one; the others are damaged on its disk.
    DataNode forgetful = AgentSwitch.node(cluster, holder(0, 0).getDatanodeUuid());
    String pool = cluster.blocks(STRIPED).get(0).getBlock().getBlockPoolId();
    ForgottenReplica.forget(forgetful, pool, group);
    ReplicaFiles.of(cluster, holder(0, 3).getDatanodeUuid(), group + 3).truncate(1000);

    ScrubReport report = scrub();

    assertThat(report.status).as("%s", report).isEqualTo(ExitStatus.FAILED);
    String short3 = hasAgents ? "WRONG_LENGTH 3" : "UNREADABLE 3";
    assertThat(report.findings(STRIPED))
        .containsExactlyInAnyOrder("ABSENT 0", short3, "NOT_CHECKED");
  }

  @Test
  void whatCannotBeReadIsNotChecked() throws IOException {
    try (FSDataOutputStream open =
        cluster.fs().create(new org.apache.hadoop.fs.Path("/tree/open"))) {
      open.write(new byte[5000]);
      open.hsync();
      AgentSwitch.cutOff(AgentSwitch.node(cluster, holder(0, 1).getDatanodeUuid()));

      ScrubReport report = scrub();

      assertThat(report.status).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(report.findings("/tree/open")).containsExactly("NOT_CHECKED");
      assertThat(report.findings(STRIPED)).contains("NOT_CHECKED 1");
      assertThat(report.sum("groupsDamaged")).isZero();
    }
  }

  @Test
  void usersWithoutRightsAreRefusedAtOnce() throws Exception {
    UserGroupInformation user = UserGroupInformation.createUserForTesting("ann", new String[0]);
    ScrubReport byNameNode = user.doAs((PrivilegedAction<ScrubReport>) this::scrub);
    assertThat(byNameNode.status).as("%s", byNameNode).isEqualTo(ExitStatus.USAGE);
    assertThat(byNameNode.out).isEmpty();
    assertThat(byNameNode.err)
        .startsWith("stripeline: Cannot scrub files of other owners")
        .contains("dfs.permissions.superusergroup");

    cluster.mini.getDataNodes().forEach(AgentSwitch::deny);
    ScrubReport byAgents = scrub();
    assertThat(byAgents.status).as("%s", byAgents).isEqualTo(ExitStatus.USAGE);
    assertThat(byAgents.out).isEmpty();
    assertThat(byAgents.err)
        .startsWith("stripeline: Cannot scrub: ")
        .contains("no rights", "dfs.permissions.superusergroup names on the DataNodes");
  }

  @ParameterizedTest
  @CsvSource({"262144, 4000", "0, 50"})
  void theClientReadsAtTheRequestedRate(long bytesPerSecond, long millis) throws IOException {
    InstantWaits clock = new InstantWaits();
    LocatedBlock block = cluster.blocks(REPLICATED).get(0);
    cluster.mini.getDataNodes().forEach(AgentSwitch::stop);
    long file = cluster.fs().getClient().getFileInfo(REPLICATED).getFileId();
    try (DistributedFileSystem fs = cluster.client();
        Agents agents = Agents.connect(fs.getConf())) {
      ClusterAccess access = new ClusterAccess(fs, agents, clock);
      HdfsGroup group = new HdfsGroup(access, REPLICATED, file, 3, block);
      group.locate();
      FingerprintRequest request =
          new FingerprintRequest.Builder(
                  block.getBlock().getBlockPoolId(), AgentBlock.of(block.getBlock()))
              .function(7, 2, 64 << 10)
              .windows(0, 16)
              .bytesPerSecond(bytesPerSecond)
              .build();

      BlockFingerprints answer = group.fingerprint(block.getLocations()[0], request);

      assertThat(answer.windows).isEqualTo(16);
      assertThat(clock.millis()).as("1 MiB").isBetween(millis - 16, millis);
      assertThat(access.windowsByClient()).isEqualTo(16);
    }
  }
}
