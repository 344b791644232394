// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.EncodeResult;
import org.stripeline.agent.TaskReport;
import org.stripeline.convert.job.Polling;
import org.stripeline.natives.Ticker;

/** Calls agents, and retries while an agent is busy or waits for the NameNode. */
final class AgentCall {
  /** Maximum time to wait for a busy agent. */
  private static final long BUSY_MS = 3_600_000;

  /** Longer than a link takes, or a copy of a block where a volume has no hard links. */
  static final long LINK_BUSY_MS = 300_000;

  /** Maximum time after a failover until DataNodes have registered with the NameNode. */
  private static final long NOT_READY_NANOS = TimeUnit.MINUTES.toNanos(2);

  private AgentCall() {}

  /** A call to an agent. */
  interface Request {
    void send() throws IOException;
  }

  /** Returns the exception for an agent's task that has ended without success. */
  static AgentException failure(DatanodeInfo encoder, TaskReport report) {
    String message = "Cannot encode a group on " + encoder.getXferAddr() + ": " + report.error;
    return report.bad == null || report.bad.isEmpty()
        ? new AgentException(
            report.errorKind == null ? AgentException.Kind.FAILED : report.errorKind, message)
        : new AgentException(message, report.bad);
  }

  /**
   * Checks that an agent has verified the replicas that a group keeps. Agents of releases without
   * this feature ignore them and encode anyway.
   */
  static void requireVerified(DatanodeInfo encoder, EncodeResult result, int kept)
      throws AgentException {
    if (result == null || result.kept == null || result.kept.size() != kept) {
      throw new AgentException(
          AgentException.Kind.NO_AGENT,
          "Cannot use a group encoded on "
              + encoder.getXferAddr()
              + ": its agent has verified "
              + (result == null || result.kept == null ? 0 : result.kept.size())
              + " of "
              + kept
              + " replicas that the group keeps; install this release there");
    }
  }

  /** Sends a request, and waits for up to an hour while the agent is busy. */
  static void await(Ticker ticker, Request request) throws IOException {
    await(ticker, request, BUSY_MS);
  }

  /**
   * Sends a request, and retries while the agent is busy, for {@code busyMs} milliseconds at most.
   *
   * @throws AgentException the last exception, so that other agents can be tried
   */
  static void await(Ticker ticker, Request request, long busyMs) throws IOException {
    long start = ticker.nanos();
    Polling.await(
        ticker,
        "Cannot call an agent",
        Long.MAX_VALUE,
        () -> isAnswered(request, busyMs, ticker.nanos() - start));
  }

  private static boolean isAnswered(Request request, long busyMs, long waitedNanos)
      throws IOException {
    try {
      request.send();
      return true;
    } catch (AgentException e) {
      boolean mayWait =
          e.kind() == AgentException.Kind.BUSY
                  && waitedNanos < TimeUnit.MILLISECONDS.toNanos(busyMs)
              || e.kind() == AgentException.Kind.NOT_READY && waitedNanos < NOT_READY_NANOS;
      if (!mayWait) {
        throw e;
      }
      return false;
    }
  }
}
