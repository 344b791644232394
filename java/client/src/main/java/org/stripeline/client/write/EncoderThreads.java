// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.stripeline.natives.SharedThreads;

/**
 * The threads that encode for all streams of the process. They only compute, so that a slow
 * DataNode never blocks one; they end after a few idle seconds. The windows of the streams bound
 * their queue.
 */
final class EncoderThreads {
  /** The prefix of the thread names. */
  static final String NAME = "stripeline-encoder-";

  private static final long IDLE_SECONDS = 5;

  private EncoderThreads() {}

  static Executor create(int threads) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new SharedThreads(NAME));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
