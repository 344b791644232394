// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.concurrent.Executor;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.client.ClientKeys;

/** Threads and buffers that all streams of the process share; the first one sets their bounds. */
public final class WriteResources {
  private static WriteResources shared;

  private final Executor encoders;
  private final CellPool pool;

  WriteResources(Executor encoders, CellPool pool) {
    this.encoders = encoders;
    this.pool = pool;
  }

  /** Returns those of the process, made after this configuration if there are none yet. */
  public static synchronized WriteResources shared(Configuration conf) {
    if (shared == null) {
      int threads = conf.getInt(ClientKeys.WRITE_ENCODERS, ClientKeys.WRITE_ENCODERS_DEFAULT);
      if (threads <= 0) {
        threads = Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors() / 2));
      }
      long memory = conf.getLongBytes(ClientKeys.WRITE_MEMORY, ClientKeys.WRITE_MEMORY_DEFAULT);
      if (memory <= 0) {
        // By default a JVM allows as much outside the heap as in it.
        memory = Runtime.getRuntime().maxMemory() / 2;
      }
      long kept = conf.getLongBytes(ClientKeys.WRITE_BUFFERS, ClientKeys.WRITE_BUFFERS_DEFAULT);
      shared =
          new WriteResources(
              EncoderThreads.create(threads),
              new CellPool(Math.min(kept, memory / 2), memory));
    }
    return shared;
  }

  /** Returns the buffers. */
  public CellPool pool() {
    return pool;
  }

  Executor encoders() {
    return encoders;
  }
}
