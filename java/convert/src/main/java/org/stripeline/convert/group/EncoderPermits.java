// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * Limits each encoder to one group at a time if encoding is rate-limited; otherwise sets no limit.
 */
final class EncoderPermits {
  private static final Permit FREE = () -> {};

  private final boolean isLimited;
  private final Map<String, Semaphore> busy = new ConcurrentHashMap<>();

  /** Allows its holder to encode on one DataNode until it is closed. */
  interface Permit extends AutoCloseable {
    @Override
    void close();
  }

  EncoderPermits(boolean isLimited) {
    this.isLimited = isLimited;
  }

  /** Waits for the permit of a DataNode. */
  Permit acquire(String uuid) throws InterruptedIOException {
    if (!isLimited) {
      return FREE;
    }
    Semaphore semaphore = busy.computeIfAbsent(uuid, any -> new Semaphore(1));
    try {
      semaphore.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait for an encoder: interrupted");
    }
    return semaphore::release;
  }
}
