// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A SHA-256 digest of all events with their times. Two runs with the same digest had the same
 * events in the same order. Not thread-safe.
 */
public final class Digest {
  private static final int NOTE_BYTES = 32;
  private static final int SHOWN_BYTES = 8;

  private final ByteBuffer pending = ByteBuffer.allocate(256 * NOTE_BYTES);
  private final MessageDigest sha;

  /** Creates an empty digest. */
  public Digest() {
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Cannot create a SHA-256 digest: this Java lacks it", e);
    }
  }

  /**
   * Adds an event.
   *
   * @param kind the kind of event, a number defined by the caller
   * @param time in seconds
   */
  public void note(long kind, double time, long first, long second) {
    if (pending.remaining() < NOTE_BYTES) {
      flush();
    }
    pending.putLong(kind).putDouble(time).putLong(first).putLong(second);
  }

  private void flush() {
    sha.update(pending.array(), 0, pending.position());
    pending.clear();
  }

  /** Returns the first 64 bits in hexadecimal digits; must be called once, at the end. */
  public String finish() {
    flush();
    byte[] sum = sha.digest();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < SHOWN_BYTES; i++) {
      text.append(String.format("%02x", sum[i] & 0xff));
    }
    return text.toString();
  }
}
