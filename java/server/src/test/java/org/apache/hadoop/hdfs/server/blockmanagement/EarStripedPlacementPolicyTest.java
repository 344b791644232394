// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.net.DFSNetworkTopology;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.net.NetworkTopology;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.RackRule;
import org.stripeline.server.namenode.EarKeys;
import org.stripeline.server.namenode.EarSettings;

/** Tests which block groups a NameNode leaves where they are. */
class EarStripedPlacementPolicyTest {
  private static final int RACKS = 6;
  private static final int NODES_PER_RACK = 9;

  private final NetworkTopology topology = DFSNetworkTopology.getInstance(new Configuration(false));
  private final DatanodeDescriptor[][] nodes = new DatanodeDescriptor[RACKS][NODES_PER_RACK];

  EarStripedPlacementPolicyTest() {
    for (int rack = 0; rack < RACKS; rack++) {
      for (int i = 0; i < NODES_PER_RACK; i++) {
        String ip = "10.0." + rack + "." + (i + 1);
        nodes[rack][i] =
            DFSTestUtil.createDatanodeStorageInfo("s" + ip, ip, "/r" + rack, "h" + ip)
                .getDatanodeDescriptor();
        topology.add(nodes[rack][i]);
      }
    }
  }

  private static Configuration settings(String... more) {
    Configuration conf = new Configuration(false);
    conf.set(EarKeys.DIRECTORIES, "/warm");
    for (int i = 0; i < more.length; i += 2) {
      conf.set(more[i], more[i + 1]);
    }
    return conf;
  }

  /** Returns whether a group is accepted, given the number of its blocks in each rack. */
  private boolean isAccepted(Configuration conf, int blocks, int... counts) {
    EarStripedPlacementPolicy policy = new EarStripedPlacementPolicy();
    policy.initialize(conf, null, topology, null);
    DatanodeInfo[] locations = new DatanodeInfo[blocks];
    int next = 0;
    for (int rack = 0; rack < counts.length; rack++) {
      for (int i = 0; i < counts[rack]; i++) {
        locations[next++] = nodes[rack][i];
      }
    }
    assertThat(next).isEqualTo(blocks);
    return policy.verifyBlockPlacement(locations, blocks).isPlacementPolicySatisfied();
  }

  @Test
  void groupsByTheConfiguredRuleAreAccepted() {
    Configuration three = settings(EarKeys.BLOCKS_PER_RACK, "3");
    assertThat(isAccepted(three, 9, 3, 3, 3)).isTrue();
    assertThat(isAccepted(three, 9, 2, 2, 3, 2)).isTrue();
    assertThat(isAccepted(three, 9, 4, 3, 2)).isFalse();
    assertThat(isAccepted(three, 9, 4, 1, 1, 1, 1, 1)).as("HDFS's own rule").isTrue();
  }

  @Test
  void targetRacksWithoutBlocksPerRackMeanAnEvenSpreadOverThem() {
    Configuration two = settings(EarKeys.TARGET_RACKS, "2");
    RackRule rule = EarSettings.of(two).rule(RACKS);
    assertThat(rule.blocksPerRackMax()).isEqualTo(5);
    assertThat(rule.racksRequired(9, RACKS)).isEqualTo(2);
    assertThat(isAccepted(two, 9, 5, 4)).isTrue();
    assertThat(isAccepted(two, 9, 6, 3)).isFalse();
  }

  @Test
  void groupsOfOtherSizesFollowTheRuleOfHdfs() {
    Configuration three = settings(EarKeys.BLOCKS_PER_RACK, "3");
    assertThat(isAccepted(three, 5, 3, 2)).isFalse();
    assertThat(isAccepted(three, 14, 3, 3, 3, 3, 2)).isFalse();
    assertThat(isAccepted(three, 5, 1, 1, 1, 1, 1)).isTrue();
  }

  @Test
  void withoutSettingsOrWithInvalidOnesTheRuleIsThatOfHdfs() {
    assertThat(isAccepted(new Configuration(false), 9, 3, 3, 3)).isFalse();
    assertThat(isAccepted(settings(), 9, 3, 3, 3)).isFalse();
    assertThat(isAccepted(settings(EarKeys.BLOCKS_PER_RACK, "-1"), 9, 3, 3, 3)).isFalse();
  }

  /** Returns whether the Balancer may move a block of a group between two racks. */
  private boolean isMovable(Configuration conf, int from, int to, int... counts) {
    EarPlacementPolicy policy = new EarPlacementPolicy();
    policy.initialize(conf, null, topology, null);
    List<DatanodeInfo> locations = new ArrayList<>();
    for (int rack = 0; rack < counts.length; rack++) {
      locations.addAll(Arrays.asList(nodes[rack]).subList(0, counts[rack]));
    }
    DatanodeInfo target = nodes[to][NODES_PER_RACK - 1];
    locations.add(target);
    return policy.isMovable(locations, nodes[from][0], target);
  }

  @Test
  void theBalancerMovesNoBlockThatTheNameNodeWouldMoveBack() {
    Configuration three = settings(EarKeys.BLOCKS_PER_RACK, "3");
    assertThat(isMovable(settings(), 0, 1, 3, 3, 3)).as("Hadoop's answer").isTrue();
    assertThat(isMovable(three, 0, 1, 3, 3, 3)).isFalse();
    assertThat(isMovable(three, 0, 1, 3, 2, 3, 1)).isTrue();
    assertThat(isMovable(three, 0, 0, 4, 3, 2)).as("in its rack").isTrue();
    assertThat(isMovable(three, 0, 4, 3, 3, 3)).isTrue();
    Configuration inThree = settings(EarKeys.BLOCKS_PER_RACK, "3", EarKeys.TARGET_RACKS, "3");
    assertThat(isMovable(inThree, 0, 4, 3, 3, 3)).as("a fourth rack").isFalse();
    assertThat(isMovable(inThree, 3, 4, 3, 3, 2, 1)).as("instead of a fourth rack").isTrue();
    assertThat(isMovable(inThree, 0, 1, 3, 1)).as("replicas of a block").isTrue();
    assertThat(isMovable(settings(EarKeys.BLOCKS_PER_RACK, "-1"), 0, 1, 3, 3, 3)).isTrue();
  }

  @Test
  void racksThatDoNotHoldAGroupAreRefused() {
    assertThatThrownBy(
            () -> EarSettings.of(settings(EarKeys.BLOCKS_PER_RACK, "3", EarKeys.TARGET_RACKS, "2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("together they hold 6 of the 9 blocks of a group");
  }
}
