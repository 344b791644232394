// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A transfer holds all its ports from its first byte to its last, at the rate of the slowest, and
 * takes them all at the moment when all are free. When ports become free, the longest waiting of
 * those that now find all of theirs free goes first; one that needs many may be overtaken often.
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
      // A candidate that waited for two of these ports comes twice; started, it finds them taken.
      if (portsAreFree(next)) {
        for (int i = 0; i < next.route().length(); i++) {
          next.route().port(i).waiting.remove(next);
        }
        start(next);
      }
    }
    arrived(transfer);
  }

  /** Returns who waited for a port of this route, the longest waiting first. */
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
