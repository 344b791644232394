// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/**
 * A request for linear fingerprints of consecutive windows of one replica; see {@code
 * docs/decisions/0015-fingerprints.md}. Fingerprints of the blocks of a group can be compared if
 * they have the same seed, sums and window.
 */
public final class FingerprintRequest {
  /** Maximum windows of one call, so that an answer has at most 1 MiB of fingerprints. */
  public static final int WINDOWS_MAX = 4096;

  /** The lowest limit of bytes per second: a window of 2 MiB then takes 8 s. */
  public static final long RATE_MIN = 256 << 10;

  /** The limit of bytes per second where none is configured. */
  public static final long RATE_DEFAULT = 20L << 20;

  /** The block pool. */
  public final String pool;

  /** The block, with the generation stamp and the length that the replica must have. */
  public final AgentBlock block;

  /** The first window: the bytes of the block from this number times the window on. */
  public final long firstWindow;

  /** Number of windows, 1 to {@link #WINDOWS_MAX}; those past the end have zeros. */
  public final int windows;

  /** Bytes of a window: a multiple of 64 and of the bytes per checksum, up to 2 MiB. */
  public final int windowBytes;

  /** Determines the coefficients. */
  public final long seed;

  /** Number of sums t, 1 to 4; a fingerprint has 64 times as many bytes. */
  public final int sums;

  /**
   * Maximum bytes per second, at least {@link #RATE_MIN}; 0 for the limit of the DataNode only,
   * which is never exceeded.
   */
  public final long bytesPerSecond;

  private FingerprintRequest(Builder builder) {
    pool = builder.pool;
    block = builder.block;
    firstWindow = builder.firstWindow;
    windows = builder.windows;
    windowBytes = builder.windowBytes;
    seed = builder.seed;
    sums = builder.sums;
    bytesPerSecond = builder.bytesPerSecond;
  }

  /** Builds a request: by default for the first window, without a limit of its own. */
  public static final class Builder {
    private final String pool;
    private final AgentBlock block;
    private long firstWindow;
    private int windows = 1;
    private int windowBytes = 1 << 20;
    private long seed;
    private int sums = 2;
    private long bytesPerSecond;

    /** Begins a request for a block of a pool. */
    public Builder(String pool, AgentBlock block) {
      this.pool = pool;
      this.block = block;
    }

    /** Sets the function. */
    public Builder function(long number, int count, int bytes) {
      seed = number;
      sums = count;
      windowBytes = bytes;
      return this;
    }

    /** Sets the windows. */
    public Builder windows(long first, int count) {
      firstWindow = first;
      windows = count;
      return this;
    }

    /** Sets the maximum bytes per second. */
    public Builder bytesPerSecond(long most) {
      bytesPerSecond = most;
      return this;
    }

    /** Returns the request. The agent validates it. */
    public FingerprintRequest build() {
      return new FingerprintRequest(this);
    }
  }
}
