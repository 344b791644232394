// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.IOUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.convert.settings.Origin;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** {@code stripeline repair} on a mini cluster. */
@Timeout(300)
class RepairCommandTest {
  private static final String FILE = "/tree/striped";
  private static final String POLICY = "RS-3-2-1024k";

  @TempDir Path directory;
  private ConvertCluster cluster;
  private byte[] bytes;
  private List<JsonObject> lines;
  private String errors;

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void start(int nodes, String... more) throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            nodes,
            nodes,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setInt("dfs.datanode.scan.period.hours", -1);
              conf.setInt("dfs.datanode.directoryscan.interval", -1);
              for (int i = 0; i < more.length; i += 2) {
                conf.set(more[i], more[i + 1]);
              }
            });
    cluster.fs().enableErasureCodingPolicy(POLICY);
    bytes = ConvertCluster.bytes(7, 7 * ConvertCluster.BLOCK / 2);
    write(FILE);
  }

  private void write(String path) throws IOException {
    try (FSDataOutputStream out =
        cluster
            .fs()
            .createFile(new org.apache.hadoop.fs.Path(path))
            .ecPolicyName(POLICY)
            .recursive()
            .build()) {
      out.write(bytes);
    }
  }

  private int repair(String path, String... options) {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.add(cluster.uri() + path);
    arguments.add("--json");
    ScrubReport report = ScrubReport.of(new RepairCommand(), arguments.toArray(new String[0]));
    lines = report.lines();
    errors = report.err;
    return report.status;
  }

  /** Returns the states of all repairs. */
  private List<String> states() {
    List<String> states = new ArrayList<>();
    for (JsonObject line : lines) {
      JsonElement repair = line.get("repair");
      if (repair != null) {
        states.add(repair.getAsJsonObject().get("state").getAsString());
      }
    }
    return states;
  }

  private String text() {
    return lines.get(0).getAsJsonObject("repair").get("text").getAsString();
  }

  /** Returns the DataNode of an internal block of the first group. */
  private DatanodeInfo holder(String path, int unit) throws IOException {
    return ReplicaFiles.holder(cluster, path, 0, unit);
  }

  private ReplicaFiles files(String path, int unit) throws IOException {
    return ReplicaFiles.of(cluster, path, 0, unit);
  }

  /** Replaces bytes beneath matching checksums; returns the right bytes and the wrong ones. */
  private byte[][] damage(String path, int unit) throws IOException {
    ReplicaFiles files = files(path, unit);
    byte[] right = files.damage();
    return new byte[][] {right, files.bytes()};
  }

  /** Returns the contents of all block files in quarantine. */
  private List<byte[]> quarantined() throws IOException {
    List<byte[]> kept = new ArrayList<>();
    try (java.util.stream.Stream<Path> all = Files.walk(directory)) {
      for (Path path : (Iterable<Path>) all::iterator) {
        String name = path.getFileName().toString();
        boolean isKept = path.toString().contains("stripeline-quarantine");
        if (isKept && name.startsWith("blk_") && path.toFile().isFile()) {
          if (!name.endsWith(".meta")) {
            kept.add(Files.readAllBytes(path));
          }
        }
      }
    }
    return kept;
  }

  private List<String> audited() throws IOException {
    List<String> states = new ArrayList<>();
    org.apache.hadoop.fs.Path audits = new org.apache.hadoop.fs.Path(RepairAudit.DIRECTORY_DEFAULT);
    for (FileStatus file : cluster.fs().listStatus(audits)) {
      byte[] content = new byte[(int) file.getLen()];
      try (FSDataInputStream in = cluster.fs().open(file.getPath())) {
        IOUtils.readFully(in, content, 0, content.length);
      }
      new String(content, StandardCharsets.UTF_8)
          .lines()
          .filter(one -> !one.isEmpty())
          .forEach(
              one ->
                  states.add(
                      JsonParser.parseString(one).getAsJsonObject().get("state").getAsString()));
    }
    return states;
  }

  private void assertWhole(String path) throws IOException {
    assertThat(cluster.read(path)).isEqualTo(bytes);
  }

  @Test
  void replacesAWrongBlockThroughHdfs() throws Exception {
    start(7);
    byte[][] data = damage(FILE, 1);

    assertThat(repair("/tree")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("PLANNED");
    assertThat(files(FILE, 1).bytes()).isEqualTo(data[1]);
    assertThat(quarantined()).isEmpty();
    assertThat(cluster.fs().exists(new org.apache.hadoop.fs.Path("/.stripeline"))).isFalse();

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
    } finally {
      other.close();
    }
    damage(FILE, 1);
    assertThat(repair(FILE, "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
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

  /** Returns the number of damaged groups below the root, as the ledger has it. */
  private long damagedInLedger() {
    String report = ScrubReport.of("--status", cluster.uri() + "/", "--json").out;
    return JsonParser.parseString(report).getAsJsonObject().get("groupsDamaged").getAsLong();
  }

  private boolean isRecorded() {
    return lines.get(lines.size() - 1).get("recorded").getAsBoolean();
  }

  @Test
  void aRepairedGroupNoLongerCountsAsDamaged() throws Exception {
    start(7);
    damage(FILE, 1);
    assertThat(ScrubReport.of(cluster.uri() + "/tree").status).isEqualTo(ExitStatus.FAILED);
    assertThat(damagedInLedger()).isEqualTo(1);

    assertThat(repair("/", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(isRecorded()).isTrue();
    assertThat(damagedInLedger()).isZero();
  }

  @Test
  void aGroupThatIsLeftDamagedIsInTheLedger() throws Exception {
    start(7);
    damage(FILE, 3);
    damage(FILE, 4);
    assertThat(repair("/")).isEqualTo(ExitStatus.FAILED);
    assertThat(isRecorded()).isFalse();
    assertThat(damagedInLedger()).isZero();

    assertThat(repair("/", "--execute", "--ledger=/other")).isEqualTo(ExitStatus.FAILED);
    assertThat(damagedInLedger()).isZero();
    assertThat(repair("/", "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("REFUSED");
    assertThat(damagedInLedger()).isEqualTo(1);
  }

  @Test
  void saysThatTheLedgerIsNotUpdatedWhileAScrubHasIt() throws Exception {
    start(7);
    damage(FILE, 1);
    assertThat(ScrubReport.of(cluster.uri() + "/tree").status).isEqualTo(ExitStatus.FAILED);
    org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path(Ledger.ROOT_DEFAULT);
    try (DistributedFileSystem other = cluster.client();
        Ledger held = Ledger.open(other, directory, new InstantWaits(), text -> {})) {
      assertThat(held.isRecording()).isTrue();
      assertThat(repair("/", "--execute")).as("%s", errors).isEqualTo(ExitStatus.SOUND);
    }
    assertThat(states()).containsExactly("REPAIRED");
    assertThat(errors)
        .contains("The ledger /.stripeline/scrub is not updated, because another scrub or repair");
    assertThat(isRecorded()).isFalse();
    assertThat(damagedInLedger()).isEqualTo(1);
  }

  @Test
  void nothingIsReplacedWithoutRoomForItsRecord() throws Exception {
    start(7);
    byte[] wrong = damage(FILE, 1)[1];
    org.apache.hadoop.fs.Path audits = new org.apache.hadoop.fs.Path(RepairAudit.DIRECTORY_DEFAULT);
    cluster.fs().mkdirs(audits);
    cluster.fs().setQuota(audits, HdfsConstants.QUOTA_DONT_SET, 1);
    assertThat(repair("/", "--execute")).as("%s", errors).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("FAILED");
    assertThat(text()).contains("quota");
    assertThat(files(FILE, 1).bytes()).isEqualTo(wrong);
    assertThat(damagedInLedger()).isEqualTo(1);

    cluster.fs().setQuota(audits, -1, -1);
    assertThat(repair("/", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
  }

  @Test
  void damageIsInTheLedgerBeforeAnythingIsReplaced() throws Exception {
    // HDFS rebuilds nothing, so the repair waits until it is ended.
    start(7, "dfs.namenode.redundancy.interval.seconds", "3600");
    damage(FILE, 1);
    Thread repair = new Thread(() -> repair("/tree", "--execute"));
    repair.start();
    try {
      Conditions.await("the record of the damage", () -> damagedInLedger() == 1);
      assertThat(repair.isAlive()).isTrue();
    } finally {
      repair.interrupt();
      repair.join();
    }
    assertThat(states()).doesNotContain("REPAIRED");
    assertThat(damagedInLedger()).isEqualTo(1);
  }
}
