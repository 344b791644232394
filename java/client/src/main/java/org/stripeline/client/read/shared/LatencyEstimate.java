// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

/**
 * Estimates the duration of a span by its size: an exponentially weighted mean and mean deviation
 * per power of two, as in TCP's retransmission timer (RFC 6298). Races between threads occasionally
 * lose a sample, which is harmless.
 */
public final class LatencyEstimate {
  private static final double MEAN_WEIGHT = 1.0 / 16;
  private static final double DEVIATION_WEIGHT = 1.0 / 8;

  private final double[] mean = new double[32];
  private final double[] deviation = new double[32];

  /** Adds the duration of a span of {@code bytes} bytes. */
  public void sample(int bytes, long nanos) {
    int size = sizeClass(bytes);
    if (mean[size] == 0) {
      mean[size] = nanos;
      deviation[size] = nanos / 2.0;
      return;
    }
    double error = nanos - mean[size];
    deviation[size] += DEVIATION_WEIGHT * (Math.abs(error) - deviation[size]);
    mean[size] += MEAN_WEIGHT * error;
  }

  /** Returns the nanoseconds after which a span of that size is unusually late; 0 if unknown. */
  double unusualNanos(int bytes) {
    int size = sizeClass(bytes);
    return mean[size] == 0 ? 0 : mean[size] + 4 * deviation[size];
  }

  /** Returns the usual nanoseconds for a span of that size; 0 if unknown. */
  double usualNanos(int bytes) {
    return mean[sizeClass(bytes)];
  }

  private static int sizeClass(int bytes) {
    return 31 - Integer.numberOfLeadingZeros(Math.max(1, bytes));
  }
}
