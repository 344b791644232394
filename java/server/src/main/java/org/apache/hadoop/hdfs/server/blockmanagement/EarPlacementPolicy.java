// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.Ticker;
import org.stripeline.placement.RackRule;
import org.stripeline.server.namenode.EarSettings;

/**
 * Encoding-aware replication, for {@code dfs.block.replicator.classname} of a NameNode. For files
 * in the directories of {@code stripeline.ear.directories}, it places replicas such that k
 * consecutive blocks can later become a block group without moving, and be encoded without reads
 * across racks. Hadoop's own policy places all other blocks, and blocks for which no such placement
 * is found.
 *
 * <p>A NameNode creates several policies of this class. So do fsck and the Balancer, which have no
 * statistics and place no new blocks. Pending stripes are not kept over a restart, a failover or a
 * refresh of the policy: a conversion uses the actual locations, not the intended ones.
 *
 * <p>Source: Li, Hu and Lee, "Enabling Efficient and Reliable Transition from Replication to
 * Erasure Coding for Clustered File Systems" (DSN 2015).
 */
public class EarPlacementPolicy extends BlockPlacementPolicyDefault {
  private static final Logger LOG = LoggerFactory.getLogger(EarPlacementPolicy.class);

  private EarSettings settings;

  /** Null if this instance places no blocks. */
  private EarStripes stripes;

  @Override
  public void initialize(
      Configuration conf,
      FSClusterStats stats,
      NetworkTopology clusterMap,
      Host2NodesMap host2datanodeMap) {
    super.initialize(conf, stats, clusterMap, host2datanodeMap);
    boolean isPlacing = stats != null && clusterMap != null;
    try {
      settings = EarSettings.of(conf);
    } catch (IllegalArgumentException e) {
      // A NameNode must start even if the values of these keys are invalid.
      LOG.warn(
          "Cannot place blocks for encoding, Hadoop's policy places all blocks: {}",
          e.getMessage());
      if (isPlacing) {
        EarMetrics.publish(null, true);
      }
      return;
    }
    if (settings.isOn() && isPlacing) {
      long staleMillis =
          conf.getLong(
              DFSConfigKeys.DFS_NAMENODE_STALE_DATANODE_INTERVAL_KEY,
              DFSConfigKeys.DFS_NAMENODE_STALE_DATANODE_INTERVAL_DEFAULT);
      boolean prefersWriter =
          conf.getBoolean(
              DFSConfigKeys.DFS_NAMENODE_BLOCKPLACEMENTPOLICY_DEFAULT_PREFER_LOCAL_NODE_KEY,
              DFSConfigKeys.DFS_NAMENODE_BLOCKPLACEMENTPOLICY_DEFAULT_PREFER_LOCAL_NODE_DEFAULT);
      stripes =
          new EarStripes(clusterMap, stats, settings, staleMillis, prefersWriter, Ticker.SYSTEM);
      LOG.info("Placing blocks for encoding: {}", settings);
    }
    if (isPlacing) {
      EarMetrics.publish(stripes, false);
    }
  }

  @Override
  DatanodeStorageInfo[] chooseTarget(
      String src,
      int numOfReplicas,
      Node writer,
      Set<Node> excludedNodes,
      long blocksize,
      List<DatanodeDescriptor> favoredNodes,
      BlockStoragePolicy storagePolicy,
      EnumSet<AddBlockFlag> flags) {
    boolean isFavored = favoredNodes != null && !favoredNodes.isEmpty();
    boolean isPlain = flags == null || flags.isEmpty();
    List<DatanodeDescriptor> advised = null;
    if (stripes != null && settings.covers(src)) {
      if (isFavored || !isPlain) {
        EarMetrics.left();
      } else {
        advised = advised(src, numOfReplicas, writer, excludedNodes, storagePolicy);
      }
    }
    if (advised != null) {
      DatanodeStorageInfo[] chosen =
          super.chooseTarget(
              src, numOfReplicas, writer, excludedNodes, blocksize, advised, storagePolicy, flags);
      if (isAsAdvised(chosen, advised)) {
        return chosen;
      }
      EarMetrics.overruled();
      // Hadoop replaces preferred DataNodes that it refuses, such as one without room for this
      // block, without regard to racks.
      if (!isInOneRack(chosen)) {
        return chosen;
      }
    }
    return super.chooseTarget(
        src, numOfReplicas, writer, excludedNodes, blocksize, favoredNodes, storagePolicy, flags);
  }

  private static boolean isInOneRack(DatanodeStorageInfo[] chosen) {
    return Stream.of(chosen)
            .map(storage -> storage.getDatanodeDescriptor().getNetworkLocation())
            .distinct()
            .count()
        <= 1;
  }

  /**
   * Returns whether the Balancer or the Mover may move a block. They ask this policy also about the
   * blocks of groups, and Hadoop's answer allows moves that the NameNode mends by further ones.
   *
   * @param locations the nodes of all blocks of a group, or of all replicas of a block, and the
   *     target
   */
  @Override
  public boolean isMovable(
      Collection<DatanodeInfo> locations, DatanodeInfo source, DatanodeInfo target) {
    return super.isMovable(locations, source, target)
        && (settings == null
            || !settings.hasOwnRule()
            || locations.size() != settings.shape().total() + 1
            || keepsRule(locations, source, target));
  }

  /** Returns whether a group follows the rule for racks after a move at least as before it. */
  private boolean keepsRule(
      Collection<DatanodeInfo> locations, DatanodeInfo source, DatanodeInfo target) {
    String from = source.getNetworkLocation();
    String to = target.getNetworkLocation();
    Map<String, Integer> counts = new HashMap<>();
    locations.forEach(node -> counts.merge(node.getNetworkLocation(), 1, Integer::sum));
    RackRule rule = settings.rule(clusterMap.getNumOfNonEmptyRacks());
    boolean isNewRack = counts.get(to) == 1 && counts.get(from) > 1;
    int racksMax = rule.targetRacks() == 0 ? counts.size() : rule.targetRacks();
    return from.equals(to)
        || counts.get(to) <= rule.blocksPerRackMax() && !(isNewRack && counts.size() > racksMax);
  }

  /** Returns whether all preferred DataNodes were chosen; Hadoop adds further replicas itself. */
  private static boolean isAsAdvised(
      DatanodeStorageInfo[] chosen, List<DatanodeDescriptor> advised) {
    Set<DatanodeDescriptor> nodes = new HashSet<>();
    for (DatanodeStorageInfo storage : chosen) {
      nodes.add(storage.getDatanodeDescriptor());
    }
    return nodes.containsAll(advised);
  }

  /** Returns the pending stripes; null if this instance places no blocks. */
  EarStripes stripes() {
    return stripes;
  }

  /**
   * Returns the preferred DataNodes for the replicas, as many as Hadoop's checks accept in two
   * racks; null if there is no preference.
   */
  private List<DatanodeDescriptor> advised(
      String src, int replicas, Node writer, Set<Node> excluded, BlockStoragePolicy storage) {
    try {
      int most = 1 + getMaxNodesPerRack(0, replicas)[1];
      List<StorageType> types = storage.chooseStorageTypes((short) replicas);
      return stripes.advise(src, Math.min(replicas, most), writer, excluded, types);
    } catch (RuntimeException e) {
      EarMetrics.failed();
      LOG.warn("Cannot place a block of {} for encoding, Hadoop's policy places it", src, e);
      return null;
    }
  }
}
