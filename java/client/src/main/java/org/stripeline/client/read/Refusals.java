// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.client.read.shared.ReadContext;

/**
 * The attempts to open one reader at a DataNode that closes new connections without an answer, as
 * {@code DataXceiverServer} does at the limit {@code dfs.datanode.max.transfer.threads}. Idle
 * readers of this process at that DataNode are closed to make room.
 */
public final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);

  /**
   * The maximum number of further attempts, after waits that double. The sum of the waits, 93 ms,
   * is shorter than the time after which hedging reads other units by default.
   */
  private static final int ATTEMPTS_MAX = 5;

  /** The same if no idle reader was closed, so that only the end of other reads makes room. */
  private static final int ATTEMPTS_MAX_BUSY = 2;

  /** The maximum number of idle readers that are closed to open one. */
  private static final int CLOSED_MAX = 2;

  private static final long FIRST_WAIT_NANOS = 3_000_000;

  private final ReadContext context;
  private int attempts;
  private int closed;

  /** Creates an object for one reader that is to be opened. */
  public Refusals(ReadContext context) {
    this.context = context;
  }

  /**
   * Waits until the DataNode has probably room if {@code fault} is a refusal.
   *
   * @return whether to try again
   * @throws InterruptedIOException if the thread is interrupted; it remains marked as interrupted
   */
  public boolean mayTryAgain(String node, IOException fault) throws InterruptedIOException {
    if (!isRefusal(fault)) {
      return false;
    }
    if (closed < CLOSED_MAX && context.idleLanes().putAwayOldest(node)) {
      closed++;
      if (context.health().isNews("limit of " + node)) {
        LOG.warn(
            "DataNode {} closed a new connection without an answer ({}); idle connections of this"
                + " process to it are closed to make room. Raise dfs.datanode.max.transfer.threads"
                + " if the DataNode's log shows that this limit is exceeded",
            node,
            fault.toString());
      }
    }
    if (attempts >= (closed > 0 ? ATTEMPTS_MAX : ATTEMPTS_MAX_BUSY)) {
      return false;
    }
    try {
      context.ticker().sleep(FIRST_WAIT_NANOS << attempts++);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for room at " + node);
    }
    return true;
  }

  /**
   * Returns whether the peer closed the connection. A write to a closed channel throws an {@link
   * IOException} that only its message tells from others, as in Hadoop's {@code BlockSender}.
   */
  public static boolean isRefusal(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      if (cause instanceof EOFException
          || message.startsWith("Broken pipe")
          || message.startsWith("Connection reset")) {
        return true;
      }
    }
    return false;
  }
}
