// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The one thread on which a stream of a task does its work, in the order in which it is given. */
final class StreamThread {
  private final ThreadPoolExecutor thread;

  /** {@code most} is how much work may be given before some is done. */
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

  /** Takes no more work, and ends after what was given. */
  void finish() {
    thread.shutdown();
  }

  /** Takes no more work, and drops what has not begun. */
  void end() {
    thread.shutdown();
    thread.getQueue().clear();
  }

  /** Interrupts what has begun. */
  void interrupt() {
    thread.shutdownNow();
  }

  /** Returns whether the thread has ended, for which it waits so long. */
  boolean awaitEnd(long nanos) throws InterruptedException {
    return thread.awaitTermination(nanos, TimeUnit.NANOSECONDS);
  }
}
