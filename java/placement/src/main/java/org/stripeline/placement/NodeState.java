// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

/** What may be done with a DataNode; each state allows what those before it allow, and more. */
public enum NodeState {
  /** Nothing: its replicas are as good as absent. */
  DEAD,

  /** Its replicas can be read but are not to stay: it is decommissioned, say, or has no agent. */
  LEAVING,

  /** Its replicas can stay, new blocks are not to come: it is full, say, or has too much to do. */
  FULL,

  /** New blocks can be written to it. */
  OPEN;

  /** Returns whether replicas here can be read. */
  public boolean isReadable() {
    return this != DEAD;
  }

  /** Returns whether replicas here can stay, and whether encoding can run here. */
  public boolean keeps() {
    return this == FULL || this == OPEN;
  }
}
