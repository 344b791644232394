// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.stripeline.agent.AgentException;
import org.stripeline.natives.Ticker;

/**
 * Lets a caller in that has been refused for some seconds. Another one that calls again as soon as
 * it is answered, as scrubs do, would keep it out, because it asks only five times a second.
 */
final class ScrubTurns {
  /** About as long as a call reads. */
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A caller that has not asked for longer than this does not wait any more. */
  private static final long ASKS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Ticker ticker;

  /** The client that waits, or null. */
  private ByteBuffer waiting;

  private long sinceNanos;
  private long askedNanos;

  ScrubTurns(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Refuses a call if another client has waited for longer. */
  synchronized void require(byte[] client) throws AgentException {
    long now = ticker.nanos();
    if (isAsking(now)
        && now - sinceNanos >= WAIT_NANOS
        && !waiting.equals(ByteBuffer.wrap(client))) {
      throw new AgentException(
          AgentException.Kind.BUSY, "another caller has waited for seconds; try again later");
    }
  }

  private boolean isAsking(long now) {
    return waiting != null && now - askedNanos <= ASKS_NANOS;
  }

  /** Records that a client was refused, and will ask again. */
  synchronized void refused(byte[] client) {
    long now = ticker.nanos();
    ByteBuffer name = ByteBuffer.wrap(client);
    if (!isAsking(now)) {
      waiting = name;
      sinceNanos = now;
    }
    if (waiting.equals(name)) {
      askedNanos = now;
    }
  }

  /** Records that a call of a client was served. */
  synchronized void served(byte[] client) {
    if (ByteBuffer.wrap(client).equals(waiting)) {
      waiting = null;
    }
  }
}
