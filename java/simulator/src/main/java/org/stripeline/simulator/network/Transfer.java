// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** A transfer of bytes along a route. */
public final class Transfer {
  private final Purpose purpose;
  private final Route route;
  private final long bytes;
  private final Runnable whenArrived;

  /** Position in the order in which transfers were requested; set by the network. */
  long sequence;

  /** Number of ports taken so far, in models that take them one after another. */
  int portsTaken;

  /**
   * The route's ports in the order in which they are taken, in models that take them one after
   * another.
   */
  Port[] portsInOrder;

  /** Bytes that left the source, and bytes that reached the target, in models with segments. */
  long bytesBegun;

  long bytesArrived;

  /** Whether a segment is at the first port or waits for it. */
  boolean isAtFirstPort;

  /**
   * Creates a transfer.
   *
   * @param bytes at least 1
   * @param whenArrived is run when the last byte has arrived
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
