// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.Comparator;

/**
 * A transfer holds all its ports from its first byte to its last, at the rate of the slowest, and
 * takes them one after another: it keeps those that it has while it waits for the next. This is how
 * a process of a simulation library such as CSIM reserves facilities. Every port serves who came
 * first. All transfers take ports in one total order, by kind and then by number, which keeps them
 * from waiting for each other in a circle.
 */
public final class ReservingNetwork extends Network {

  /** From which end a transfer reserves; disks come last either way. */
  public enum Order {
    /** From the sender's link to the receiver's: many transfers wait at links far away. */
    SENDER_FIRST,
    /** From the receiver's link to the sender's: who receives waits for itself first. */
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
    // The last port first: who is let in goes on to later ports, and must not overtake there.
    for (int i = transfer.portsInOrder.length - 1; i >= 0; i--) {
      Port port = transfer.portsInOrder[i];
      if (!port.isTaken() && !port.waiting.isEmpty()) {
        takeFrom((Transfer) port.waiting.remove());
      }
    }
    arrived(transfer);
  }
}
