// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.agent.BadReplica;
import org.stripeline.placement.group.PlacementException;

/**
 * Replicas of a group's blocks that agents found to be bad; plans neither keep nor read them. The
 * same applies to replicas that HDFS creates of such a block later, since they may be copies of one
 * whose wrong bytes match its checksums. Also knows which replicas have a vote on the right bytes.
 */
final class BadReplicas {
  private final Set<String> known = new HashSet<>();

  /** For each block, the DataNodes that had a replica when the first plan was made, by UUID. */
  private final Map<Integer, Map<String, DatanodeInfo>> first = new HashMap<>();

  private static String name(int block, DatanodeInfo holder) {
    return name(block, holder.getDatanodeUuid());
  }

  private static String name(int block, String uuid) {
    return block + "@" + uuid;
  }

  /** Adds replicas, and returns whether any of them was new. */
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
   * Returns the DataNodes with other replicas of a block. The first plan must call this before any
   * replica is found to be bad.
   *
   * @throws PlacementException if all of its replicas are bad
   */
  DatanodeInfo[] others(int block, LocatedBlock located) throws PlacementException {
    Map<String, DatanodeInfo> holders = new LinkedHashMap<>();
    for (DatanodeInfo holder : located.getLocations()) {
      holders.put(holder.getDatanodeUuid(), holder);
    }
    Set<String> firstHolders = first.computeIfAbsent(block, any -> holders).keySet();
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
              + " that is known to be correct: those on "
              + Arrays.toString(located.getLocations())
              + " are corrupt, or differ from each other; see hdfs fsck and hdfs debug verifyMeta");
    }
    return good.toArray(new DatanodeInfo[0]);
  }

  /**
   * Returns the DataNodes that had a replica of a block when the first plan was made, except bad
   * replicas. All of them have a vote on which bytes are right, also those that the NameNode does
   * not name any more, such as DataNodes in maintenance.
   */
  List<DatanodeInfo> voters(int block) {
    List<DatanodeInfo> voters = new ArrayList<>(first.get(block).values());
    voters.removeIf(holder -> has(block, holder));
    return voters;
  }
}
