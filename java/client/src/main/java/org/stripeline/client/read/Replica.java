// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Objects;
import org.stripeline.client.read.shared.NodeHealth;

/**
 * An internal block on a DataNode. {@link NodeHealth} tracks the DataNode, the storage and the
 * block under separate names. If one disk hangs, reads of other disks show that the DataNode works
 * but say nothing about that disk; if a disk cannot read a block, reads of its other blocks say
 * nothing about that block.
 */
final class Replica {
  private final String node;
  private final String storage;

  /** The names of the DataNode, the storage if known, and the block, in this order. */
  private final String[] names;

  /**
   * Creates a replica.
   *
   * @param storage the storage of the DataNode, null if it is not known
   * @param block a name of the internal block
   */
  Replica(String node, String storage, String block) {
    this.node = node;
    this.storage = storage;
    String ofBlock = node + ", internal block " + block;
    this.names =
        storage == null
            ? new String[] {node, ofBlock}
            : new String[] {node, node + ", storage " + storage, ofBlock};
  }

  /** Returns whether the replica is in that storage of that DataNode. */
  boolean isAt(String otherNode, String otherStorage) {
    return node.equals(otherNode) && Objects.equals(storage, otherStorage);
  }

  String node() {
    return node;
  }

  boolean isSuspect(NodeHealth health) {
    for (String name : names) {
      if (health.isSuspect(name)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether the replica may be read without a preference for others; see {@link
   * NodeHealth#admits}.
   */
  boolean admits(NodeHealth health) {
    if (isSuspect(health)) {
      return false;
    }
    for (String name : names) {
      if (!health.admits(name)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Records that a read was not answered in time; the DataNode, the storage or the block may be the
   * cause.
   */
  void markSuspect(NodeHealth health, String why) {
    health.markSuspect(node, why);
    for (int i = 1; i < names.length; i++) {
      health.markSuspectSilently(names[i]);
    }
  }

  /** Records that the replica was read in time. */
  void markHealthy(NodeHealth health) {
    for (String name : names) {
      health.markHealthy(name);
    }
  }
}
