// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

/** Moves bytes along routes in simulated time. */
public abstract class Network {
  /** Kinds of events in the digest. */
  private static final int SENT = 1;

  private static final int ARRIVED = 2;

  private final Clock clock;
  private final Digest digest;
  private final NetworkTraffic traffic = new NetworkTraffic();
  private long transfers;

  Network(Clock clock, Digest digest) {
    this.clock = clock;
    this.digest = digest;
  }

  /** Starts a transfer, or queues it until it can start. */
  public final void send(Transfer transfer) {
    transfer.sequence = transfers++;
    traffic.send(transfer);
    digest.note(
        SENT + 16L * transfer.purpose().ordinal(),
        clock.now(),
        transfer.sequence,
        transfer.bytes());
    if (transfer.route().length() == 0) {
      clock.after(0, () -> arrived(transfer));
    } else {
      begin(transfer);
    }
  }

  /** Returns the bytes sent and received. */
  public final NetworkTraffic traffic() {
    return traffic;
  }

  abstract void begin(Transfer transfer);

  final Clock clock() {
    return clock;
  }

  final void arrived(Transfer transfer) {
    traffic.receive(transfer);
    digest.note(ARRIVED, clock.now(), transfer.sequence, 0);
    transfer.arrived();
  }
}
