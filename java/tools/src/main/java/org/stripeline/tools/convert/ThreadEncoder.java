// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.stripeline.server.agent.TaskReport;
import org.stripeline.server.agent.TaskState;

/** Calls agents and waits for them on threads of this process. */
final class ThreadEncoder implements GroupEncoder {
  private static final long POLL_PATIENCE_MS = 2_000;

  private final Job job;
  private final AgentNodes nodes;
  private final ExecutorService threads;
  private final EncoderTurns turns;

  /** Encodes on some threads, as many groups at one time as there are. */
  ThreadEncoder(Job job, AgentNodes nodes, ExecutorService threads) {
    this.job = job;
    this.nodes = nodes;
    this.threads = threads;
    turns = new EncoderTurns(job.settings().bytesPerSecond > 0);
  }

  @Override
  public int groupsAtOnce() {
    return job.settings().groupsAtOnce;
  }

  @Override
  public Pending begin(Attempt attempt, GroupWork group, BooleanSupplier isGivenUp) {
    Future<Void> encode = threads.submit(() -> encode(attempt, group, isGivenUp));
    return () -> Futures.get(encode);
  }

  private Void encode(Attempt attempt, GroupWork group, BooleanSupplier isGivenUp)
      throws IOException {
    String encoder = group.encoder().getDatanodeUuid();
    try (EncoderTurns.Turn turn = turns.take(encoder)) {
      if (isGivenUp.getAsBoolean()) {
        return null;
      }
      long[] task = new long[1];
      AgentTurn.await(
          () ->
              task[0] =
                  nodes
                      .agents()
                      .encode(group.encoder(), group.request(job.settings().bytesPerSecond)));
      job.announce(
          attempt.open(),
          JournalRecord.task(attempt.open().begin().fileId, encoder, task[0]));
      TaskReport report;
      do {
        report = nodes.agents().poll(group.encoder(), task[0], POLL_PATIENCE_MS);
        if (isGivenUp.getAsBoolean()) {
          // It is ended by whoever takes back the file.
          return null;
        }
      } while (!report.state.isFinal());
      if (report.state != TaskState.DONE) {
        throw new IOException(
            "Cannot encode a group on " + group.encoder().getXferAddr() + ": " + report.error);
      }
      job.traffic().encoded(report.result, group.sends());
    }
    job.reached(Step.ENCODED, attempt.open());
    return null;
  }
}
