// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.convert.Driver;
import org.stripeline.convert.file.Redundancy;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/** Tests adoption of corrupt replicas: no good replica may be deleted in favor of a bad one. */
@Tag("full")
class RottenReplicaTest {
  private static final String CODE = "RS-3-2";
  private static final String POLICY = "RS-3-2-1024k";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;
  private final Set<String> done = ConcurrentHashMap.newKeySet();

  @BeforeAll
  static void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static JobSettings settings(String path) {
    return ConvertCluster.contiguous(path, CODE);
  }

  private JobReport convert(JobSettings settings, StepListener listener) throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.execute(settings, settings.path.substring(1));
    }
  }

  /** Corrupts a replica that a plan keeps. */
  private interface Spoiler {
    void spoil(ReplicaFiles replica, int block) throws IOException;
  }

  /** Corrupts the replicas that the first plan of a file keeps, once they are linked. */
  private StepListener onceLinked(String job, Spoiler spoiler) {
    return (step, path) -> {
      if (step == Step.LINKED && done.add(path)) {
        try {
          JournalRecord group = groups(job).get(0);
          for (int i = 0; i < 3; i++) {
            JournalRecord.Placed placed = group.blocks.get(i);
            spoiler.spoil(ReplicaFiles.of(cluster, placed.node, placed.id), i);
          }
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
    };
  }

  private List<JournalRecord> groups(String job) throws IOException {
    List<JournalRecord> groups = new ArrayList<>();
    Journal.read(
        cluster.fs(),
        new Path(JobDirectory.ROOT_DEFAULT + "/" + job + "/journal"),
        line -> {
          if (line.kind == JournalRecord.Kind.GROUP) {
            groups.add(line);
          }
        });
    return groups;
  }

  /**
   * Checks that the file is converted, that each internal data block has the correct bytes on disk,
   * and that the parity is correct.
   */
  private void assertConverted(String path, byte[] bytes) throws Exception {
    assertThat(cluster.policy(path)).isEqualTo(POLICY);
    Conditions.await("bad links to be removed", () -> hasEachBlockOnce(path));
    ErasureCodingPolicy policy = cluster.fs().getErasureCodingPolicy(new Path(path));
    int first = 0;
    for (LocatedBlock group : cluster.blocks(path)) {
      byte[] indices = ((LocatedStripedBlock) group).getBlockIndices();
      for (int i = 0; i < indices.length; i++) {
        int from = first + indices[i] * BLOCK;
        if (indices[i] < policy.getNumDataUnits()) {
          int end = Math.min(from + BLOCK, bytes.length);
          String node = group.getLocations()[i].getDatanodeUuid();
          assertThat(
                  ReplicaFiles.of(cluster, node, group.getBlock().getBlockId() + indices[i])
                      .bytes())
              .as("%s, block at %d", path, from)
              .isEqualTo(Arrays.copyOfRange(bytes, from, end));
        }
      }
      first += (int) group.getBlockSize();
    }
    cluster.assertBytes(path, bytes);
    cluster.assertParityRight(path);
    cluster.assertHealthy(path);
    assertThat(cluster.temporaries()).isEmpty();
  }

  private boolean hasEachBlockOnce(String path) throws IOException {
    for (LocatedBlock group : cluster.blocks(path)) {
      long blocks = (group.getBlockSize() - 1) / BLOCK + 1 + 2;
      if (group.getLocations().length != blocks) {
        return false;
      }
    }
    return cluster.isWhole(path);
  }

  private void assertLeft(JobReport report, String path, String... reasons) throws Exception {
    assertThat(report.failures()).extracting(failure -> failure.path).containsExactly(path);
    assertThat(report.failures().get(0).reason).containsAnyOf(reasons);
    assertThat(cluster.policy(path)).isNull();
    assertThat(cluster.temporaries()).isEmpty();
  }

  private void spoil(String path, int block, int replica, Spoiler spoiler) throws IOException {
    LocatedBlock located = cluster.blocks(path).get(block);
    // The NameNode returns them in a different order each time.
    DatanodeInfo[] holders = located.getLocations();
    Arrays.sort(holders, Comparator.comparing(DatanodeInfo::getDatanodeUuid));
    DatanodeInfo node = holders[replica];
    spoiler.spoil(
        ReplicaFiles.of(cluster, node.getDatanodeUuid(), located.getBlock().getBlockId()), block);
  }

  /**
   * Changes bytes together with their checksums. The last chunk is left unchanged, since DataNodes
   * keep its checksum in memory from when they received the block.
   */
  private static void replace(ReplicaFiles replica, int block) throws IOException {
    byte[] bytes = replica.bytes();
    bytes[1000 * block] ^= 1;
    replica.replace(bytes);
  }

  @Test
  void replicasDamagedAfterLinkingAreNotKept() throws Exception {
    byte[] bytes = cluster.write("/flipped/a", 3 * BLOCK);

    JobReport report =
        convert(
            settings("/flipped"),
            onceLinked("flipped", (replica, block) -> replica.flip(BLOCK - 1 - block)));

    assertThat(report.failures()).isEmpty();
    assertConverted("/flipped/a", bytes);
  }

  @Test
  void replicasOfOtherBytesWithMatchingChecksumsAreNotKept() throws Exception {
    byte[] bytes = cluster.write("/other/a", 3 * BLOCK);

    JobReport report = convert(settings("/other"), onceLinked("other", RottenReplicaTest::replace));

    assertThat(report.failures()).isEmpty();
    assertConverted("/other/a", bytes);
  }

  @Test
  void truncatedReplicasAreNotKept() throws Exception {
    byte[] bytes = cluster.write("/short/a", 3 * BLOCK);

    JobReport report =
        convert(
            settings("/short"), onceLinked("short", (replica, block) -> replica.truncate(4096)));

    assertThat(report.failures()).isEmpty();
    assertConverted("/short/a", bytes);
  }

  @Test
  void replicasWithExchangedFilesAreNotKept() throws Exception {
    byte[] bytes = cluster.write("/swapped/a", 3 * BLOCK);
    List<ReplicaFiles> seen = new ArrayList<>();

    JobReport report =
        convert(
            settings("/swapped"),
            onceLinked(
                "swapped",
                (replica, block) -> {
                  seen.add(replica);
                  if (block == 1) {
                    replica.swap(seen.get(0));
                  }
                }));

    assertThat(report.failures()).isEmpty();
    assertConverted("/swapped/a", bytes);
  }

  @Test
  void oneReplicaOfOtherBytesIsOutvotedWhicheverItIs() throws Exception {
    for (int replica = 0; replica < 3; replica++) {
      String path = "/voted/" + replica;
      byte[] bytes = cluster.write(path, 3 * BLOCK);
      for (int block = 0; block < 3; block++) {
        spoil(path, block, replica, RottenReplicaTest::replace);
      }
      if (!convertAs(path, "voted-" + replica).failures().isEmpty()) {
        // The first checksum of the driver came from the wrong replica. That replica has been
        // reported since, so the NameNode does not return it again.
        assertThat(cluster.policy(path)).isNull();
        assertThat(convertAs(path, "again-" + replica).failures()).isEmpty();
      }
      assertConverted(path, bytes);
    }
  }

  /** The NameNode does not name DataNodes in maintenance; the driver reads that during a plan. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReplicaOfOtherBytesDoesNotWinWhileTheOthersAreSilent(boolean isMaintenance)
      throws Exception {
    for (int n = 0; n < 4; n++) {
      String path = "/silent/" + n;
      byte[] bytes = cluster.write(path, 3 * BLOCK);
      spoil(path, 0, 0, (replica, block) -> replace(replica, 1));
      DatanodeInfo[] holders = cluster.blocks(path).get(0).getLocations();
      Arrays.sort(holders, Comparator.comparing(DatanodeInfo::getDatanodeUuid));
      List<DataNode> silent = new ArrayList<>();
      List<DatanodeDescriptor> away = new ArrayList<>();
      JobSettings settings = settings(path);
      try (Driver driver =
          cluster.driver(
              cluster.client(),
              JobObserver.NONE,
              (step, at) -> {
                if (step == Step.GROUP_NAMED && silent.isEmpty()) {
                  for (int i = 1; i < 3; i++) {
                    silent.add(AgentSwitch.node(cluster, holders[i].getDatanodeUuid()));
                    if (isMaintenance) {
                      away.add(beginMaintenance(holders[i]));
                    }
                  }
                  silent.forEach(AgentSwitch::stop);
                }
              })) {
        JobReport report = driver.execute(settings, "silent-" + isMaintenance + n);

        assertThat(report.failures()).hasSize(1);
        // Parity may have been planned on one of the DataNodes that are silent now.
        assertThat(report.failures().get(0).reason)
            .containsAnyOf(
                "Cannot determine which replica",
                "does not confirm that it has removed",
                "the agent has been stopped");
      } finally {
        silent.forEach(AgentSwitch::start);
        away.forEach(DatanodeDescriptor::stopMaintenance);
      }
      assertThat(cluster.policy(path)).isNull();
      long block = cluster.blocks(path).get(0).getBlock().getBlockId();
      for (int i = 1; i < 3; i++) {
        assertThat(ReplicaFiles.of(cluster, holders[i].getDatanodeUuid(), block).bytes())
            .isEqualTo(Arrays.copyOf(bytes, BLOCK));
      }
    }
    cluster.fs().delete(new Path("/silent"), true);
  }

  private DatanodeDescriptor beginMaintenance(DatanodeInfo holder) {
    DatanodeDescriptor node =
        cluster
            .mini
            .getNamesystem()
            .getBlockManager()
            .getDatanodeManager()
            .getDatanode(holder.getDatanodeUuid());
    node.startMaintenance();
    node.setInMaintenance();
    return node;
  }

  @Test
  void aReplicaOfOtherBytesDoesNotWinWhileTheOthersAreInMaintenance() throws Exception {
    cluster.write("/maintained/a", 3 * BLOCK);
    Redundancy.await(cluster.fs().getClient(), "/maintained/a", null, 3, Ticker.SYSTEM);
    spoil("/maintained/a", 0, 0, (replica, block) -> replace(replica, 1));
    DatanodeInfo[] holders = cluster.blocks("/maintained/a").get(0).getLocations();
    Arrays.sort(holders, Comparator.comparing(DatanodeInfo::getDatanodeUuid));
    List<DatanodeDescriptor> away = new ArrayList<>();
    try {
      for (int i = 1; i < 3; i++) {
        away.add(beginMaintenance(holders[i]));
      }

      JobReport report = convertAs("/maintained", "maintained");

      assertLeft(report, "/maintained/a", "more than half must be compared");
    } finally {
      away.forEach(DatanodeDescriptor::stopMaintenance);
      cluster.fs().delete(new Path("/maintained"), true);
    }
  }

  @Test
  void aReplicaOfOtherBytesDoesNotWinWhenTheOthersCannotBeRead() throws Exception {
    // The corruption is undetectable only if the driver's first checksum came from the wrong
    // replica, so use many files.
    int files = 24;
    for (int n = 0; n < files; n++) {
      String path = "/alone/" + n;
      cluster.write(path, 3 * BLOCK);
      Redundancy.await(cluster.fs().getClient(), path, null, 3, Ticker.SYSTEM);
      spoil(path, 1, 0, (replica, block) -> replica.flip(77));
      spoil(path, 1, 1, (replica, block) -> replica.flip(78));
      spoil(path, 1, 2, RottenReplicaTest::replace);
    }
    try {
      convertAs("/alone", "alone");

      for (int n = 0; n < files; n++) {
        assertThat(cluster.policy("/alone/" + n)).as("policy of %d", n).isNull();
      }
    } finally {
      cluster.fs().delete(new Path("/alone"), true);
    }
  }

  private JobReport convertAs(String path, String job) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.execute(settings(path), job);
    }
  }

  @Test
  void oneGoodReplicaOfEachBlockIsEnough() throws Exception {
    byte[] bytes = cluster.write("/last/a", 3 * BLOCK);
    for (int block = 0; block < 3; block++) {
      for (int replica = 0; replica < 3; replica++) {
        if (replica != block) {
          spoil("/last/a", block, replica, (files, index) -> files.flip(index));
        }
      }
    }

    assertThat(convert(settings("/last"), StepListener.NONE).failures()).isEmpty();

    assertConverted("/last/a", bytes);
  }

  @Test
  void aFileWithoutAGoodReplicaOfABlockIsUnchanged() throws Exception {
    cluster.write("/lost/a", 4 * BLOCK);
    byte[] bytes = cluster.write("/lost/b", 4 * BLOCK);
    for (int replica = 0; replica < 3; replica++) {
      spoil("/lost/a", 1, replica, (files, index) -> files.flip(index));
    }

    JobReport report = convert(settings("/lost"), StepListener.NONE);

    // If the plan keeps no replica of the block, the encoder finds that none can be read.
    assertLeft(report, "/lost/a", "that is known to be correct", "from any replica");
    assertConverted("/lost/b", bytes);
    for (String path :
        new String[] {"/flipped", "/other", "/short", "/swapped", "/voted", "/last"}) {
      cluster.fs().delete(new Path(path), true);
    }
    cluster.fs().delete(new Path("/mapped"), true);
    cluster.fs().delete(new Path("/lost/b"), false);
    Conditions.await("links to be removed", () -> cluster.internalBlocks() == 0);
    // Nothing else was deleted: the other blocks still have three replicas each.
    for (int block : new int[] {0, 2, 3}) {
      assertThat(cluster.blocks("/lost/a").get(block).getLocations()).hasSize(3);
    }
  }

  @Test
  void aFileWhoseTwoReplicasDifferIsUnchanged() throws Exception {
    cluster.write("/torn/a", 3 * BLOCK);
    cluster.fs().setReplication(new Path("/torn/a"), (short) 2);
    Conditions.await(
        "one replica to go",
        () ->
            cluster.blocks("/torn/a").stream().allMatch(block -> block.getLocations().length == 2));
    spoil("/torn/a", 2, 0, RottenReplicaTest::replace);

    JobReport report = convert(settings("/torn"), StepListener.NONE);

    assertLeft(report, "/torn/a", "differ from each other");
    for (LocatedBlock block : cluster.blocks("/torn/a")) {
      assertThat(block.getLocations()).hasSize(2);
      assertThat(block.isCorrupt()).isFalse();
    }
  }
}
