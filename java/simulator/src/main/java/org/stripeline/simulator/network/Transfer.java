// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** Bytes on their way along a route. */
public final class Transfer {
  private final Purpose purpose;
  private final Route route;
  private final long bytes;
  private final Runnable whenArrived;

  /** Position in the order in which transfers were asked for; set by the network. */
  long sequence;

  /** Ports taken so far, where they are taken one after another. */
  int portsTaken;

  /** The route's ports in the order in which they are taken, where they are one by one. */
  Port[] portsInOrder;

  /** Bytes that left the source and that reached the target, where there are segments. */
  long bytesBegun;

  long bytesArrived;

  /** Whether a segment is at the first port or waits for it. */
  boolean isAtFirstPort;

  /**
   * Describes a transfer.
   *
   * @param bytes at least 1
   * @param whenArrived happens when the last byte is there
   */
  public Transfer(Purpose purpose, Route route, long bytes, Runnable whenArrived) {
    if (bytes < 1) {
      throw new IllegalArgumentException("Cannot transfer " + bytes + " bytes: must be at least 1");
    }
    this.purpose = purpose;
    this.route = route;
    this.bytes = bytes;
    this.whenArrived = whenArrived;
  }

  Purpose purpose() {
    return purpose;
  }

  Route route() {
    return route;
  }

  long bytes() {
    return bytes;
  }

  void arrived() {
    whenArrived.run();
  }
}
