// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.Comparator;

/**
 * A model in which a transfer holds all its ports from its first byte to its last, at the rate of
 * the slowest port, and takes them one after another: it holds the ports that it has while it waits
 * for the next one. Processes of a simulation library such as CSIM reserve facilities in this way.
 * Every port serves requests in order of arrival. All transfers take ports in one total order, by
 * kind and then by number, which prevents deadlock.
 */
public final class ReservingNetwork extends Network {

  /** The end of the route at which reservation begins; disks are always last. */
  public enum Order {
    /** From the sender's link to the receiver's: many transfers wait at remote links. */
    SENDER_FIRST,
    /**
     * From the receiver's link to the sender's: a transfer first waits for the receiver's own link.
     */
    RECEIVER_FIRST
  }

  private final Comparator<Port> order;

  /** Creates a network. */
  public ReservingNetwork(Clock clock, Digest digest, Order order) {
    super(clock, digest);
    this.order =
        Comparator.comparingInt((Port port) -> rank(port.kind(), order))
            .thenComparingInt(Port::number);
  }

  private static int rank(Port.Kind kind, Order order) {
    boolean isReversed = order == Order.RECEIVER_FIRST && kind != Port.Kind.DISK;
    return isReversed ? Port.Kind.DISK.ordinal() - 1 - kind.ordinal() : kind.ordinal();
  }

  @Override
  void begin(Transfer transfer) {
    transfer.portsInOrder = transfer.route().ports(order);
    takeFrom(transfer);
  }

  private void takeFrom(Transfer transfer) {
    Port[] ports = transfer.portsInOrder;
    while (transfer.portsTaken < ports.length) {
      Port port = ports[transfer.portsTaken];
      if (port.isTaken()) {
        port.waiting.add(transfer);
        return;
      }
      port.take(clock().now());
      transfer.portsTaken++;
    }
    clock().after(transfer.bytes() / transfer.route().slowest(), () -> end(transfer));
  }

  private void end(Transfer transfer) {
    for (Port port : transfer.portsInOrder) {
      port.release(clock().now(), transfer.bytes());
    }
    // The last port first: a transfer that gets a port continues with later ports, and must not
    // overtake the transfers that wait there.
    for (int i = transfer.portsInOrder.length - 1; i >= 0; i--) {
      Port port = transfer.portsInOrder[i];
      if (!port.isTaken() && !port.waiting.isEmpty()) {
        takeFrom((Transfer) port.waiting.remove());
      }
    }
    arrived(transfer);
  }
}
