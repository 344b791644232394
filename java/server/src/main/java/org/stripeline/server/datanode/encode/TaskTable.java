// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.server.datanode.AgentKeys;

/** The tasks of an agent: running ones, queued ones, and those whose results are kept. */
public final class TaskTable implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskTable.class);

  /** Maximum number of results that are kept. */
  private static final int ENDED_MAX = 1_000;

  private static final long IDLE_SECONDS = 10;

  /** Longer than a task takes to clean up if its targets answer. */
  private static final long CLOSE_SECONDS = 20;

  private final TaskContext context;
  private final DataTransferThrottler throttler;
  private final ThreadPoolExecutor threads;

  /** By id, oldest first. */
  private final Map<Long, EncodeTask> tasks = new LinkedHashMap<>();

  /** Prefixes of cancelled tickets, oldest first. */
  private final Set<String> endedTickets = new LinkedHashSet<>();

  private long next = Math.multiplyExact(System.currentTimeMillis(), 1_000_000L);
  private boolean closed;

  /** Creates an empty table; threads are started with the first tasks. */
  public TaskTable(TaskContext context) {
    this.context = context;
    throttler = RateLimiter.throttler(context.settings.bandwidth);
    AtomicInteger count = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            context.settings.tasks,
            context.settings.tasks,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(context.settings.queue),
            work -> {
              Thread made = new Thread(work, "stripeline-agent-task-" + count.incrementAndGet());
              made.setDaemon(true);
              return made;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Adds a task whose request has been checked, and returns its id. If there is a task with the
   * same ticket, returns that one's id.
   */
  public synchronized long begin(String ticket, EncodeRequest request) throws AgentException {
    sweep();
    for (EncodeTask known : tasks.values()) {
      if (known.ticket().equals(ticket)) {
        return known.number();
      }
    }
    for (String end : endedTickets) {
      if (ticket.startsWith(end)) {
        throw new AgentException(
            AgentException.Kind.FAILED,
            "Cannot begin a task: its ticket "
                + ticket
                + " was cancelled before the request arrived");
      }
    }
    EncodeTask task = new EncodeTask(next, ticket, context, request, throttler);
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      throw new AgentException(
          closed ? AgentException.Kind.NO_AGENT : AgentException.Kind.BUSY,
          closed
              ? "Cannot begin a task: the agent is stopping"
              : "Cannot begin a task: "
                  + context.settings.tasks
                  + " are running and "
                  + context.settings.queue
                  + " are queued ("
                  + AgentKeys.QUEUE
                  + ")");
    }
    tasks.put(task.number(), task);
    return next++;
  }

  /**
   * Evicts finished tasks, cancels queued tasks that are not polled any more, and ends stalled
   * ones.
   */
  private void sweep() {
    int ended = 0;
    for (EncodeTask task : tasks.values()) {
      ended += task.hasEnded() ? 1 : 0;
    }
    for (Iterator<EncodeTask> all = tasks.values().iterator(); all.hasNext(); ) {
      EncodeTask task = all.next();
      if (task.isForgettable() || task.hasEnded() && ended > ENDED_MAX) {
        all.remove();
        ended--;
      } else if (!task.hasEnded() && task.isAbandoned() && threads.remove(task)) {
        task.cancel();
      } else {
        task.endIfStalled();
      }
    }
  }

  /**
   * Returns a task.
   *
   * @throws AgentException of kind UNKNOWN_TASK if there is none with that id
   */
  public synchronized EncodeTask find(long number) throws AgentException {
    sweep();
    EncodeTask task = tasks.get(number);
    if (task == null) {
      throw new AgentException(
          AgentException.Kind.UNKNOWN_TASK,
          "Cannot find task "
              + number
              + ": it is older than the last start of the agent, or ended more than "
              + TimeUnit.NANOSECONDS.toSeconds(context.settings.resultNanos)
              + " s ago ("
              + AgentKeys.RESULT_PERIOD
              + ")");
    }
    return task;
  }

  /** Cancels a task if it exists. */
  public synchronized void cancel(long number) {
    EncodeTask task = tasks.get(number);
    if (task != null) {
      threads.remove(task);
      task.cancel();
    }
  }

  /**
   * Cancels the tasks of all tickets with a prefix, and refuses later tasks with such a ticket.
   *
   * @return the ids of those tasks
   */
  public synchronized List<Long> cancel(String ticket) {
    endedTickets.remove(ticket);
    endedTickets.add(ticket);
    if (endedTickets.size() > ENDED_MAX) {
      endedTickets.remove(endedTickets.iterator().next());
    }
    List<Long> cancelled = new ArrayList<>();
    for (EncodeTask task : tasks.values()) {
      if (task.ticket().startsWith(ticket)) {
        cancelled.add(task.number());
      }
    }
    cancelled.forEach(this::cancel);
    return cancelled;
  }

  /** Returns the number of running tasks. */
  public int running() {
    return threads.getActiveCount();
  }

  /** Returns the number of queued tasks. */
  public int queued() {
    return threads.getQueue().size();
  }

  /** Cancels all tasks, and waits for their clean-up. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      threads.shutdown();
      new ArrayList<>(tasks.values()).forEach(EncodeTask::cancel);
    }
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("Tasks of the agent are still cleaning up");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
