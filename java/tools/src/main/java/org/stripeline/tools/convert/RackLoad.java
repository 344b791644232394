// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.util.HashMap;
import java.util.Map;
import org.stripeline.placement.GroupPlan;
import org.stripeline.placement.PlacementException;
import org.stripeline.placement.RackTraffic;

/**
 * What the groups of a job that are not encoded yet move between racks. It is kept by the names of
 * racks, since their numbers change from one look at the cluster to the next.
 */
final class RackLoad {
  private final Map<String, Blocks> racks = new HashMap<>();

  private static final class Blocks {
    int into;
    int outOf;
  }

  /** What one group moves. */
  static final class Share {
    private final Map<String, Blocks> racks = new HashMap<>();
  }

  /** Plans a group on links that have something to do already. */
  interface Planner {
    GroupPlan plan(RackTraffic traffic) throws PlacementException;
  }

  /** Plans a group while nobody else does, and adds what it moves. */
  synchronized Share plan(AgentNodes.Snapshot nodes, Planner planner) throws PlacementException {
    RackTraffic traffic = new RackTraffic(nodes.topology().racks());
    for (int rack = 0; rack < nodes.topology().racks(); rack++) {
      Blocks blocks = racks.get(nodes.rackName(rack));
      if (blocks != null) {
        traffic.add(rack, blocks.into, blocks.outOf);
      }
    }
    RackTraffic own = new RackTraffic(nodes.topology().racks());
    own.add(planner.plan(traffic));
    Share share = new Share();
    for (int rack = 0; rack < nodes.topology().racks(); rack++) {
      if (own.into(rack) + own.outOf(rack) > 0) {
        Blocks blocks = new Blocks();
        blocks.into = own.into(rack);
        blocks.outOf = own.outOf(rack);
        share.racks.put(nodes.rackName(rack), blocks);
        count(nodes.rackName(rack), blocks, 1);
      }
    }
    return share;
  }

  /** Takes off what a group moved that is encoded, or given up; once is enough. */
  synchronized void remove(Share share) {
    share.racks.forEach((rack, blocks) -> count(rack, blocks, -1));
    share.racks.clear();
  }

  private void count(String rack, Blocks blocks, int times) {
    Blocks sum = racks.computeIfAbsent(rack, any -> new Blocks());
    sum.into += times * blocks.into;
    sum.outOf += times * blocks.outOf;
  }
}
