// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockStoragePolicySuite;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;

/** Tests which DataNodes count as full, given the outstanding writes of earlier groups. */
class JobLoadTest {
  private static final long BLOCK = 128 << 20;
  private static final CodeShape RS_3_2 = CodeShape.ofDataAndParity(3, 2);

  private final BlockStoragePolicySuite policies = BlockStoragePolicySuite.createDefaultSuite();
  private final BlockNeed disk = need(HdfsConstants.HOT_STORAGE_POLICY_ID);
  private final AtomicLong now = new AtomicLong();
  private final SplittableRandom random = new SplittableRandom(7);

  private BlockNeed need(byte policy) {
    BlockStoragePolicy found = policies.getPolicy(policy);
    return BlockNeed.of(found, BLOCK);
  }

  private static StorageReport storage(StorageType type, long remaining) {
    return storage(type, remaining, false, DatanodeStorage.State.NORMAL);
  }

  private static StorageReport storage(
      StorageType type, long remaining, boolean failed, DatanodeStorage.State state) {
    DatanodeStorage storage = new DatanodeStorage(DatanodeStorage.generateUuid(), state, type);
    return new StorageReport(storage, failed, 10 * remaining, 0, remaining, 0, 0);
  }

  private static boolean isMet(BlockNeed need, long promised, StorageReport... storages) {
    return need.isMetBy(storages, promised);
  }

  @Test
  void aBlockNeedsOneStorageWithRoom() {
    StorageReport half = storage(StorageType.DISK, BLOCK - 1);
    assertThat(isMet(disk, 0, half, half, half)).isFalse();
    assertThat(isMet(disk, 0, half, storage(StorageType.DISK, BLOCK))).isTrue();
    assertThat(isMet(disk, 0)).isFalse();
  }

  @Test
  void blocksBeforeItTakeRoom() {
    StorageReport three = storage(StorageType.DISK, 3 * BLOCK);
    assertThat(isMet(disk, 2 * BLOCK, three)).isTrue();
    assertThat(isMet(disk, 2 * BLOCK + 1, three)).isFalse();
  }

  @Test
  void failedAndReadOnlyStoragesHaveNoRoom() {
    DatanodeStorage.State normal = DatanodeStorage.State.NORMAL;
    DatanodeStorage.State readOnly = DatanodeStorage.State.READ_ONLY_SHARED;
    assertThat(isMet(disk, 0, storage(StorageType.DISK, BLOCK, true, normal))).isFalse();
    assertThat(isMet(disk, 0, storage(StorageType.DISK, BLOCK, false, readOnly))).isFalse();
  }

  @Test
  void theStoragePolicySaysWhichTypesCount() {
    StorageReport archive = storage(StorageType.ARCHIVE, BLOCK);
    StorageReport ssd = storage(StorageType.SSD, BLOCK);
    StorageReport plain = storage(StorageType.DISK, BLOCK);
    assertThat(isMet(disk, 0, archive, ssd)).isFalse();
    BlockNeed cold = need(HdfsConstants.COLD_STORAGE_POLICY_ID);
    assertThat(isMet(cold, 0, plain, ssd)).isFalse();
    assertThat(isMet(cold, 0, archive)).isTrue();
    BlockNeed allSsd = need(HdfsConstants.ALLSSD_STORAGE_POLICY_ID);
    assertThat(isMet(allSsd, 0, archive)).isFalse();
    assertThat(isMet(allSsd, 0, ssd)).isTrue();
    assertThat(isMet(allSsd, 0, plain)).as("what blocks fall back to").isTrue();
    // The NameNode applies HOT to erasure-coded files of policies that mix storage types.
    BlockNeed warm = need(HdfsConstants.WARM_STORAGE_POLICY_ID);
    assertThat(isMet(warm, 0, archive)).isFalse();
    assertThat(isMet(warm, 0, plain)).isTrue();
  }

  @Test
  void theFirstSuitableTypeWithRoomIsUsed() {
    StorageReport ssd = storage(StorageType.SSD, BLOCK);
    StorageReport plain = storage(StorageType.DISK, BLOCK);
    BlockNeed allSsd = need(HdfsConstants.ALLSSD_STORAGE_POLICY_ID);
    assertThat(allSsd.typeOn(new StorageReport[] {plain, ssd})).isEqualTo(StorageType.SSD);
    assertThat(allSsd.typeOn(new StorageReport[] {plain})).isEqualTo(StorageType.DISK);
    assertThat(disk.typeOn(new StorageReport[] {ssd})).isNull();
  }

  /**
   * Returns nodes of which the first three only keep their replicas, and the last has space for a
   * single block.
   */
  private AgentNodes.Snapshot crowded() {
    return nodes(0, 0, 0, 99, 99, 99, 99, 1);
  }

  /** Plans 20 groups and returns the number of their blocks on the last DataNode. */
  private int planTwenty(JobLoad load, List<JobLoad.Share> shares) throws PlacementException {
    int onSmall = 0;
    for (int i = 0; i < 20; i++) {
      GroupPlan[] plan = new GroupPlan[1];
      shares.add(load.plan(crowded(), disk, (open, traffic) -> plan[0] = plan(open)));
      onSmall += writesTo(plan[0], 7);
    }
    return onSmall;
  }

  @Test
  void nodesGetNoMoreThanTheyHaveRoomFor() throws Exception {
    JobLoad load = new JobLoad(now::get);
    List<JobLoad.Share> shares = new ArrayList<>();
    assertThat(planTwenty(load, shares)).isOne();

    // What was written counts until DataNodes have had time to report it.
    shares.forEach(load::remove);
    shares.forEach(load::remove);
    now.addAndGet(TimeUnit.SECONDS.toNanos(9));
    assertThat(planTwenty(load, shares)).isZero();

    shares.forEach(load::remove);
    now.addAndGet(TimeUnit.MINUTES.toNanos(1));
    assertThat(planTwenty(load, shares)).isOne();
  }

  @Test
  void reservationsAloneRefuseNoGroup() throws Exception {
    JobLoad load = new JobLoad(now::get);
    for (int i = 0; i < 3; i++) {
      load.plan(nodes(0, 0, 0, 1, 1), disk, (open, traffic) -> plan(open));
    }
    assertThatThrownBy(() -> load.plan(nodes(0, 0, 0, 1, 0), disk, (open, traffic) -> plan(open)))
        .isInstanceOf(PlacementException.class)
        .hasMessageContaining("1 of 5 take new blocks");
  }

  /** Returns DataNodes in one rack, with space for {@code room[i]} blocks on node i. */
  private AgentNodes.Snapshot nodes(int... room) {
    List<DatanodeStorageReport> reports = new ArrayList<>();
    Set<String> sound = new HashSet<>();
    for (int i = 0; i < room.length; i++) {
      DatanodeInfo node =
          new DatanodeInfoBuilder().setDatanodeUuid("node" + i).setNetworkLocation("/r").build();
      sound.add(node.getDatanodeUuid());
      StorageReport[] storages = {storage(StorageType.DISK, room[i] * BLOCK)};
      reports.add(new DatanodeStorageReport(node, storages));
    }
    return new AgentNodes.Snapshot(reports, now.get(), sound, Collections.emptySet());
  }

  private GroupPlan plan(AgentNodes.Snapshot nodes) throws PlacementException {
    int[][] replicas = {{0}, {1}, {2}};
    return GroupPlanner.plan(RS_3_2, replicas, nodes.topology(), RackRule.even(RS_3_2, 1), random);
  }

  private static int writesTo(GroupPlan plan, int node) {
    int writes = 0;
    for (int i = 0; i < RS_3_2.parity(); i++) {
      writes += plan.parityNode(i) == node ? 1 : 0;
    }
    return writes;
  }
}
