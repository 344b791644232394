// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.ArrayDeque;

/** A resource that serves one transfer or segment at a time: one direction of a link, or a disk. */
public final class Port {

  /** Kinds, in the order in which a block passes them; disks last. */
  public enum Kind {
    /** From a node to its rack's switch. */
    NODE_UP,
    /** From a rack's switch to the core. */
    RACK_UP,
    /** From the core to a rack's switch. */
    RACK_DOWN,
    /** From a rack's switch to a node. */
    NODE_DOWN,
    /** All disks of a node, as one resource. */
    DISK
  }

  /**
   * The waiting transfers or segments in order of arrival; the network that owns the port defines
   * their type.
   */
  final ArrayDeque<Object> waiting = new ArrayDeque<>(2);

  private final Kind kind;
  private final int number;
  private boolean isTaken;
  private double takenAt;
  private double busySeconds;
  private long bytes;

  Port(Kind kind, int number) {
    this.kind = kind;
    this.number = number;
  }

  /** Returns the kind of this port. */
  public Kind kind() {
    return kind;
  }

  /** Returns the number of its node or rack. */
  public int number() {
    return number;
  }

  /** Returns the total time in seconds during which it was held. */
  public double busySeconds() {
    return busySeconds;
  }

  /** Returns the bytes that passed through it. */
  public long bytes() {
    return bytes;
  }

  boolean isTaken() {
    return isTaken;
  }

  void take(double now) {
    if (isTaken) {
      throw new IllegalStateException("Cannot take " + this + ": it is taken");
    }
    isTaken = true;
    takenAt = now;
  }

  void release(double now, long bytesMoved) {
    if (!isTaken) {
      throw new IllegalStateException("Cannot release " + this + ": it is not taken");
    }
    isTaken = false;
    busySeconds += now - takenAt;
    bytes += bytesMoved;
  }

  @Override
  public String toString() {
    return kind + " " + number;
  }
}
