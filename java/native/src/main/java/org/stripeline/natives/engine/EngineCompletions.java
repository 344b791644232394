// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.stripeline.natives.MessageLog;
import org.stripeline.natives.SharedThreads;
import org.stripeline.natives.codec.EcException;

/**
 * The outstanding tasks, and the one thread that completes them.
 *
 * <p>The thread waits in the native library for tasks that have ended, so that no thread of the
 * engine ever enters the JVM. A task and its buffers stay in the map until the task is reported.
 */
final class EngineCompletions implements Runnable {
  static final String THREAD_NAME = "stripeline-completions";

  private static final MessageLog LOG = MessageLog.of(RailEngine.class);

  /** Large enough for a busy engine to report many tasks in one call. */
  private static final int REPORTS = 256;

  /**
   * Tasks whose end was never reported. Their buffers may still be written to, so they are never
   * freed.
   */
  static final Queue<EngineTask> UNREPORTED = new ConcurrentLinkedQueue<>();

  private static final AtomicBoolean KEPT = new AtomicBoolean();

  private static final long MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final long engine;

  /** Created before any task is issued, for which there may be no memory. */
  private final long[] reports = new long[REPORTS * EngineBridge.REPORT_LONGS];

  private final ConcurrentMap<Long, EngineTask> tasks = new ConcurrentHashMap<>();
  private volatile Thread thread;
  private volatile boolean ended;

  EngineCompletions(long engine) {
    this.engine = engine;
  }

  void start(ThreadFactory threads) {
    thread = threads.newThread(this);
    thread.start();
  }

  static Thread newThread(Runnable completions) {
    return SharedThreads.create(completions, THREAD_NAME);
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  /** Waits for the thread, which ends when the engine is closed and all tasks are reported. */
  void join() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Adds a task that is about to be issued; it stays until it is reported or forgotten. */
  void add(EngineTask task) {
    tasks.put(task.number(), task);
    if (ended) {
      forget(task);
      throw new IllegalStateException("Cannot issue a task: the engine is closed");
    }
  }

  /** Removes a task that was not issued. */
  void forget(EngineTask task) {
    tasks.remove(task.number());
    UNREPORTED.remove(task);
  }

  /**
   * Returns the tasks that have been issued. Other tasks in the map may still be refused, and would
   * then never end.
   */
  List<EngineTask> underWay() {
    List<EngineTask> issued = new ArrayList<>();
    for (EngineTask task : tasks.values()) {
      if (task.issued) {
        issued.add(task);
      }
    }
    return issued;
  }

  @Override
  public void run() {
    EcException.Kind kind = EcException.Kind.INTERNAL;
    String reason = "its result was not reported";
    try {
      completeAll();
      // A task is reported once its rail no longer uses its buffers. An engine that closes does not
      // wait longer for a rail than its grace period.
      kind = EcException.Kind.CLOSED;
      reason = "the engine closed while a rail was still working on it";
    } catch (RuntimeException | Error e) {
      LOG.error("Cannot receive the results of tasks any more", e);
    } finally {
      giveUpUnreported(kind, "Cannot finish the task: " + reason);
    }
  }

  private void completeAll() {
    int count = EngineBridge.take(engine, reports);
    while (count >= 0) {
      for (int i = 0; i < count; i++) {
        int at = i * EngineBridge.REPORT_LONGS;
        try {
          takeSurely(reports[at], reports[at + 1], reports[at + 2]);
        } catch (RuntimeException | Error e) {
          // A failure of one task must not prevent the completion of the others.
          logFailure(reports[at], e);
        }
      }
      count = EngineBridge.take(engine, reports);
    }
  }

  /**
   * Retries until there is memory: a task without an end would block its callers forever. It may
   * lack only its result, or only some of the threads and actions that depend on it.
   */
  private void takeSurely(long number, long status, long detail) {
    try {
      while (true) {
        try {
          take(number, status, detail);
          return;
        } catch (OutOfMemoryError e) {
          LockSupport.parkNanos(MEMORY_NANOS);
        }
      }
    } finally {
      EngineTask task = tasks.get(number);
      if (task != null && task.isOver()) {
        tasks.remove(number);
      }
    }
  }

  private static void logFailure(long task, Throwable e) {
    try {
      LOG.error("Cannot complete task " + task, e);
    } catch (RuntimeException | Error again) {
      // There is no memory for the message; the thread must go on.
    }
  }

  /** Processes one report. If an Error ends it, a second call continues. */
  void take(long number, long status, long detail) {
    if (number == 0) {
      logEvents();
      return;
    }
    EngineTask task = tasks.get(number);
    if (task != null) {
      complete(task, status, detail);
      tasks.remove(number);
    }
  }

  private void complete(EngineTask task, long status, long detail) {
    if (status == EngineBridge.SOUND) {
      task.end(ComparisonResult.SOUND);
    } else if (status == EngineBridge.MISMATCH) {
      task.end(ComparisonResult.mismatch((int) (detail >>> 32), (int) detail));
    } else {
      fail(task, EcException.Kind.of((int) status));
    }
  }

  private void fail(EngineTask task, EcException.Kind kind) {
    String text = "Cannot finish the task: the reason is not available";
    try {
      String known = EngineBridge.failure(engine, task.number());
      text = known == null ? text : known;
    } finally {
      // The task must end even if there is no memory for the message; otherwise a thread waits for
      // it forever.
      task.fail(new EcException(kind, text));
    }
  }

  private void logEvents() {
    for (String event = EngineBridge.event(engine);
        event != null;
        event = EngineBridge.event(engine)) {
      String text = event.substring(1);
      if (event.charAt(0) == '+') {
        LOG.info("Erasure coding engine: " + text);
      } else {
        LOG.warn("Erasure coding engine: " + text);
      }
    }
  }

  private void giveUpUnreported(EcException.Kind kind, String text) {
    ended = true;
    for (EngineTask task : tasks.values()) {
      // In this order, so that a task that is being forgotten concurrently is removed.
      UNREPORTED.add(task);
      if (!tasks.remove(task.number(), task)) {
        UNREPORTED.remove(task);
      }
      task.giveUp(new EcException(kind, text));
    }
    if (!UNREPORTED.isEmpty()) {
      keepUnreported();
    }
  }

  /** Keeps {@link #UNREPORTED} even if nothing else refers to the class loader of this class. */
  private static void keepUnreported() {
    if (KEPT.getAndSet(true)) {
      return;
    }
    try {
      // Only the JVM itself outlives every class loader, and it has its hooks until it ends.
      Runtime.getRuntime().addShutdownHook(SharedThreads.create(new Kept(), THREAD_NAME));
    } catch (IllegalStateException e) {
      // The JVM ends now.
    }
  }

  /** Does nothing. A reference to it keeps this class and the unreported tasks in memory. */
  private static final class Kept implements Runnable {
    @Override
    public void run() {}
  }
}
