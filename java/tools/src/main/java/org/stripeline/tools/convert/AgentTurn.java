// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.server.agent.AgentException;
import org.stripeline.server.agent.TaskReport;

/** Asks agents, again while they are busy with others' groups. */
final class AgentTurn {
  /** A busy agent gets to ours within this. */
  private static final long BUSY_MS = 3_600_000;

  private AgentTurn() {}

  /** A call to an agent. */
  interface Request {
    void send() throws IOException;
  }

  /** What an agent's task that has ended, but is not done, is to whoever wanted it. */
  static AgentException failure(DatanodeInfo encoder, TaskReport report) {
    return new AgentException(
        report.errorKind == null ? AgentException.Kind.FAILED : report.errorKind,
        "Cannot encode a group on " + encoder.getXferAddr() + ": " + report.error);
  }

  static void await(Request request) throws IOException {
    Patience.await(
        "Cannot get an agent's turn",
        BUSY_MS,
        () -> {
          try {
            request.send();
            return true;
          } catch (AgentException e) {
            if (e.kind() == AgentException.Kind.BUSY) {
              return false;
            }
            throw e;
          }
        });
  }
}
