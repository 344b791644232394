// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.SharedThreads;

/**
 * The threads that fetch. Their number grows with the work up to a bound; further tasks wait for a
 * free thread. Tasks of one DataNode use at most a third of what its threads leave free, and thus a
 * quarter of all, so that DataNodes that hang leave threads to others, however many hang. Idle
 * threads end. A task may submit tasks without risk of a deadlock. The number of waiting tasks is
 * bounded by the lanes of the open streams, each of which has at most one task. Requests to
 * NameNodes have threads of their own.
 */
public final class FetchThreads {
  private static final Logger LOG = LoggerFactory.getLogger(FetchThreads.class);
  private static final long IDLE_SECONDS = 10;

  /** The tasks of one DataNode may use this fraction of the free threads. */
  private static final int FREE_PART = 3;

  /** Enough for tasks that never block. */
  private static final int ASIDE_THREADS = 2;

  /** The maximum number of requests to one NameNode at a time. */
  private static final int REQUEST_THREADS = 16;

  /** Set on the threads that fetch, which are interrupted when a read is given up. */
  private static final ThreadLocal<Boolean> FETCHES = new ThreadLocal<>();

  private final ThreadPoolExecutor pool;
  private final ThreadPoolExecutor aside;
  private final ThreadFactory setAside;

  /** The threads for requests to each NameNode; none exist while there are no requests. */
  private final Map<String, ThreadPoolExecutor> requests = new ConcurrentHashMap<>();

  private final int most;

  /**
   * The tasks of each DataNode that has a task running or waiting for a thread. Its lock also
   * guards the fields below.
   */
  private final Map<String, Turns> nodes = new HashMap<>();

  /** The number of tasks that wait because others of their DataNode have threads enough. */
  private int held;

  /** Tasks that wait for a thread. */
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  /**
   * The number of threads that run tasks or are about to; a thread ends only when no task is
   * waiting.
   */
  private int running;

  FetchThreads(int most) {
    this(most, new SharedThreads("stripeline-fetch-"), new SharedThreads("stripeline-aside-"));
  }

  /** Creates the pool with threads from the factories {@code fetching} and {@code setAside}. */
  FetchThreads(int most, ThreadFactory fetching, ThreadFactory setAside) {
    this.most = most;
    pool =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            fetching);
    aside = independent(ASIDE_THREADS, setAside);
    this.setAside = setAside;
  }

  private static ThreadPoolExecutor independent(int threads, ThreadFactory factory) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Returns whether the current thread runs tasks that are interrupted when they are given up. */
  public static boolean isCurrent() {
    return FETCHES.get() != null;
  }

  /** Runs a task that does not block, independently of the tasks that wait. */
  public void executeAside(Runnable task) {
    try {
      aside.execute(() -> run(task));
    } catch (OutOfMemoryError noMoreThreads) {
      execute(task);
    }
  }

  /**
   * Runs a request to a NameNode for which tasks wait. It does not wait for a thread of theirs, all
   * of which may wait for requests, nor for requests to other NameNodes. If no thread can be
   * started, it runs on the calling thread.
   *
   * @param nameNode the NameNode or nameservice
   */
  public void request(String nameNode, Runnable request) {
    if (!tryRequest(nameNode, request)) {
      run(request);
    }
  }

  /**
   * Runs a request to a NameNode as {@link #request} does, but not on the calling thread.
   *
   * @return false if no thread can be started; the request is then not carried out
   */
  public boolean tryRequest(String nameNode, Runnable request) {
    try {
      requests
          .computeIfAbsent(nameNode, name -> independent(REQUEST_THREADS, setAside))
          .execute(() -> run(request));
      return true;
    } catch (OutOfMemoryError noMoreThreads) {
      return false;
    }
  }

  /** The running and waiting tasks of one DataNode. */
  private static final class Turns {
    final Deque<Runnable> waiting = new ArrayDeque<>();
    int taken;
  }

  /**
   * Runs a task that reads from a DataNode.
   *
   * @param nodeOrNull the DataNode, null if it is not known
   * @throws OutOfMemoryError if there is no thread and none can be started
   */
  public void execute(String nodeOrNull, Runnable task) {
    String node = String.valueOf(nodeOrNull);
    Runnable first;
    synchronized (nodes) {
      Turns turns = nodes.computeIfAbsent(node, name -> new Turns());
      turns.waiting.add(task);
      held++;
      first = beginTurn(turns);
      if (first == null) {
        return;
      }
    }
    try {
      execute(() -> runInTurn(node, first));
    } catch (RuntimeException | Error e) {
      boolean isRefused = takeBack(node, first, task);
      Runnable next = endTurn(node);
      if (next != null) {
        synchronized (nodes) {
          waiting.add(() -> runInTurn(node, next));
        }
      }
      if (isRefused) {
        throw e;
      }
    }
  }

  /**
   * Returns whether a task is refused for which, or for the {@code first} that waited before it, no
   * thread can be started; the other one waits again.
   */
  private boolean takeBack(String node, Runnable first, Runnable task) {
    synchronized (nodes) {
      if (first == task) {
        return true;
      }
      Turns turns = nodes.get(node);
      boolean isWaiting = turns.waiting.remove(task);
      turns.waiting.addFirst(first);
      held += isWaiting ? 0 : 1;
      return isWaiting;
    }
  }

  /** Returns the DataNode's first waiting task if its tasks may use a further thread, or null. */
  private Runnable beginTurn(Turns turns) {
    if (turns.waiting.isEmpty() || turns.taken >= mostOfNode()) {
      return null;
    }
    turns.taken++;
    held--;
    return turns.waiting.poll();
  }

  /** Returns a task that waited although a thread is free for it now, or null. */
  private Runnable takeHeld() {
    if (held == 0) {
      return null;
    }
    for (Map.Entry<String, Turns> each : nodes.entrySet()) {
      String node = each.getKey();
      Runnable task = beginTurn(each.getValue());
      if (task != null) {
        return () -> runInTurn(node, task);
      }
    }
    return null;
  }

  /** Returns the number of threads that tasks of one DataNode may use at present. */
  private int mostOfNode() {
    return Math.max(1, (most - running) / FREE_PART);
  }

  private void runInTurn(String node, Runnable task) {
    try {
      task.run();
    } finally {
      Runnable next = endTurn(node);
      if (next != null) {
        // The task goes behind those that already wait for a thread.
        execute(() -> runInTurn(node, next));
      }
    }
  }

  /**
   * Returns the next waiting task of the DataNode, which takes over the thread's place; if there is
   * none, returns null and releases the place.
   */
  private Runnable endTurn(String node) {
    synchronized (nodes) {
      Turns turns = nodes.get(node);
      Runnable next = turns.waiting.poll();
      if (next != null) {
        held--;
      } else if (--turns.taken == 0) {
        nodes.remove(node);
      }
      return next;
    }
  }

  private void execute(Runnable task) {
    synchronized (nodes) {
      if (running == most) {
        waiting.add(task);
        return;
      }
      running++;
    }
    try {
      pool.execute(() -> runAnd(task));
    } catch (RuntimeException | Error e) {
      synchronized (nodes) {
        running--;
        if (running > 0) {
          waiting.add(task);
          return;
        }
      }
      throw e;
    }
  }

  private void runAnd(Runnable first) {
    FETCHES.set(true);
    for (Runnable task = first; task != null; task = next()) {
      run(task);
    }
  }

  private Runnable next() {
    synchronized (nodes) {
      Runnable next = waiting.poll();
      if (next != null) {
        return next;
      }
      running--;
      Runnable released = takeHeld();
      running += released == null ? 0 : 1;
      return released;
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("A fetch thread continues after an unexpected failure", e);
    }
  }
}
