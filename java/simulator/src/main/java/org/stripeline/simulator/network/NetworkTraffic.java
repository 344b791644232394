// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** Bytes sent and received, by purpose. A byte that crosses two hops counts twice. */
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

  /** Returns the bytes of all transfers that were requested. */
  public long sent() {
    return sent;
  }

  /** Returns the bytes of all transfers that arrived. */
  public long received() {
    return received;
  }

  /** Returns the bytes sent between nodes of one rack. */
  public long inRack(Purpose purpose) {
    return inRack[purpose.ordinal()];
  }

  /** Returns the bytes sent between racks. */
  public long across(Purpose purpose) {
    return across[purpose.ordinal()];
  }
}
