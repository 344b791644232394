// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

/** The configuration keys of the client pipelines; docs/user/configure.md lists them. */
public final class ClientKeys {
  /** Whether Stripeline's pipeline reads erasure-coded files (boolean). */
  public static final String READ_ENABLED = "stripeline.client.read.enabled";

  /** Default of {@link #READ_ENABLED}. */
  public static final boolean READ_ENABLED_DEFAULT = true;

  /** The maximum number of bytes of a file that a sequential reader fetches ahead, per stream. */
  public static final String READ_WINDOW = "stripeline.client.read.window";

  /** Default of {@link #READ_WINDOW}. */
  public static final long READ_WINDOW_DEFAULT = 16L << 20;

  /**
   * The maximum number of bytes in the read buffers of all streams of the JVM, of which read-ahead
   * may use three quarters; 0 means a third of the smaller of direct memory and heap, from 8 MiB to
   * 512 MiB. A value below 8 MiB counts as 8 MiB. The first client's value applies.
   */
  public static final String READ_MEMORY = "stripeline.client.read.memory";

  /** Default of {@link #READ_MEMORY}. */
  public static final long READ_MEMORY_DEFAULT = 0;

  /**
   * The maximum number of threads that fetch cells, per cluster, at least 16; the value of the
   * cluster's first client in the JVM applies.
   */
  public static final String READ_THREADS = "stripeline.client.read.threads";

  /** Default of {@link #READ_THREADS}. */
  public static final int READ_THREADS_DEFAULT = 256;

  /** Whether parity replaces a late cell (boolean). */
  public static final String HEDGE_ENABLED = "stripeline.client.read.hedge.enabled";

  /** Default of {@link #HEDGE_ENABLED}. */
  public static final boolean HEDGE_ENABLED_DEFAULT = true;

  /** The minimum milliseconds before a cell counts as late. */
  public static final String HEDGE_MIN = "stripeline.client.read.hedge.min";

  /** Default of {@link #HEDGE_MIN}. */
  public static final long HEDGE_MIN_DEFAULT = 100;

  /** The maximum milliseconds before a cell counts as late, or twice the usual time if longer. */
  public static final String HEDGE_MAX = "stripeline.client.read.hedge.max";

  /** Default of {@link #HEDGE_MAX}. */
  public static final long HEDGE_MAX_DEFAULT = 500;

  /** Milliseconds for which a late or failed DataNode is the last choice for reads, per client. */
  public static final String SUSPECT_PERIOD = "stripeline.client.read.suspect.period";

  /** Default of {@link #SUSPECT_PERIOD}. */
  public static final long SUSPECT_PERIOD_DEFAULT = 30_000;

  /** How erasure-coded files are written: the name of a {@link WriteMode}. */
  public static final String WRITE_MODE = "stripeline.client.write.mode";

  /** Default of {@link #WRITE_MODE}. */
  public static final String WRITE_MODE_DEFAULT = "functional-partitioned";

  /**
   * The maximum number of bytes of user data that a writer has collected or sent without an
   * acknowledgement, per stream; rounded down to whole stripes, at least 3 and at most 64 of them.
   */
  public static final String WRITE_WINDOW = "stripeline.client.write.window";

  /** Default of {@link #WRITE_WINDOW}. */
  public static final long WRITE_WINDOW_DEFAULT = 20L << 20;

  /**
   * The maximum number of bytes of user data in a packet to a DataNode; at most a cell, and at most
   * what DataNodes accept ({@code dfs.data.transfer.max.packet.size}).
   */
  public static final String WRITE_PACKET = "stripeline.client.write.packet.size";

  /** Default of {@link #WRITE_PACKET}. */
  public static final long WRITE_PACKET_DEFAULT = 1L << 20;

  /** Encoder threads per JVM; 0 means half of the processors, at least 1 and at most 8. */
  public static final String WRITE_ENCODERS = "stripeline.client.write.encoder.threads";

  /** Default of {@link #WRITE_ENCODERS}. */
  public static final int WRITE_ENCODERS_DEFAULT = 0;

  /**
   * The maximum number of bytes in the cells of all writers of the JVM; a writer that would exceed
   * it waits for other writers. Above half of it, each writer is limited to one stripe. 0 means a
   * third of the smaller of direct memory and heap.
   */
  public static final String WRITE_MEMORY = "stripeline.client.write.memory";

  /** Default of {@link #WRITE_MEMORY}. */
  public static final long WRITE_MEMORY_DEFAULT = 0;

  /** The maximum number of bytes of unused cell buffers that are kept for reuse, per JVM. */
  public static final String WRITE_BUFFERS = "stripeline.client.write.buffers.kept";

  /** Default of {@link #WRITE_BUFFERS}. */
  public static final long WRITE_BUFFERS_DEFAULT = 256L << 20;

  /**
   * What hflush and hsync of an erasure-coded file do: {@code durable} makes the bytes durable: it
   * makes a file of up to {@link #WRITE_SYNC_SWITCH_MAX} bytes a replicated one at the first such
   * call, and ends a block group at each call in a larger file; {@code warn} logs a warning once
   * per client and returns; {@code refuse} throws an UnsupportedOperationException.
   */
  public static final String WRITE_SYNC = "stripeline.client.write.sync";

  /** Default of {@link #WRITE_SYNC}. */
  public static final String WRITE_SYNC_DEFAULT = "durable";

  /** The maximum bytes that a file may have when its first durable sync makes it replicated. */
  public static final String WRITE_SYNC_SWITCH_MAX = "stripeline.client.write.sync.switch-max";

  /** Default of {@link #WRITE_SYNC_SWITCH_MAX}. */
  public static final long WRITE_SYNC_SWITCH_MAX_DEFAULT = 256L << 20;

  /**
   * The maximum number of block groups of an open file that end at a durable sync because the file
   * is too large to become replicated. 0 makes such a sync fail.
   */
  public static final String WRITE_SYNC_GROUPS_MAX = "stripeline.client.write.sync.groups-max";

  /** Default of {@link #WRITE_SYNC_GROUPS_MAX}. */
  public static final int WRITE_SYNC_GROUPS_MAX_DEFAULT = 256;

  /**
   * Directories, separated by commas, in which new files are replicated from their first byte,
   * whatever the erasure coding policy of the directory.
   */
  public static final String WRITE_REPLICATED_FIRST = "stripeline.client.write.replicated-first";

  /** Default of {@link #WRITE_REPLICATED_FIRST}. */
  public static final String WRITE_REPLICATED_FIRST_DEFAULT = "";

  /**
   * The minimum milliseconds without an acknowledgement after which a writer continues without a
   * DataNode, if no more DataNodes are late than the code can lose; 0 waits until Hadoop gives up.
   */
  public static final String WRITE_SLOW = "stripeline.client.write.slow.timeout";

  /** Default of {@link #WRITE_SLOW}. */
  public static final long WRITE_SLOW_DEFAULT = 30_000;

  private ClientKeys() {}
}
