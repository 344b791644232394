// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.agent.BadReplica;
import org.stripeline.placement.group.PlacementException;

/**
 * Replicas of a group's blocks that agents found to be bad: they are neither kept nor read. Nor are
 * those that HDFS makes of the same blocks later, since it may have copied one whose bytes are
 * wrong though its checksums fit them.
 */
final class BadReplicas {
  private final Set<String> known = new HashSet<>();

  /** By block, the DataNodes that the first plan knew. */
  private final Map<Integer, Set<String>> first = new HashMap<>();

  private static String name(int block, DatanodeInfo holder) {
    return name(block, holder.getDatanodeUuid());
  }

  private static String name(int block, String uuid) {
    return block + "@" + uuid;
  }

  /** Adds some and returns whether any of them was not known. */
  boolean add(List<BadReplica> found) {
    boolean isNews = false;
    for (BadReplica one : found) {
      isNews |= known.add(name(one.unit, one.uuid));
    }
    return isNews;
  }

  boolean has(int block, DatanodeInfo holder) {
    return known.contains(name(block, holder));
  }

  /**
   * Returns the DataNodes with other replicas of a block; the first plan must ask before any is
   * bad.
   *
   * @throws PlacementException if all of its replicas are bad
   */
  DatanodeInfo[] others(int block, LocatedBlock located) throws PlacementException {
    Set<String> holders = new HashSet<>();
    for (DatanodeInfo holder : located.getLocations()) {
      holders.add(holder.getDatanodeUuid());
    }
    Set<String> firstHolders = first.computeIfAbsent(block, any -> holders);
    boolean isAnyBad = firstHolders.stream().anyMatch(uuid -> known.contains(name(block, uuid)));
    List<DatanodeInfo> good = new ArrayList<>();
    for (DatanodeInfo holder : located.getLocations()) {
      boolean isLater = !firstHolders.contains(holder.getDatanodeUuid());
      if (!has(block, holder) && !(isAnyBad && isLater)) {
        good.add(holder);
      }
    }
    if (good.isEmpty() && located.getLocations().length > 0) {
      throw new PlacementException(
          "Cannot find a replica of "
              + located.getBlock()
              + " that is known to be right: those on "
              + Arrays.toString(located.getLocations())
              + " are corrupt, or differ from each other; see hdfs fsck and hdfs debug verifyMeta");
    }
    return good.toArray(new DatanodeInfo[0]);
  }
}
