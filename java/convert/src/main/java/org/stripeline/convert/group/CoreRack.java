// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Finds the rack with replicas of the most blocks of a group. A reader of the group in this rack
 * reads the least from other racks.
 */
public final class CoreRack {
  /** More hosts would not place a map closer, and MapReduce keeps 15 at most. */
  public static final int HOSTS_MAX = 10;

  private final Map<String, Integer> blocks = new TreeMap<>();
  private final Map<String, Map<String, Integer>> hosts = new TreeMap<>();

  private CoreRack() {}

  /** Returns the core rack of some blocks. */
  public static CoreRack of(List<LocatedBlock> group) {
    CoreRack racks = new CoreRack();
    for (LocatedBlock block : group) {
      racks.count(block);
    }
    return racks;
  }

  /** Returns the name of the rack; empty if no block has a location. */
  public String name() {
    // Ties are broken by name, so that plans are deterministic.
    return blocks.isEmpty()
        ? ""
        : Collections.max(
                blocks.entrySet(),
                Map.Entry.<String, Integer>comparingByValue()
                    .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
            .getKey();
  }

  /** Returns hosts in the rack, those with the most replicas first. */
  public List<String> hosts() {
    List<Map.Entry<String, Integer>> found =
        new ArrayList<>(hosts.getOrDefault(name(), Collections.emptyMap()).entrySet());
    found.sort(
        Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()));
    List<String> names = new ArrayList<>();
    for (Map.Entry<String, Integer> host : found.subList(0, Math.min(HOSTS_MAX, found.size()))) {
      names.add(host.getKey());
    }
    return names;
  }

  /**
   * Counts several replicas of a block in one rack once. Internal blocks of a group count
   * separately.
   */
  private void count(LocatedBlock block) {
    Set<String> seen = new LinkedHashSet<>();
    for (DatanodeInfo node : block.getLocations()) {
      String rack = node.getNetworkLocation();
      if (block.isStriped() || seen.add(rack)) {
        blocks.merge(rack, 1, Integer::sum);
      }
      hosts
          .computeIfAbsent(rack, any -> new TreeMap<>())
          .merge(node.getHostName(), 1, Integer::sum);
    }
  }
}
