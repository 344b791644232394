// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.stripeline.placement.GroupPlan;
import org.stripeline.placement.PlacementException;
import org.stripeline.placement.RackTraffic;

/**
 * What the groups of a job that are not encoded yet have still to move between racks, and to write
 * to DataNodes. It is kept by the names of racks and the identities of DataNodes, since their
 * numbers change from one look at the cluster to the next.
 */
final class JobLoad {
  private final Map<String, Blocks> racks = new HashMap<>();
  private final Map<String, Long> writes = new HashMap<>();

  private static final class Blocks {
    int into;
    int outOf;
  }

  /** What one group moves and writes. */
  static final class Share {
    private final Map<String, Blocks> racks = new HashMap<>();
    private final Map<String, Long> writes = new HashMap<>();
  }

  /** Plans a group on links that have something to do already. */
  interface Planner {
    /**
     * Plans a group.
     *
     * @param nodes those that have no room for one more block are marked as full
     */
    GroupPlan plan(AgentNodes.Snapshot nodes, RackTraffic traffic) throws PlacementException;
  }

  /**
   * Plans a group while nobody else does, and adds what it moves and writes.
   *
   * @param need what a DataNode must have room for to get a block of the group
   */
  synchronized Share plan(AgentNodes.Snapshot nodes, BlockNeed need, Planner planner)
      throws PlacementException {
    RackTraffic traffic = new RackTraffic(nodes.topology().racks());
    for (int rack = 0; rack < nodes.topology().racks(); rack++) {
      Blocks blocks = racks.get(nodes.rackName(rack));
      if (blocks != null) {
        traffic.add(rack, blocks.into, blocks.outOf);
      }
    }
    GroupPlan plan = planner.plan(nodes.sparing(full(nodes, need)), traffic);
    Share share = new Share();
    RackTraffic own = new RackTraffic(nodes.topology().racks());
    own.add(plan);
    for (int rack = 0; rack < nodes.topology().racks(); rack++) {
      if (own.into(rack) + own.outOf(rack) > 0) {
        Blocks blocks = new Blocks();
        blocks.into = own.into(rack);
        blocks.outOf = own.outOf(rack);
        share.racks.put(nodes.rackName(rack), blocks);
      }
    }
    for (int block = 0; block < plan.dataBlocks(); block++) {
      if (!plan.isAdopted(block)) {
        share.writes.put(nodes.node(plan.dataNode(block)).getDatanodeUuid(), need.bytes());
      }
    }
    for (int block = 0; block < plan.shape().parity(); block++) {
      share.writes.put(nodes.node(plan.parityNode(block)).getDatanodeUuid(), need.bytes());
    }
    count(share, 1);
    return share;
  }

  /** Takes off what a group moved and wrote that is encoded, or given up; once is enough. */
  synchronized void remove(Share share) {
    count(share, -1);
    share.racks.clear();
    share.writes.clear();
  }

  private Set<String> full(AgentNodes.Snapshot nodes, BlockNeed need) {
    Set<String> full = new HashSet<>();
    for (int number = 0; number < nodes.topology().nodes(); number++) {
      String uuid = nodes.node(number).getDatanodeUuid();
      if (!need.isMetBy(nodes.storages(number), writes.getOrDefault(uuid, 0L))) {
        full.add(uuid);
      }
    }
    return full;
  }

  private void count(Share share, int times) {
    share.racks.forEach(
        (rack, blocks) -> {
          Blocks sum = racks.computeIfAbsent(rack, any -> new Blocks());
          sum.into += times * blocks.into;
          sum.outOf += times * blocks.outOf;
        });
    share.writes.forEach((uuid, bytes) -> writes.merge(uuid, times * bytes, Long::sum));
  }
}
