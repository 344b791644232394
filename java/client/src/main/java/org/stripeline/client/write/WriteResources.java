// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.MemoryLimits;
import org.stripeline.natives.SharedThreads;
import org.stripeline.natives.Ticker;

/**
 * Threads and buffers that all streams of the process share; the first stream sets their limits.
 */
public final class WriteResources {
  /** The default memory of writers is the JVM's memory divided by this. */
  private static final int MEMORY_PART = 3;

  private static WriteResources shared;

  /** Has no thread while no stream is open. */
  private static final ScheduledExecutorService TIMER = createTimer();

  private final Executor encoders;
  private final CellPool pool;
  private final Ticker ticker;

  WriteResources(Executor encoders, CellPool pool) {
    this(encoders, pool, Ticker.SYSTEM);
  }

  /** The pool has a clock of its own. */
  WriteResources(Executor encoders, CellPool pool, Ticker ticker) {
    this.encoders = encoders;
    this.pool = pool;
    this.ticker = ticker;
  }

  /**
   * Returns the resources of the process, creating them from this configuration if there are none
   * yet.
   */
  public static synchronized WriteResources shared(Configuration conf) {
    if (shared == null) {
      shared = of(new ClientSettings(conf));
    }
    return shared;
  }

  /** Creates separate threads and buffers; threads start when they are needed. */
  public static WriteResources of(ClientSettings settings) {
    int threads = settings.count(ClientKeys.WRITE_ENCODERS, ClientKeys.WRITE_ENCODERS_DEFAULT, 0);
    if (threads == 0) {
      threads = Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors() / 2));
    }
    long part = MemoryLimits.part(MEMORY_PART, Long.MAX_VALUE);
    long memory = MemoryLimits.of(settings, ClientKeys.WRITE_MEMORY, part);
    long kept = settings.bytes(ClientKeys.WRITE_BUFFERS, ClientKeys.WRITE_BUFFERS_DEFAULT, 0);
    return new WriteResources(
        EncoderThreads.create(threads), new CellPool(Math.min(kept, memory / 2), memory));
  }

  private static ScheduledExecutorService createTimer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, new SharedThreads("stripeline-write-timer-"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(5, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }

  /** Returns the executor of periodic tasks; its tasks must be short. */
  public static ScheduledExecutorService timer() {
    return TIMER;
  }

  /** Returns the buffers. */
  public CellPool pool() {
    return pool;
  }

  /** Returns the clock of the streams. */
  public Ticker ticker() {
    return ticker;
  }

  Executor encoders() {
    return encoders;
  }
}
