// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The single thread of a task's stream, which executes work in submission order. */
final class StreamThread {
  private final ThreadPoolExecutor thread;

  /** Creates a thread with a queue of at most {@code most} items. */
  StreamThread(String name, int most) {
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(most),
            work -> {
              Thread made = new Thread(work, name);
              made.setDaemon(true);
              return made;
            });
  }

  <T> Future<T> give(Callable<T> work) {
    return thread.submit(work);
  }

  /** Accepts no more work, and ends when the queue is empty. */
  void finish() {
    thread.shutdown();
  }

  /** Accepts no more work, and drops work that has not begun. */
  void end() {
    thread.shutdown();
    thread.getQueue().clear();
  }

  /** Drops work that has not begun, and interrupts the current work. */
  void interrupt() {
    thread.shutdownNow();
  }

  /** Waits for {@code nanos} at most, and returns whether the thread has ended. */
  boolean awaitEnd(long nanos) throws InterruptedException {
    return thread.awaitTermination(nanos, TimeUnit.NANOSECONDS);
  }
}
