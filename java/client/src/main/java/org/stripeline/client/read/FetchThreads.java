// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that fetch: as many as there is work for, up to a bound; beyond it tasks wait for a
 * thread to come free. Idle threads end. A task may submit tasks without risk of a deadlock. What
 * waits is bounded by the lanes of the open streams, each of which has one task at most.
 */
final class FetchThreads implements Executor {
  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor pool;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  FetchThreads(int most) {
    AtomicInteger count = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            0,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread thread = new Thread(task, "stripeline-fetch-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public void execute(Runnable task) {
    try {
      pool.execute(() -> runAnd(task));
    } catch (RejectedExecutionException busy) {
      waiting.add(task);
      try {
        // If a thread came free before the task was in the queue, nobody would look there.
        pool.execute(() -> runAnd(() -> {}));
      } catch (RejectedExecutionException stillBusy) {
        // Each of the busy threads looks into the queue when it is done.
      }
    }
  }

  private void runAnd(Runnable first) {
    for (Runnable task = first; task != null; task = waiting.poll()) {
      task.run();
    }
  }
}
