// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.concurrent.Executor;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.client.ClientKeys;

/** Threads and buffers that all streams of the process share; the first stream sets their bounds. */
public final class WriteResources {
  private static WriteResources shared;

  private final Executor encoders;
  private final CellPool pool;

  WriteResources(int encoderThreads, long keptBytesMax) {
    encoders = EncoderThreads.create(encoderThreads);
    pool = new CellPool(keptBytesMax);
  }

  /** Returns those of the process, made after this configuration if there are none yet. */
  public static synchronized WriteResources shared(Configuration conf) {
    if (shared == null) {
      int threads = conf.getInt(ClientKeys.WRITE_ENCODERS, ClientKeys.WRITE_ENCODERS_DEFAULT);
      if (threads <= 0) {
        threads = Math.max(1, Math.min(8, Runtime.getRuntime().availableProcessors() / 2));
      }
      shared =
          new WriteResources(
              threads,
              conf.getLongBytes(ClientKeys.WRITE_BUFFERS, ClientKeys.WRITE_BUFFERS_DEFAULT));
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
