// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A model in which a transfer holds all its ports from its first byte to its last, at the rate of
 * the slowest port, and takes all of them at the moment when all are free. When ports become free,
 * the transfer that has waited longest among those whose ports are all free starts first; a
 * transfer that needs many ports may be overtaken often.
 */
public final class CircuitNetwork extends Network {

  /** Creates a network. */
  public CircuitNetwork(Clock clock, Digest digest) {
    super(clock, digest);
  }

  @Override
  void begin(Transfer transfer) {
    if (portsAreFree(transfer)) {
      start(transfer);
    } else {
      for (int i = 0; i < transfer.route().length(); i++) {
        transfer.route().port(i).waiting.add(transfer);
      }
    }
  }

  private static boolean portsAreFree(Transfer transfer) {
    for (int i = 0; i < transfer.route().length(); i++) {
      if (transfer.route().port(i).isTaken()) {
        return false;
      }
    }
    return true;
  }

  private void start(Transfer transfer) {
    for (int i = 0; i < transfer.route().length(); i++) {
      transfer.route().port(i).take(clock().now());
    }
    clock().after(transfer.bytes() / transfer.route().slowest(), () -> end(transfer));
  }

  private void end(Transfer transfer) {
    Route route = transfer.route();
    for (int i = 0; i < route.length(); i++) {
      route.port(i).release(clock().now(), transfer.bytes());
    }
    for (Transfer next : candidates(route)) {
      // A candidate that waited for two of these ports is listed twice; once started, its ports are
      // taken.
      if (portsAreFree(next)) {
        for (int i = 0; i < next.route().length(); i++) {
          next.route().port(i).waiting.remove(next);
        }
        start(next);
      }
    }
    arrived(transfer);
  }

  /** Returns the transfers that wait for a port of this route, the longest waiting first. */
  private static List<Transfer> candidates(Route route) {
    List<Transfer> found = new ArrayList<>();
    for (int i = 0; i < route.length(); i++) {
      for (Object waiting : route.port(i).waiting) {
        found.add((Transfer) waiting);
      }
    }
    found.sort(Comparator.comparingLong(transfer -> transfer.sequence));
    return found;
  }
}
