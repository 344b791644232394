// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.stripeline.natives.Ticker;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.PlacementException;
import org.stripeline.placement.group.RackTraffic;

/**
 * The traffic between racks and the writes to DataNodes that are outstanding for groups that are
 * not encoded yet. Kept by rack name and DataNode UUID, since node numbers differ between
 * snapshots.
 */
final class JobLoad {
  /** Maximum time until DataNodes have reported to the NameNode what was written to them. */
  private static final long UNTOLD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Ticker ticker;
  private final Map<String, Blocks> racks = new HashMap<>();
  private final Map<String, Long> writes = new HashMap<>();

  /** Writes of groups that were encoded or abandoned, oldest first. */
  private final Deque<Written> written = new ArrayDeque<>();

  JobLoad(Ticker ticker) {
    this.ticker = ticker;
  }

  private static final class Blocks {
    int into;
    int outOf;
  }

  private static final class Written {
    final Map<String, Long> bytes;
    final long at;

    Written(Map<String, Long> bytes, long at) {
      this.bytes = bytes;
      this.at = at;
    }
  }

  /** The traffic and writes of one group. */
  static final class Share {
    private final Map<String, Blocks> racks = new HashMap<>();
    private final Map<String, Long> writes = new HashMap<>();
  }

  /** Plans a group, given the outstanding traffic. */
  interface Planner {
    /**
     * Plans a group.
     *
     * @param nodes snapshot in which nodes without space for another block are marked as full
     */
    GroupPlan plan(AgentNodes.Snapshot nodes, RackTraffic traffic) throws PlacementException;
  }

  /**
   * Plans a group, and adds its traffic and writes. Plans are made one at a time.
   *
   * @param need space that a DataNode must have to get a block of the group
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
    Share share = share(nodes, need, plan(nodes, need, traffic, planner));
    count(share, 1);
    return share;
  }

  private static Share share(AgentNodes.Snapshot nodes, BlockNeed need, GroupPlan plan) {
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
    return share;
  }

  private GroupPlan plan(
      AgentNodes.Snapshot nodes, BlockNeed need, RackTraffic traffic, Planner planner)
      throws PlacementException {
    Map<String, Long> promised = promised(nodes);
    try {
      return planner.plan(nodes.sparing(full(nodes, need, promised)), traffic);
    } catch (PlacementException e) {
      if (promised.isEmpty()) {
        throw e;
      }
      // Retry without the outstanding writes: completed conversions free space, and much of what is
      // outstanding may have been written already.
      return planner.plan(nodes.sparing(full(nodes, need, Collections.emptyMap())), traffic);
    }
  }

  /** Adds a block that is written although the plan kept it. */
  synchronized void addWrite(Share share, String uuid, long bytes) {
    share.writes.merge(uuid, bytes, Long::sum);
    countWrite(uuid, bytes);
  }

  /** Removes the traffic and writes of a group that was encoded or abandoned. Idempotent. */
  synchronized void remove(Share share) {
    count(share, -1);
    if (!share.writes.isEmpty()) {
      written.add(new Written(new HashMap<>(share.writes), ticker.nanos()));
    }
    share.racks.clear();
    share.writes.clear();
  }

  /**
   * Returns the bytes that DataNodes will get, or have got since they last reported their space.
   */
  private Map<String, Long> promised(AgentNodes.Snapshot nodes) {
    Map<String, Long> promised = new HashMap<>(writes);
    // Older entries are not needed: no plan uses a snapshot that old.
    while (!written.isEmpty()
        && ticker.nanos() - written.peek().at > UNTOLD_NANOS + AgentNodes.REFRESH_NANOS) {
      written.remove();
    }
    for (Written group : written) {
      if (nodes.at() - group.at < UNTOLD_NANOS) {
        group.bytes.forEach((uuid, bytes) -> promised.merge(uuid, bytes, Long::sum));
      }
    }
    return promised;
  }

  private static Set<String> full(
      AgentNodes.Snapshot nodes, BlockNeed need, Map<String, Long> promised) {
    Set<String> full = new HashSet<>();
    for (int number = 0; number < nodes.topology().nodes(); number++) {
      String uuid = nodes.node(number).getDatanodeUuid();
      if (!need.isMetBy(nodes.storages(number), promised.getOrDefault(uuid, 0L))) {
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
    share.writes.forEach((uuid, bytes) -> countWrite(uuid, times * bytes));
  }

  private void countWrite(String uuid, long bytes) {
    writes.merge(uuid, bytes, (sum, more) -> sum + more == 0 ? null : sum + more);
  }
}
