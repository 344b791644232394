// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** Bytes sent and received, by purpose. A byte that goes over two hops counts twice. */
public final class NetworkTraffic {
  private static final int PURPOSES = Purpose.values().length;

  private final long[] inRack = new long[PURPOSES];
  private final long[] across = new long[PURPOSES];
  private long sent;
  private long received;

  void send(Transfer transfer) {
    sent += transfer.bytes();
  }

  void receive(Transfer transfer) {
    Route route = transfer.route();
    int purpose = transfer.purpose().ordinal();
    received += transfer.bytes();
    inRack[purpose] += transfer.bytes() * route.hopsInRack();
    across[purpose] += transfer.bytes() * route.hopsAcross();
  }

  /** Returns the bytes of all transfers asked for. */
  public long sent() {
    return sent;
  }

  /** Returns the bytes of all transfers that arrived. */
  public long received() {
    return received;
  }

  /** Returns the bytes that went between nodes of one rack. */
  public long inRack(Purpose purpose) {
    return inRack[purpose.ordinal()];
  }

  /** Returns the bytes that went between racks. */
  public long across(Purpose purpose) {
    return across[purpose.ordinal()];
  }
}
