// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

/**
 * The analytical model of the paper on UMR-EC (section 2, equations 1 to 9) as throughput: times of
 * an amount of data are inverse rates, in any unit. {@code transfer} is the rate of communication
 * and everything else without coding, which a coder that computes nothing shows.
 */
final class PipelineModel {
  private PipelineModel() {}

  /** Equations 1 and 2: coding, then everything else. */
  static double sequential(double coding, double transfer) {
    return 1 / (1 / coding + 1 / transfer);
  }

  /** Equation 1 solved for everything else: {@code sequential} must be less than {@code coding}. */
  static double withoutCoding(double sequential, double coding) {
    return 1 / (1 / sequential - 1 / coding);
  }

  /** Equations 7 and 8: coding while everything else goes on. */
  static double overlapped(double coding, double transfer) {
    return Math.min(coding, transfer);
  }

  /** Equation 9: coding, communication and other computation at the same time. */
  static double partitioned(double coding, double communication, double other) {
    return Math.min(coding, Math.min(communication, other));
  }

  /** Equations 3 and 4: the fastest coder alone. */
  static double fastest(double... coders) {
    double most = 0;
    for (double coder : coders) {
      most = Math.max(most, coder);
    }
    return most;
  }

  /** Equations 5 and 6: all coders, each with the share of the data that its rate allows. */
  static double together(double... coders) {
    double sum = 0;
    for (double coder : coders) {
      sum += coder;
    }
    return sum;
  }
}
