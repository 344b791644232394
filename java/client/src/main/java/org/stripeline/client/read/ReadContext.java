// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.client.ClientKeys;

/**
 * What the streams of one client share: settings, and knowledge about its DataNodes. Threads,
 * buffers and counters are shared by all clients of the JVM.
 */
public final class ReadContext {
  private static final AtomicReference<FetchThreads> THREADS = new AtomicReference<>();
  private static final AtomicReference<ReadBuffers> BUFFERS = new AtomicReference<>();
  private static final ReadCounters COUNTERS = new ReadCounters(null);
  private static final NodeLatencies LATENCIES = new NodeLatencies();

  private final long windowBytes;
  private final long memoryBytes;
  private final boolean hedged;
  private final long hedgeMinNanos;
  private final long hedgeMaxNanos;
  private final NodeHealth health;
  private final LatencyEstimate latency = new LatencyEstimate();

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException if one is out of its range, naming key, value and range
   */
  public ReadContext(Configuration conf) {
    windowBytes =
        atLeast(
            ClientKeys.READ_WINDOW,
            conf.getLongBytes(ClientKeys.READ_WINDOW, ClientKeys.READ_WINDOW_DEFAULT),
            0);
    memoryBytes =
        atLeast(
            ClientKeys.READ_MEMORY,
            conf.getLongBytes(ClientKeys.READ_MEMORY, ClientKeys.READ_MEMORY_DEFAULT),
            0);
    hedged = conf.getBoolean(ClientKeys.HEDGE_ENABLED, ClientKeys.HEDGE_ENABLED_DEFAULT);
    long least = millis(conf, ClientKeys.HEDGE_MIN, ClientKeys.HEDGE_MIN_DEFAULT);
    long most = millis(conf, ClientKeys.HEDGE_MAX, ClientKeys.HEDGE_MAX_DEFAULT);
    hedgeMinNanos = TimeUnit.MILLISECONDS.toNanos(atLeast(ClientKeys.HEDGE_MIN, least, 1));
    hedgeMaxNanos = TimeUnit.MILLISECONDS.toNanos(atLeast(ClientKeys.HEDGE_MAX, most, least));
    health =
        new NodeHealth(
            atLeast(
                ClientKeys.SUSPECT_PERIOD,
                millis(conf, ClientKeys.SUSPECT_PERIOD, ClientKeys.SUSPECT_PERIOD_DEFAULT),
                0));
    int most2 = conf.getInt(ClientKeys.READ_THREADS, ClientKeys.READ_THREADS_DEFAULT);
    int threads = (int) atLeast(ClientKeys.READ_THREADS, most2, 1);
    THREADS.compareAndSet(null, new FetchThreads(threads));
    BUFFERS.compareAndSet(null, new ReadBuffers(memoryBytes));
  }

  /** Returns the counters of this JVM. */
  public static ReadCounters counters() {
    return COUNTERS;
  }

  /** Returns the bytes of buffers that are in use in this JVM. */
  public static long usedBufferBytes() {
    ReadBuffers buffers = BUFFERS.get();
    return buffers == null ? 0 : buffers.usedBytes();
  }

  /** Returns the mean milliseconds of a span by DataNode, in this JVM. */
  public static Map<String, Double> nodeMillis() {
    return LATENCIES.millis();
  }

  NodeLatencies nodeLatencies() {
    return LATENCIES;
  }

  FetchThreads threads() {
    return THREADS.get();
  }

  ReadBuffers buffers() {
    return BUFFERS.get();
  }

  NodeHealth health() {
    return health;
  }

  LatencyEstimate latency() {
    return latency;
  }

  long windowBytes() {
    return windowBytes;
  }

  /** Returns whether read-ahead may take more buffers; what a caller waits for always may. */
  boolean mayReadAhead() {
    return buffers().usedBytes() < memoryBytes;
  }

  boolean isHedged() {
    return hedged;
  }

  /** Returns after how many nanoseconds a span of that size is late. */
  long lateNanos(int bytes) {
    double unusual = latency.unusualNanos(bytes);
    if (unusual == 0) {
      return hedgeMaxNanos;
    }
    // Where reads take long as a rule, the upper limit must not make each of them late.
    double most = Math.max(hedgeMaxNanos, 2 * latency.usualNanos(bytes));
    return (long) Math.min(most, Math.max(hedgeMinNanos, unusual));
  }

  long hedgeMinNanos() {
    return hedgeMinNanos;
  }

  private static long millis(Configuration conf, String key, long value) {
    return conf.getTimeDuration(key, value, TimeUnit.MILLISECONDS);
  }

  private static long atLeast(String key, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "Cannot use " + key + " " + value + ": it must be at least " + least);
    }
    return value;
  }
}
