// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.List;

/** Threads that keep every processor busy until they are closed, as computing jobs of others do. */
final class BusyThreads implements AutoCloseable {
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isOver;

  /** Starts as many threads as there are processors. */
  BusyThreads() {
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread = new Thread(this::compute, "busy-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
  }

  private void compute() {
    double value = 1;
    while (!isOver) {
      value = Math.sqrt(value + 1);
    }
  }

  @Override
  public void close() {
    isOver = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
