// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.util.Arrays;
import java.util.Optional;

/** Counts of one rail since its engine was opened, in pieces of tasks. */
public final class RailStatistics {
  /**
   * The number of buckets of a histogram: bucket b counts times from 2^b to 2^(b+1) - 1
   * nanoseconds.
   */
  private static final int BUCKETS = 36;

  /** The numbers before the histograms, in the order of the methods below. */
  private static final int HEAD_LONGS = 14;

  static final int LONGS = HEAD_LONGS + 2 * BUCKETS;

  private final String name;
  private final String whyOut;
  private final long[] numbers;

  RailStatistics(String name, String whyOut, long[] all, int start) {
    this.name = name;
    this.whyOut = whyOut;
    this.numbers = Arrays.copyOfRange(all, start, start + LONGS);
  }

  /** Returns the rail's name. */
  public String name() {
    return name;
  }

  /** Returns the reason why the rail receives no work, if it is out of service. */
  public Optional<String> outOfService() {
    return numbers[0] != 0 || whyOut.isEmpty() ? Optional.empty() : Optional.of(whyOut);
  }

  /** Returns whether the rail increases the total rate, and therefore receives work. */
  public boolean isActive() {
    return numbers[1] != 0;
  }

  /** Returns the estimated rate of the rail in bytes of data per second. */
  public long rate() {
    return numbers[2];
  }

  /** Returns the number of entries in its queues. */
  public long queued() {
    return numbers[3];
  }

  /** Returns the number of pieces that it has completed. */
  public long pieces() {
    return numbers[4];
  }

  /** Returns the bytes of data, which are the inputs, of these pieces. */
  public long dataBytes() {
    return numbers[5];
  }

  /** Returns the nanoseconds that its workers were busy, summed over workers. */
  public long busyNanos() {
    return numbers[6];
  }

  /**
   * Returns the nanoseconds of CPU time of its workers, without waiting threads that executed
   * pieces.
   */
  public long cpuNanos() {
    return numbers[7];
  }

  /** Returns the number of pieces taken from other rails' queues. */
  public long stolen() {
    return numbers[8];
  }

  /** Returns the number of pieces that it failed. */
  public long faults() {
    return numbers[9];
  }

  /** Returns the number of pieces taken away because it did not answer. */
  public long revoked() {
    return numbers[10];
  }

  /** Returns how often it was taken out of service. */
  public long quarantines() {
    return numbers[11];
  }

  /** Returns the number of pieces that it compared for other rails. */
  public long checks() {
    return numbers[12];
  }

  /**
   * Returns the number of pieces that it computed with wrong bytes, and of correct pieces that its
   * check reported as wrong.
   */
  public long wrong() {
    return numbers[13];
  }

  /**
   * Returns the nanoseconds from issue to start within which a share of tasks was started, rounded
   * up to a power of two; 0 if there was no task.
   *
   * @param share from 0 to 1, such as 0.99
   */
  public long waitNanos(double share) {
    return percentile(HEAD_LONGS, share);
  }

  /**
   * Returns the nanoseconds from start to end within which a share of pieces was completed, rounded
   * up to a power of two; 0 if there was no piece.
   *
   * @param share from 0 to 1, such as 0.99
   */
  public long serviceNanos(double share) {
    return percentile(HEAD_LONGS + BUCKETS, share);
  }

  private long percentile(int start, double share) {
    long total = 0;
    for (int i = 0; i < BUCKETS; i++) {
      total += numbers[start + i];
    }
    if (total == 0) {
      return 0;
    }
    long wanted = Math.max(1, (long) Math.ceil(share * total));
    int bucket = 0;
    for (long seen = numbers[start]; seen < wanted && bucket < BUCKETS - 1; bucket++) {
      seen += numbers[start + bucket + 1];
    }
    return 2L << bucket;
  }

  @Override
  public String toString() {
    return name + ": " + pieces() + " pieces, " + dataBytes() + " bytes of data";
  }
}
