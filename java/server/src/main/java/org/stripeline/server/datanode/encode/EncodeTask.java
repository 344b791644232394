// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.EncodeResult;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentKeys;

/** A task that encodes one group, from the request until its result is dropped. */
public final class EncodeTask implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(EncodeTask.class);

  private final long number;
  private final String ticket;
  private final TaskContext context;
  private final TransferCounters counters;
  private final RateLimiter limiter;
  private final long stallNanos;
  private final long totalBytes;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile long askedNanos;
  private volatile long endedNanos;

  /** Null once the task has ended, to save memory while its result is kept. */
  private GroupEncoder encoder;

  private TaskState state = TaskState.QUEUED;
  private boolean cancelled;

  /** The reason if it was cancelled for lack of progress, otherwise null. */
  private String stall;

  private EncodeResult result;
  private String error;
  private AgentException.Kind errorKind;
  private List<BadReplica> bad = Collections.emptyList();

  /**
   * Creates a task. {@code request} has been checked; {@code shared} is null without a common
   * limit.
   */
  EncodeTask(
      long number,
      String ticket,
      TaskContext context,
      EncodeRequest request,
      DataTransferThrottler shared) {
    this.number = number;
    this.ticket = ticket;
    this.context = context;
    this.askedNanos = context.ticker.nanos();
    this.counters = new TransferCounters(context.metrics);
    this.totalBytes = GroupEncoder.totalBytes(request);
    this.limiter = new RateLimiter(request.bytesPerSecond, shared, this::objection, context.ticker);
    // No bytes are moved while a block is written to disk.
    this.stallNanos =
        context.settings.stallNanos
            + TaskContext.syncNanos(context.settings, request.data.get(0).block);
    this.encoder =
        new GroupEncoder(context, request, "stripeline-agent-" + number, counters, limiter);
  }

  private String objection() {
    return isAbandoned()
        ? "the task has not been polled for "
            + TimeUnit.NANOSECONDS.toSeconds(context.settings.abandonNanos)
            + " s ("
            + AgentKeys.ABANDON_PERIOD
            + ")"
        : null;
  }

  long number() {
    return number;
  }

  /** Returns the caller's ticket. */
  String ticket() {
    return ticket;
  }

  /** Returns whether the task has not been polled for too long. */
  boolean isAbandoned() {
    return context.ticker.nanos() - askedNanos > context.settings.abandonNanos;
  }

  /** Returns whether the result can be dropped. */
  boolean isForgettable() {
    return ended.getCount() == 0
        && context.ticker.nanos() - endedNanos > context.settings.resultNanos;
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  @Override
  public void run() {
    GroupEncoder running;
    synchronized (this) {
      if (hasEnded()) {
        return;
      }
      state = TaskState.RUNNING;
      limiter.begin();
      running = encoder;
    }
    long start = context.ticker.nanos();
    try {
      String objection = objection();
      if (objection != null) {
        throw new AgentException(AgentException.Kind.FAILED, "Cannot begin: " + objection);
      }
      GroupEncoder.Verified done = running.run();
      double seconds = (context.ticker.nanos() - start) / 1e9;
      succeed(new EncodeResult(counters.read(), counters.sent(), seconds, done.written, done.kept));
    } catch (Throwable e) {
      // Catch everything: a task without an end would be polled forever.
      fail(e);
    }
  }

  private synchronized void succeed(EncodeResult what) {
    result = what;
    end(TaskState.DONE);
    context.metrics.add(AgentCount.TASKS_DONE, 1);
  }

  private synchronized void fail(Throwable why) {
    boolean isWanted = cancelled && stall == null;
    StringBuilder text =
        new StringBuilder(
            isWanted ? "cancelled" : stall == null ? AgentException.reason(why) : stall);
    for (Throwable left : why.getSuppressed()) {
      text.append("; could not be removed: ").append(AgentException.reason(left));
    }
    error = text.toString();
    errorKind =
        why instanceof AgentException ? ((AgentException) why).kind() : AgentException.Kind.FAILED;
    if (why instanceof AgentException) {
      bad = ((AgentException) why).bad();
    }
    end(isWanted ? TaskState.CANCELLED : TaskState.FAILED);
    context.metrics.add(isWanted ? AgentCount.TASKS_CANCELLED : AgentCount.TASKS_FAILED, 1);
    if (isWanted) {
      LOG.info("Task {} was cancelled: {}", number, error);
    } else {
      LOG.warn("Task {} failed: {}", number, error, why);
    }
  }

  private void end(TaskState how) {
    state = how;
    encoder = null;
    endedNanos = context.ticker.nanos();
    ended.countDown();
  }

  /** Cancels the task; it may take some seconds to roll back its writes. */
  synchronized void cancel() {
    if (hasEnded() || cancelled) {
      return;
    }
    cancelled = true;
    encoder.cancel();
    if (state == TaskState.QUEUED) {
      error = "cancelled";
      errorKind = AgentException.Kind.FAILED;
      end(TaskState.CANCELLED);
      context.metrics.add(AgentCount.TASKS_CANCELLED, 1);
    }
  }

  /**
   * Cancels the task if nothing has moved for too long. A hanging disk reports no error, so the
   * task would otherwise never end.
   */
  synchronized void endIfStalled() {
    long idle = limiter.idleNanos();
    if (state == TaskState.RUNNING && !cancelled && idle > stallNanos) {
      stall =
          "no data has been transferred for "
              + TimeUnit.NANOSECONDS.toSeconds(idle)
              + " s, as when a disk of this DataNode hangs ("
              + AgentKeys.STALL_PERIOD
              + ")";
      cancel();
    }
  }

  /** Waits for the end for {@code millis} at most, and returns whether it has ended. */
  public boolean awaitEnd(long millis) throws InterruptedException {
    return ended.await(millis, TimeUnit.MILLISECONDS);
  }

  /** Returns the progress, and records that the task has been polled. */
  public TaskReport report() {
    askedNanos = context.ticker.nanos();
    endIfStalled();
    synchronized (this) {
      return new TaskReport(state, counters.done(), totalBytes, result, error, errorKind, bad);
    }
  }
}
