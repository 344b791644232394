// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.convert.file.Attempt;
import org.stripeline.convert.job.Futures;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;

/**
 * Requests agents to encode the groups of files whose replicas are linked, and waits for them on
 * threads of this process.
 */
public final class ThreadDispatcher {
  private static final long POLL_WAIT_MS = 2_000;

  private final Job job;
  private final AgentNodes nodes;
  private final ExecutorService threads;
  private final EncoderPermits permits;

  /** A group that is being encoded. */
  interface Pending {
    /** Waits until the group is encoded. */
    void await() throws IOException;
  }

  /** Creates a dispatcher that encodes one group at a time on each of {@code threads}. */
  public ThreadDispatcher(Job job, AgentNodes nodes, ExecutorService threads) {
    this.job = job;
    this.nodes = nodes;
    this.threads = threads;
    permits = new EncoderPermits(job.settings().bytesPerSecond > 0);
  }

  /** Returns the number of groups of one file that may be encoded concurrently. */
  int groupsAtOnce() {
    return job.settings().groupsAtOnce;
  }

  /**
   * Begins to encode one group.
   *
   * @param isGivenUp returns whether the file has been abandoned, so that work that is not begun
   *     can be dropped
   */
  Pending begin(Attempt attempt, GroupAdoption adoption, BooleanSupplier isGivenUp) {
    Future<Void> encode = threads.submit(() -> encode(attempt, adoption, isGivenUp));
    return () -> Futures.get(encode);
  }

  /**
   * Requests parity, and the sending of data that was not linked; returns when all of it is on
   * disk.
   */
  private Void encode(Attempt attempt, GroupAdoption adoption, BooleanSupplier isGivenUp)
      throws IOException {
    while (!isGivenUp.getAsBoolean()) {
      try {
        encodeOnce(attempt, adoption.group(), isGivenUp);
        return null;
      } catch (AgentException e) {
        if (isGivenUp.getAsBoolean()) {
          return null;
        }
        adoption.planAgain(e);
        adoption.link();
      }
    }
    return null;
  }

  private void encodeOnce(Attempt attempt, GroupWork group, BooleanSupplier isGivenUp)
      throws IOException {
    DatanodeInfo encoder = group.encoder();
    try (EncoderPermits.Permit permit = permits.acquire(encoder.getDatanodeUuid())) {
      if (isGivenUp.getAsBoolean()) {
        return;
      }
      String ticket = UUID.randomUUID().toString();
      OptionalLong task = begin(attempt, group, encoder, ticket, isGivenUp);
      if (!task.isPresent()) {
        return;
      }
      TaskReport report;
      do {
        report = poll(group, encoder, ticket, task.getAsLong());
        if (isGivenUp.getAsBoolean()) {
          // The rollback of the file ends the task.
          return;
        }
      } while (!report.state.isFinal());
      if (report.state != TaskState.DONE) {
        AgentException failure = AgentCall.failure(encoder, report);
        if (failure.bad().isEmpty()) {
          group.encoderFailed();
        }
        throw failure;
      }
      AgentCall.requireVerified(encoder, report.result, group.adopted());
      job.traffic().encoded(report.result, group.sends());
      group.count(encoder, job.traffic());
    }
    attempt.meter().moved(group.committed().getNumBytes());
    job.reached(Step.ENCODED, attempt.open());
  }

  /** Begins a task; returns its number, or none if the file was given up before. */
  private OptionalLong begin(
      Attempt attempt,
      GroupWork group,
      DatanodeInfo encoder,
      String ticket,
      BooleanSupplier isGivenUp)
      throws IOException {
    AtomicReference<OptionalLong> task = new AtomicReference<>(OptionalLong.empty());
    try {
      AgentCall.await(
          job.ticker(),
          () -> {
            // An agent may be busy for an hour.
            job.requireNotCancelled();
            if (!isGivenUp.getAsBoolean()) {
              EncodeRequest request = group.request(job.settings().bytesPerSecond);
              task.set(OptionalLong.of(nodes.agents().encode(encoder, ticket, request)));
            }
          });
    } catch (AgentException e) {
      group.encoderFailed();
      // An agent whose answer was lost may have begun the task.
      nodes.requireEnd(encoder, ticket, e);
      throw e;
    }
    if (task.get().isPresent()) {
      job.announce(
          attempt.open(),
          JournalRecord.task(
              attempt.open().begin().fileId, encoder.getDatanodeUuid(), task.get().getAsLong()));
    }
    return task.get();
  }

  private TaskReport poll(GroupWork group, DatanodeInfo encoder, String ticket, long task)
      throws IOException {
    try {
      return nodes.agents().poll(encoder, task, POLL_WAIT_MS);
    } catch (AgentException e) {
      group.encoderFailed();
      nodes.requireEnd(encoder, ticket, e);
      throw e;
    }
  }
}
