// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.net.NetworkTopology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.server.namenode.EarSettings;

/**
 * Hadoop's placement of erasure-coded files, for {@code dfs.block.placement.ec.classname} of a
 * NameNode, that also accepts block groups which follow the rule of encoding-aware replication.
 * Hadoop's own policy wants a group in as many racks as possible, and copies blocks of a group in
 * fewer racks to further ones.
 *
 * <p>New blocks are placed as by Hadoop's policy.
 */
public class EarStripedPlacementPolicy extends BlockPlacementPolicyRackFaultTolerant {
  private static final Logger LOG = LoggerFactory.getLogger(EarStripedPlacementPolicy.class);

  /** Null if the settings are invalid; then only Hadoop's rule counts. */
  private EarSettings settings;

  @Override
  public void initialize(
      Configuration conf,
      FSClusterStats stats,
      NetworkTopology clusterMap,
      Host2NodesMap host2datanodeMap) {
    super.initialize(conf, stats, clusterMap, host2datanodeMap);
    try {
      settings = EarSettings.of(conf);
    } catch (IllegalArgumentException e) {
      // A NameNode must start even if the values of these keys are invalid.
      LOG.warn("Block groups must follow Hadoop's rule for racks: {}", e.getMessage());
    }
  }

  @Override
  public BlockPlacementStatus verifyBlockPlacement(DatanodeInfo[] locations, int blocks) {
    BlockPlacementStatus status = super.verifyBlockPlacement(locations, blocks);
    if (status.isPlacementPolicySatisfied() || !isAsPlaced(locations, blocks)) {
      return status;
    }
    return new BlockPlacementStatusDefault(1, 1, 1);
  }

  /**
   * Returns whether no rack has more blocks of a group than encoding-aware replication allows. Only
   * the number of blocks is known, not the code. Groups of another number of blocks, such as the
   * last ones of most files, may have fewer parity blocks and follow Hadoop's rule.
   */
  private boolean isAsPlaced(DatanodeInfo[] locations, int blocks) {
    boolean isFull =
        settings != null && settings.hasOwnRule() && blocks == settings.shape().total();
    if (!isFull || locations == null) {
      return false;
    }
    int most = settings.rule(clusterMap.getNumOfNonEmptyRacks()).blocksPerRackMax();
    Map<String, Integer> counts = new HashMap<>();
    for (DatanodeInfo node : locations) {
      if (counts.merge(node.getNetworkLocation(), 1, Integer::sum) > most) {
        return false;
      }
    }
    return true;
  }
}
