// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What a stream knows of the internal blocks of one group. What failed here says nothing of the
 * same DataNode's blocks in other groups, but for the preference that {@link NodeHealth} keeps for
 * DataNodes that did not answer at all.
 */
public final class GroupKnowledge {
  private final BlockGroup group;
  private final GroupGeometry geometry;

  /** Why an internal block last failed; null if it has not. */
  private final AtomicReferenceArray<IOException> faults;

  /**
   * Creates it with nothing known to be wrong.
   *
   * @param groupBytes bytes of the file in this group
   */
  public GroupKnowledge(
      BlockGroup group, int dataUnits, int parityUnits, int cellBytes, long groupBytes) {
    this.group = group;
    this.geometry = new GroupGeometry(dataUnits, parityUnits, cellBytes, groupBytes);
    this.faults = new AtomicReferenceArray<>(geometry.units());
  }

  /** How readily an internal block is asked. */
  enum Standing {
    GOOD,
    /** Its DataNode was late or did not answer a while ago. */
    SUSPECT,
    /** It has failed in this group, if perhaps elsewhere in it. */
    FAULTY,
    /** No DataNode is known to have it. */
    ABSENT
  }

  /** Returns the group. */
  public BlockGroup group() {
    return group;
  }

  /** Returns bytes of the file in this group. */
  public long groupBytes() {
    return geometry.groupBytes();
  }

  GroupGeometry geometry() {
    return geometry;
  }

  Standing standing(int unit, NodeHealth health) {
    String node = group.node(unit);
    if (node == null) {
      return Standing.ABSENT;
    }
    if (faults.get(unit) != null) {
      return Standing.FAULTY;
    }
    return health.isSuspect(node) ? Standing.SUSPECT : Standing.GOOD;
  }

  IOException fault(int unit) {
    return faults.get(unit);
  }

  void failed(int unit, IOException fault, NodeHealth health) {
    faults.set(unit, fault);
    String node = group.node(unit);
    if (node != null && isOfTheNode(fault)) {
      health.suspect(node);
    }
  }

  /** A connection that fails or falls silent is the DataNode's; all else is the block's. */
  private static boolean isOfTheNode(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketException || cause instanceof SocketTimeoutException) {
        return true;
      }
    }
    return false;
  }

  /** Asks where the internal blocks are, and gives all but the corrupt ones another chance. */
  void refresh() throws IOException {
    group.refresh();
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!(faults.get(unit) instanceof CorruptUnitException)) {
        faults.set(unit, null);
      }
    }
  }
}
