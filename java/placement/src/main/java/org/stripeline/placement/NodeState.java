// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

/** How a DataNode may be used; each state allows what the states before it allow, and more. */
public enum NodeState {
  /** Not usable: its replicas count as absent. */
  DEAD,

  /**
   * Its replicas can be read but must not be retained, for example because it is being
   * decommissioned or has no agent.
   */
  LEAVING,

  /**
   * Its replicas can be retained, but it gets no new blocks, for example because it is full or
   * overloaded.
   */
  FULL,

  /** New blocks can be written to it. */
  OPEN;

  /** Returns whether replicas on this node can be read. */
  public boolean isReadable() {
    return this != DEAD;
  }

  /** Returns whether replicas on this node can be retained, and whether encoding can run on it. */
  public boolean keeps() {
    return this == FULL || this == OPEN;
  }
}
