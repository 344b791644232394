// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** Gives each encoder one group at a time where a rate holds for it; else as many as come. */
final class EncoderTurns {
  private static final Turn FREE = () -> {};

  private final boolean isLimited;
  private final Map<String, Semaphore> busy = new ConcurrentHashMap<>();

  /** The right to encode somewhere, until it is closed. */
  interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  EncoderTurns(boolean isLimited) {
    this.isLimited = isLimited;
  }

  /** Waits for a DataNode's turn. */
  Turn take(String uuid) throws InterruptedIOException {
    if (!isLimited) {
      return FREE;
    }
    Semaphore turn = busy.computeIfAbsent(uuid, any -> new Semaphore(1));
    try {
      turn.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for an encoder: interrupted");
    }
    return turn::release;
  }
}
