// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Objects;

/**
 * An internal block on a DataNode. {@link NodeHealth} knows the DataNode, the storage and the block
 * by names of their own: where one disk hangs, reads of the others show that the DataNode serves
 * reads, which says nothing of that disk; and where a disk fails to read a block, reads of others
 * on it say nothing of the block.
 */
final class Replica {
  private final String node;
  private final String storage;

  /** The DataNode first. */
  private final String[] names;

  /**
   * Creates it.
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

  /** Returns whether it is in that storage of that DataNode. */
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

  /** Returns whether it may be asked as readily as any; see {@link NodeHealth#admits}. */
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

  /** Takes note that a read got no answer in time, which may be the fault of any of these. */
  void markSuspect(NodeHealth health, String why) {
    health.markSuspect(node, why);
    for (int i = 1; i < names.length; i++) {
      health.markSuspectSilently(names[i]);
    }
  }

  /** Takes note that it was read in time. */
  void markHealthy(NodeHealth health) {
    for (String name : names) {
      health.markHealthy(name);
    }
  }
}
