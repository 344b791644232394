// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.MemoryLimits;

/**
 * What the streams of one client share: settings, and knowledge about its DataNodes. Threads,
 * buffers and counters are shared by all clients of the JVM.
 */
public final class ReadContext {
  private static final AtomicReference<FetchThreads> THREADS = new AtomicReference<>();
  private static final AtomicReference<ReadBuffers> BUFFERS = new AtomicReference<>();
  private static final AtomicReference<IdleLanes> IDLE = new AtomicReference<>();
  private static final ReadCounters COUNTERS = new ReadCounters(null);
  private static final NodeLatencies LATENCIES = new NodeLatencies();

  /** Which part of the memory of the JVM readers take by default. */
  private static final int MEMORY_PART = 3;

  /** With less, readers would wait for each other all the time. */
  private static final long MEMORY_LEAST = 8 << 20;

  /** With more, they are no faster. */
  private static final long MEMORY_MOST = 512 << 20;

  /** With fewer, as many DataNodes as a code can lose would hold all of them when they hang. */
  private static final int THREADS_LEAST = 16;

  /** For how long a reader waits for the buffers of others. */
  private static final long BUFFER_TIMEOUT_MILLIS = 10_000;

  private final ReadBuffers buffers;
  private final long windowBytes;
  private final boolean hedged;
  private final long hedgeMinNanos;
  private final long hedgeMaxNanos;
  private final long socketTimeoutMillis;
  private final NodeHealth health;
  private final LatencyEstimate latency = new LatencyEstimate();

  /** Reads the settings. */
  public ReadContext(Configuration conf) {
    this(conf, new ClientSettings(conf), null);
  }

  /** Reads the settings. */
  public ReadContext(Configuration conf, ClientSettings settings) {
    this(conf, settings, null);
  }

  /** Creates a context with buffers of its own, or those of the JVM if they are null. */
  ReadContext(Configuration conf, ClientSettings settings, ReadBuffers own) {
    windowBytes = settings.bytes(ClientKeys.READ_WINDOW, ClientKeys.READ_WINDOW_DEFAULT, 0);
    hedged = settings.flag(ClientKeys.HEDGE_ENABLED, ClientKeys.HEDGE_ENABLED_DEFAULT);
    long least = settings.millis(ClientKeys.HEDGE_MIN, ClientKeys.HEDGE_MIN_DEFAULT, 1);
    long most =
        settings.millis(ClientKeys.HEDGE_MAX, Math.max(least, ClientKeys.HEDGE_MAX_DEFAULT), least);
    hedgeMinNanos = TimeUnit.MILLISECONDS.toNanos(least);
    hedgeMaxNanos = TimeUnit.MILLISECONDS.toNanos(most);
    health =
        new NodeHealth(
            settings.millis(ClientKeys.SUSPECT_PERIOD, ClientKeys.SUSPECT_PERIOD_DEFAULT, 0));
    socketTimeoutMillis =
        conf.getLong(
            HdfsClientConfigKeys.DFS_CLIENT_SOCKET_TIMEOUT_KEY, HdfsConstants.READ_TIMEOUT);
    int threads =
        settings.countRaised(
            ClientKeys.READ_THREADS, ClientKeys.READ_THREADS_DEFAULT, THREADS_LEAST);
    THREADS.compareAndSet(null, new FetchThreads(threads));
    IDLE.compareAndSet(
        null,
        new IdleLanes(
            conf.getLong(
                HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_EXPIRY_MSEC_KEY,
                HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_EXPIRY_MSEC_DEFAULT)));
    buffers = own == null ? sharedBuffers(settings, IDLE.get()) : own;
  }

  private static synchronized ReadBuffers sharedBuffers(ClientSettings settings, IdleLanes idle) {
    if (BUFFERS.get() == null) {
      long most = MemoryLimits.part(MEMORY_PART, MEMORY_MOST);
      long bytes = MemoryLimits.of(settings, ClientKeys.READ_MEMORY, most);
      IdleWindows windows = new IdleWindows(idle.thread(), idle.expiryMillis());
      BUFFERS.set(new ReadBuffers(Math.max(bytes, MEMORY_LEAST), windows, BUFFER_TIMEOUT_MILLIS));
    }
    return BUFFERS.get();
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

  IdleLanes idleLanes() {
    return IDLE.get();
  }

  ReadBuffers buffers() {
    return buffers;
  }

  /** Returns how long a connection may be silent, 0 or less for any time. */
  long socketTimeoutMillis() {
    return socketTimeoutMillis;
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
}
