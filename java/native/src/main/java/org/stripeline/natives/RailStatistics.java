// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.util.Arrays;
import java.util.Optional;

/** What one rail has done since its engine was opened. Counts are of pieces of tasks. */
public final class RailStatistics {
  /** Buckets of a histogram: bucket b counts times from 2^b to 2^(b+1) - 1 nanoseconds. */
  private static final int BUCKETS = 36;

  /** Numbers before the histograms, in the order of the methods below. */
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

  /** Returns why the rail is given no work, if it is not. */
  public Optional<String> outOfService() {
    return numbers[0] != 0 || whyOut.isEmpty() ? Optional.empty() : Optional.of(whyOut);
  }

  /** Returns whether the rail adds to what all do together, and is therefore given work. */
  public boolean isFed() {
    return numbers[1] != 0;
  }

  /** Returns bytes of data a second that the rail is taken to do. */
  public long rate() {
    return numbers[2];
  }

  /** Returns the entries waiting in its queues. */
  public long queued() {
    return numbers[3];
  }

  /** Returns the pieces done. */
  public long pieces() {
    return numbers[4];
  }

  /** Returns the bytes of data, that is of inputs, of these. */
  public long dataBytes() {
    return numbers[5];
  }

  /** Returns nanoseconds that its workers were busy, summed over workers. */
  public long busyNanos() {
    return numbers[6];
  }

  /** Returns nanoseconds of CPU time of its workers; waiting threads that coded are not in it. */
  public long cpuNanos() {
    return numbers[7];
  }

  /** Returns the pieces taken over from other rails' queues. */
  public long stolen() {
    return numbers[8];
  }

  /** Returns the pieces that it failed. */
  public long faults() {
    return numbers[9];
  }

  /** Returns the pieces taken away because it did not answer. */
  public long revoked() {
    return numbers[10];
  }

  /** Returns how often it was put out of service. */
  public long quarantines() {
    return numbers[11];
  }

  /** Returns the pieces that it compared for other rails. */
  public long checks() {
    return numbers[12];
  }

  /** Returns the pieces found to hold wrong bytes, or wrongly found to. */
  public long wrong() {
    return numbers[13];
  }

  /**
   * Returns nanoseconds from issue to begin within which that share of tasks was begun, rounded up
   * to a power of two; 0 if there was none.
   *
   * @param share from 0 to 1, such as 0.99
   */
  public long waitNanos(double share) {
    return percentile(HEAD_LONGS, share);
  }

  /**
   * Returns nanoseconds from begin to end within which that share of pieces was done, rounded up to
   * a power of two; 0 if there was none.
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
