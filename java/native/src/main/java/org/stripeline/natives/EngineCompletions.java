// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks that are under way, and the one thread that completes them.
 *
 * <p>The thread waits in the native library for tasks that have ended, so that no thread of the
 * engine ever enters the JVM. A task stays in the map, and its buffers with it, until it is
 * reported.
 */
final class EngineCompletions implements Runnable {
  static final String THREAD_NAME = "stripeline-completions";

  private static final Logger LOG = LoggerFactory.getLogger(RailEngine.class);

  /** Enough that a busy engine is asked once for many tasks. */
  private static final int REPORTS = 256;

  /**
   * Tasks whose device never answered, not even when the engine was closed. The device may still
   * write to their buffers, so these are never freed.
   */
  private static final ConcurrentMap<EngineTask, Boolean> LOST = new ConcurrentHashMap<>();

  private final long engine;
  private final ConcurrentMap<Long, EngineTask> tasks = new ConcurrentHashMap<>();
  private final Thread thread = new Thread(this, THREAD_NAME);

  EngineCompletions(long engine) {
    this.engine = engine;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
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

  void add(EngineTask task) {
    tasks.put(task.number(), task);
  }

  void forget(EngineTask task) {
    tasks.remove(task.number());
  }

  EngineTask[] underWay() {
    return tasks.values().toArray(new EngineTask[0]);
  }

  @Override
  public void run() {
    long[] reports = new long[REPORTS * EngineBridge.REPORT_LONGS];
    int count = EngineBridge.take(engine, reports);
    while (count >= 0) {
      for (int i = 0; i < count; i++) {
        int at = i * EngineBridge.REPORT_LONGS;
        try {
          take(reports[at], reports[at + 1], reports[at + 2]);
        } catch (RuntimeException | Error e) {
          // The others must be completed whatever became of this one.
          LOG.error("Cannot complete task {}", reports[at], e);
        }
      }
      count = EngineBridge.take(engine, reports);
    }
    giveUpLost();
  }

  private void take(long number, long status, long detail) {
    if (number == 0) {
      logEvents();
      return;
    }
    EngineTask task = tasks.remove(number);
    if (status == EngineBridge.SOUND) {
      task.end(Verdict.SOUND);
    } else if (status == EngineBridge.MISMATCH) {
      task.end(Verdict.mismatch((int) (detail >>> 32), (int) detail));
    } else {
      String text = EngineBridge.failure(engine, number);
      task.fail(new EcException(EcException.Kind.of((int) status), text));
    }
  }

  private void logEvents() {
    for (String event = EngineBridge.event(engine);
        event != null;
        event = EngineBridge.event(engine)) {
      String text = event.substring(1);
      if (event.charAt(0) == '+') {
        LOG.info("Erasure coding engine: {}", text);
      } else {
        LOG.warn("Erasure coding engine: {}", text);
      }
    }
  }

  private void giveUpLost() {
    for (EngineTask task : underWay()) {
      LOST.put(task, true);
      task.completeExceptionally(
          new EcException(
              EcException.Kind.RAIL_FAILED,
              "Cannot finish the task: its device has not answered until the engine was closed"));
    }
  }
}
