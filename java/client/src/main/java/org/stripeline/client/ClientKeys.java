// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

/** The configuration keys of the client pipelines, as docs/user/configure.md lists them. */
public final class ClientKeys {
  /** Whether erasure-coded files are read by our pipeline (boolean). */
  public static final String READ_ENABLED = "stripeline.client.read.enabled";

  /** Default of {@link #READ_ENABLED}. */
  public static final boolean READ_ENABLED_DEFAULT = true;

  /** Bytes of the file that a sequential reader may have fetched ahead, per stream. */
  public static final String READ_WINDOW = "stripeline.client.read.window";

  /** Default of {@link #READ_WINDOW}. */
  public static final long READ_WINDOW_DEFAULT = 16L << 20;

  /**
   * Most bytes of buffers of all streams of the JVM, of which three quarters may be read ahead; 0
   * takes a third of what the JVM has. The first client's value holds.
   */
  public static final String READ_MEMORY = "stripeline.client.read.memory";

  /** Default of {@link #READ_MEMORY}. */
  public static final long READ_MEMORY_DEFAULT = 0;

  /** Most threads that fetch cells, per JVM, at least 16; the first client's value holds. */
  public static final String READ_THREADS = "stripeline.client.read.threads";

  /** Default of {@link #READ_THREADS}. */
  public static final int READ_THREADS_DEFAULT = 256;

  /** Whether a late cell is replaced by parity (boolean). */
  public static final String HEDGE_ENABLED = "stripeline.client.read.hedge.enabled";

  /** Default of {@link #HEDGE_ENABLED}. */
  public static final boolean HEDGE_ENABLED_DEFAULT = true;

  /** Least milliseconds before a cell counts as late. */
  public static final String HEDGE_MIN = "stripeline.client.read.hedge.min";

  /** Default of {@link #HEDGE_MIN}. */
  public static final long HEDGE_MIN_DEFAULT = 100;

  /** Most milliseconds before a cell counts as late, whatever was measured before. */
  public static final String HEDGE_MAX = "stripeline.client.read.hedge.max";

  /** Default of {@link #HEDGE_MAX}. */
  public static final long HEDGE_MAX_DEFAULT = 500;

  /** Milliseconds for which a DataNode that was late or refused is asked last, per client. */
  public static final String SUSPECT_PERIOD = "stripeline.client.read.suspect.period";

  /** Default of {@link #SUSPECT_PERIOD}. */
  public static final long SUSPECT_PERIOD_DEFAULT = 30_000;

  /** How erasure-coded files are written: the name of a {@link WriteMode}. */
  public static final String WRITE_MODE = "stripeline.client.write.mode";

  /** Default of {@link #WRITE_MODE}. */
  public static final String WRITE_MODE_DEFAULT = "functional-partitioned";

  /**
   * Whether parity comes from the configured coder even where that is ours, and so from the engine
   * where there is one, with checksums in a pass of their own (boolean).
   */
  public static final String WRITE_ENGINE = "stripeline.client.write.engine.enabled";

  /** Default of {@link #WRITE_ENGINE}. */
  public static final boolean WRITE_ENGINE_DEFAULT = false;

  /**
   * Bytes of user data that a writer may have collected or sent without acknowledgement, per
   * stream; rounded down to whole stripes, at least 3 and at most 64 of them.
   */
  public static final String WRITE_WINDOW = "stripeline.client.write.window";

  /** Default of {@link #WRITE_WINDOW}. */
  public static final long WRITE_WINDOW_DEFAULT = 20L << 20;

  /**
   * Most bytes of user data in a packet to a DataNode; at most a cell, and what DataNodes take
   * ({@code dfs.data.transfer.max.packet.size}).
   */
  public static final String WRITE_PACKET = "stripeline.client.write.packet.size";

  /** Default of {@link #WRITE_PACKET}. */
  public static final long WRITE_PACKET_DEFAULT = 1L << 20;

  /** Threads that encode, per JVM; 0 takes half of the processors, at least 1 and at most 8. */
  public static final String WRITE_ENCODERS = "stripeline.client.write.encoder.threads";

  /** Default of {@link #WRITE_ENCODERS}. */
  public static final int WRITE_ENCODERS_DEFAULT = 0;

  /**
   * Most bytes of cells of all writers of the JVM, beyond which a writer waits for others; beyond
   * half of it each makes do with one stripe; 0 takes a third of what the JVM has.
   */
  public static final String WRITE_MEMORY = "stripeline.client.write.memory";

  /** Default of {@link #WRITE_MEMORY}. */
  public static final long WRITE_MEMORY_DEFAULT = 0;

  /** Bytes of unused cell buffers that are kept for the next stream, per JVM. */
  public static final String WRITE_BUFFERS = "stripeline.client.write.buffers.kept";

  /** Default of {@link #WRITE_BUFFERS}. */
  public static final long WRITE_BUFFERS_DEFAULT = 256L << 20;

  /**
   * What hflush and hsync of an erasure-coded file do: {@code warn} once per client and go on, or
   * {@code refuse} by an UnsupportedOperationException.
   */
  public static final String WRITE_SYNC = "stripeline.client.write.sync";

  /** Default of {@link #WRITE_SYNC}. */
  public static final String WRITE_SYNC_DEFAULT = "warn";

  /**
   * Least milliseconds without an acknowledgement after which a writer goes on without a DataNode,
   * if no more than the code can lose are that late; 0 waits until Hadoop gives up.
   */
  public static final String WRITE_SLOW = "stripeline.client.write.slow.timeout";

  /** Default of {@link #WRITE_SLOW}. */
  public static final long WRITE_SLOW_DEFAULT = 30_000;

  private ClientKeys() {}
}
