// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.convert.settings.Origin;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** {@code stripeline repair} on a mini cluster. */
@Timeout(300)
class RepairCommandTest extends RepairCase {
  @Test
  void replacesAWrongBlockThroughHdfs() throws Exception {
    start(7);
    byte[][] data = damage(FILE, 1);

    assertThat(repair("/tree")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("PLANNED");
    assertThat(files(FILE, 1).bytes()).isEqualTo(data[1]);
    assertThat(quarantined()).isEmpty();
    assertThat(cluster.fs().exists(new org.apache.hadoop.fs.Path("/.stripeline"))).isFalse();
    // A directory that is named by mistake is checked, too.
    for (String option : new String[] {"--ledger=/tree", "--audit-directory=/tree"}) {
      assertThat(repair("/", option)).as(option).isEqualTo(ExitStatus.FAILED);
    }

    DatanodeInfo before = holder(FILE, 1);
    assertThat(repair("/tree", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(states()).containsExactly("REPAIRED");
    assertThat(holder(FILE, 1).getDatanodeUuid()).isNotEqualTo(before.getDatanodeUuid());
    assertThat(files(FILE, 1).bytes()).isEqualTo(data[0]);
    assertThat(quarantined()).containsExactly(data[1]);
    assertThat(audited()).containsExactly("BEGUN", "REPAIRED");
    assertWhole(FILE);

    assertThat(repair("/", "--execute")).as("%s", lines).isEqualTo(ExitStatus.SOUND);
    assertThat(states()).isEmpty();

    cluster.mini.restartDataNodes();
    cluster.mini.waitActive();
    cluster.awaitWhole(FILE);
    assertThat(quarantined()).containsExactly(data[1]);
    assertThat(repair("/tree")).as("%s", lines).isEqualTo(ExitStatus.SOUND);
  }

  @Test
  void onlyOneRepairRunsAtATime() throws Exception {
    start(5);
    org.apache.hadoop.fs.Path audits = new org.apache.hadoop.fs.Path(RepairAudit.DIRECTORY_DEFAULT);
    Clock clock = Clock.systemUTC();
    DistributedFileSystem other = cluster.client();
    try (RepairAudit first = RepairAudit.open(other, audits, clock, new InstantWaits())) {
      assertThatThrownBy(() -> RepairAudit.open(cluster.fs(), audits, clock, new InstantWaits()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("another repair writes /.stripeline/repairs/audit.jsonl");
      org.apache.hadoop.fs.Path others = new org.apache.hadoop.fs.Path("/others");
      assertThatThrownBy(() -> RepairAudit.open(cluster.fs(), others, clock, new InstantWaits()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("another repair writes /.stripeline/repairs/audit.jsonl");
    } finally {
      other.close();
    }
    damage(FILE, 1);
    assertThat(repair("/", "--execute", "--audit-directory=/others"))
        .as("%s %s", lines, errors)
        .isEqualTo(ExitStatus.SOUND);
  }

  @Test
  void removesAWrongBlockIfNoOtherDataNodeCanTakeIt() throws Exception {
    start(5);
    byte[][] parity = damage(FILE, 4);

    assertThat(repair("/tree", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(states()).containsExactly("REPAIRED");
    assertThat(files(FILE, 4).bytes()).isEqualTo(parity[0]);
    assertThat(quarantined()).containsExactly(parity[1]);
  }

  @Test
  void leavesDamageThatIsNotLocatedUnlessDataIsTrusted() throws Exception {
    start(7);
    byte[][] first = damage(FILE, 3);
    byte[][] second = damage(FILE, 4);

    assertThat(repair(FILE, "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("REFUSED");
    assertThat(text()).contains("--trust-data");
    assertThat(quarantined()).isEmpty();
    assertThat(repair("/tree", "--execute", "--trust-data")).isEqualTo(ExitStatus.USAGE);
    assertThat(errors).contains("name each file");

    assertThat(repair(FILE, "--execute", "--trust-data"))
        .as("%s %s", lines, errors)
        .isEqualTo(ExitStatus.SOUND);
    assertThat(states()).containsExactly("REPAIRED");
    assertThat(files(FILE, 3).bytes()).isEqualTo(first[0]);
    assertThat(files(FILE, 4).bytes()).isEqualTo(second[0]);
    assertThat(quarantined()).containsExactlyInAnyOrder(first[1], second[1]);
    assertWhole(FILE);
  }

  @Test
  void leavesWrongBlocksWhoseOthersMayHaveBeenRebuilt() throws Exception {
    start(7);
    byte[][] wrong = damage(FILE, 0);
    FileTime later = FileTime.from(Instant.now().plusSeconds(3600));
    Files.setLastModifiedTime(files(FILE, 1).data, later);

    assertThat(repair("/tree", "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("REFUSED");
    assertThat(text()).contains("--trust-others");
    assertThat(quarantined()).isEmpty();

    assertThat(repair("/tree", "--execute", "--trust-others"))
        .as("%s %s", lines, errors)
        .isEqualTo(ExitStatus.SOUND);
    assertThat(files(FILE, 0).bytes()).isEqualTo(wrong[0]);
  }

  @Test
  void leavesWrongBlocksAfterHdfsRebuiltAnotherOne() throws Exception {
    start(7);
    byte[] wrong = damage(FILE, 1)[1];
    FileTime written = FileTime.from(Instant.now().minusSeconds(3600));
    for (int unit = 0; unit < 5; unit++) {
      Files.setLastModifiedTime(files(FILE, unit).data, written);
    }
    LocatedStripedBlock group = (LocatedStripedBlock) cluster.blocks(FILE).get(0);
    LocatedBlock[] blocks = StripedBlockUtil.parseStripedBlockGroup(group, 1 << 20, 3, 2);
    String before = holder(FILE, 3).getDatanodeUuid();
    cluster.fs().getClient().reportBadBlocks(new LocatedBlock[] {blocks[3]});
    Conditions.await(
        "a parity block that is rebuilt",
        () -> {
          DatanodeInfo[] nodes = cluster.blocks(FILE).get(0).getLocations();
          return nodes.length == 5 && !holder(FILE, 3).getDatanodeUuid().equals(before);
        });

    // Whichever block is located as wrong now: that depends on what HDFS has read.
    assertThat(repair("/tree", "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("REFUSED");
    assertThat(text()).contains("are younger than the rest");
    assertThat(files(FILE, 1).bytes()).isEqualTo(wrong);
    assertThat(quarantined()).isEmpty();
  }

  @Test
  void parityMayBeYoungerInFilesThatConvertHasMade() throws Exception {
    start(7);
    byte[][] wrong = damage(FILE, 0);
    FileTime later = FileTime.from(Instant.now().plusSeconds(3600));
    Files.setLastModifiedTime(files(FILE, 3).data, later);
    Files.setLastModifiedTime(files(FILE, 4).data, later);
    assertThat(repair("/tree", "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("REFUSED");

    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(FILE);
    cluster.fs().setXAttr(file, Origin.ATTRIBUTE, new byte[] {'3'});
    assertThat(repair("/tree", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(files(FILE, 0).bytes()).isEqualTo(wrong[0]);
  }

  @Test
  void repairsWithoutExtendedAttributes() throws Exception {
    start(7, "dfs.namenode.xattrs.enabled", "false");
    byte[][] wrong = damage(FILE, 0);
    assertThat(repair("/tree", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(files(FILE, 0).bytes()).isEqualTo(wrong[0]);
  }

  @Test
  void replacesMoreWrongBlocksThanDataNodesAreFree() throws Exception {
    start(6);
    byte[][] first = damage(FILE, 3);
    byte[][] second = damage(FILE, 4);

    assertThat(repair(FILE, "--execute", "--trust-data", "--wait", "60s"))
        .as("%s %s", lines, errors)
        .isEqualTo(ExitStatus.SOUND);
    assertThat(files(FILE, 3).bytes()).isEqualTo(first[0]);
    assertThat(files(FILE, 4).bytes()).isEqualTo(second[0]);
    assertThat(quarantined()).containsExactlyInAnyOrder(first[1], second[1]);
  }

  @Test
  void refusesWithoutAnAgentThatKeepsTheReplica() throws Exception {
    start(7);
    byte[][] data = damage(FILE, 0);
    AgentSwitch.stop(AgentSwitch.node(cluster, holder(FILE, 0).getDatanodeUuid()));

    assertThat(repair(FILE, "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("FAILED");
    assertThat(text()).contains("agent");
    assertThat(files(FILE, 0).bytes()).isEqualTo(data[1]);
  }

  @Test
  void refusesIfTheQuarantineIsFull() throws Exception {
    start(7, "stripeline.agent.quarantine.size", "1000");
    damage(FILE, 0);

    assertThat(repair(FILE, "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("FAILED");
    assertThat(text()).contains("stripeline.agent.quarantine.size is 1000");
    assertThat(audited()).isEmpty();
  }

  @Test
  void replacesReplicasThatCannotBeReadOrHaveAnotherLength() throws Exception {
    start(7);
    write("/tree/other");
    byte[] right = files(FILE, 2).bytes();
    files(FILE, 2).flip(70_000);
    ReplicaFiles shorter = files("/tree/other", 0);
    byte[] whole = shorter.bytes();
    shorter.truncate(1000);

    assertThat(repair("/tree", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(states()).containsExactly("REPAIRED", "REPAIRED");
    assertThat(files(FILE, 2).bytes()).isEqualTo(right);
    assertThat(files("/tree/other", 0).bytes()).isEqualTo(whole);
    assertWhole("/tree/other");
  }

  @Test
  void repairsAReplicatedBlockWithAWrongChecksum() throws Exception {
    start(5);
    bytes = cluster.write("/tree/replicated", 70_000);
    long block = cluster.blocks("/tree/replicated").get(0).getBlock().getBlockId();
    DatanodeInfo node = cluster.blocks("/tree/replicated").get(0).getLocations()[0];
    ReplicaFiles.of(cluster, node.getDatanodeUuid(), block).flip(5);

    assertThat(repair("/tree/replicated", "--execute"))
        .as("%s %s", lines, errors)
        .isEqualTo(ExitStatus.SOUND);
    assertThat(states()).containsExactly("REPAIRED");
    assertWhole("/tree/replicated");
  }
}
