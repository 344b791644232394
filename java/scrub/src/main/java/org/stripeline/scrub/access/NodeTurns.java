// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.InterruptedIOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Gives each DataNode one call at a time, so that the rate of a call is the rate of the DataNode,
 * and calls do not refuse each other.
 */
final class NodeTurns {
  private final Set<String> busy = new HashSet<>();

  /** Waits for the turn of a DataNode; closing the result ends it. */
  synchronized Turn take(String uuid) throws InterruptedIOException {
    try {
      while (!busy.add(uuid)) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for another call to a DataNode: interrupted");
    }
    return () -> end(uuid);
  }

  private synchronized void end(String uuid) {
    busy.remove(uuid);
    notifyAll();
  }

  /** The time of one call. */
  interface Turn extends AutoCloseable {
    @Override
    void close();
  }
}
