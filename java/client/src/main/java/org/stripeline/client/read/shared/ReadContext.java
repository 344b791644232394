// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.MemoryLimits;
import org.stripeline.natives.Ticker;

/**
 * State that the streams of one client share: settings, and the health of its DataNodes. Threads
 * are shared by the clients of a cluster, buffers and counters by all clients of the JVM.
 */
public final class ReadContext {
  /**
   * The threads for each cluster, so that one whose DataNodes all hang leaves those of others free.
   */
  private static final Map<String, FetchThreads> THREADS = new ConcurrentHashMap<>();

  private static final AtomicReference<ReadBuffers> BUFFERS = new AtomicReference<>();
  private static final AtomicReference<IdleLanes> IDLE = new AtomicReference<>();
  private static final ReadCounters COUNTERS = new ReadCounters(null);
  private static final NodeLatencies LATENCIES = new NodeLatencies();

  /** The default memory of readers is the JVM's memory divided by this. */
  private static final int MEMORY_PART = 3;

  /** The minimum; with less memory, readers would constantly wait for each other. */
  private static final long MEMORY_LEAST = 8 << 20;

  /** The maximum of the default; more memory does not make readers faster. */
  private static final long MEMORY_MOST = 512 << 20;

  /**
   * The minimum; with fewer threads, DataNodes that hang could occupy all of them even if the code
   * can lose these DataNodes.
   */
  private static final int THREADS_LEAST = 16;

  /** The maximum time in milliseconds that a reader waits for the buffers of other readers. */
  private static final long BUFFER_TIMEOUT_MILLIS = 10_000;

  private final Ticker ticker;
  private final FetchThreads threads;
  private final ReadBuffers buffers;
  private final long windowBytes;
  private final boolean hedged;
  private final long hedgeMinNanos;
  private final long hedgeMaxNanos;
  private final long socketTimeoutMillis;
  private final NodeHealth health;
  private final LatencyEstimate latency = new LatencyEstimate();

  /** Creates a context from a configuration. */
  public ReadContext(Configuration conf) {
    this(conf, new ClientSettings(conf));
  }

  /**
   * Creates the context of a client.
   *
   * @param cluster the NameNode or nameservice
   */
  public ReadContext(Configuration conf, String cluster) {
    this(conf, new ClientSettings(conf), null, Ticker.SYSTEM, cluster);
  }

  /** Creates a context from a configuration and its settings. */
  public ReadContext(Configuration conf, ClientSettings settings) {
    this(conf, settings, null, Ticker.SYSTEM);
  }

  /**
   * Creates a context with {@code own} buffers, or with those of the JVM if it is null. The clock
   * does not apply to what all clients of the JVM share.
   */
  public ReadContext(Configuration conf, ClientSettings settings, ReadBuffers own, Ticker ticker) {
    this(conf, settings, own, ticker, "");
  }

  private ReadContext(
      Configuration conf, ClientSettings settings, ReadBuffers own, Ticker ticker, String cluster) {
    this.ticker = ticker;
    windowBytes = settings.bytes(ClientKeys.READ_WINDOW, ClientKeys.READ_WINDOW_DEFAULT, 0);
    hedged = settings.flag(ClientKeys.HEDGE_ENABLED, ClientKeys.HEDGE_ENABLED_DEFAULT);
    long least = settings.millis(ClientKeys.HEDGE_MIN, ClientKeys.HEDGE_MIN_DEFAULT, 1);
    long most =
        settings.millis(ClientKeys.HEDGE_MAX, Math.max(least, ClientKeys.HEDGE_MAX_DEFAULT), least);
    hedgeMinNanos = TimeUnit.MILLISECONDS.toNanos(least);
    hedgeMaxNanos = TimeUnit.MILLISECONDS.toNanos(most);
    health =
        new NodeHealth(
            settings.millis(ClientKeys.SUSPECT_PERIOD, ClientKeys.SUSPECT_PERIOD_DEFAULT, 0),
            ticker);
    socketTimeoutMillis =
        conf.getLong(
            HdfsClientConfigKeys.DFS_CLIENT_SOCKET_TIMEOUT_KEY, HdfsConstants.READ_TIMEOUT);
    int threadsMax =
        settings.countRaised(
            ClientKeys.READ_THREADS, ClientKeys.READ_THREADS_DEFAULT, THREADS_LEAST);
    threads = THREADS.computeIfAbsent(cluster, name -> new FetchThreads(threadsMax));
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

  /** Returns the bytes of buffers in use in this JVM. */
  public static long usedBufferBytes() {
    ReadBuffers buffers = BUFFERS.get();
    return buffers == null ? 0 : buffers.usedBytes();
  }

  /** Returns the mean milliseconds of a span by DataNode in this JVM. */
  public static Map<String, Double> nodeMillis() {
    return LATENCIES.millis();
  }

  /** Returns the mean durations by DataNode, of this JVM. */
  public NodeLatencies nodeLatencies() {
    return LATENCIES;
  }

  /** Returns the threads that fetch from the cluster of this client. */
  public FetchThreads threads() {
    return threads;
  }

  /** Returns the idle lanes of this JVM. */
  public IdleLanes idleLanes() {
    return IDLE.get();
  }

  /** Returns the buffers of this client: those of the JVM, except in tests. */
  public ReadBuffers buffers() {
    return buffers;
  }

  /** Returns the time for which a connection may be silent; 0 or less means no limit. */
  public long socketTimeoutMillis() {
    return socketTimeoutMillis;
  }

  /** Returns the clock of this client's reads. */
  public Ticker ticker() {
    return ticker;
  }

  /** Returns the health of the DataNodes as this client knows it. */
  public NodeHealth health() {
    return health;
  }

  /** Returns the usual durations of spans of this client. */
  public LatencyEstimate latency() {
    return latency;
  }

  /** Returns the maximum bytes that a sequential reader fetches ahead. */
  public long windowBytes() {
    return windowBytes;
  }

  /** Returns whether other units are requested for late spans. */
  public boolean isHedged() {
    return hedged;
  }

  /** Returns the nanoseconds after which a span of {@code bytes} bytes is late. */
  public long lateNanos(int bytes) {
    double unusual = latency.unusualNanos(bytes);
    if (unusual == 0) {
      return hedgeMaxNanos;
    }
    // If reads usually take long, the upper limit must not make every read late.
    double most = Math.max(hedgeMaxNanos, 2 * latency.usualNanos(bytes));
    return (long) Math.min(most, Math.max(hedgeMinNanos, unusual));
  }

  /** Returns the minimum time after which a span is late. */
  public long hedgeMinNanos() {
    return hedgeMinNanos;
  }
}
