// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.nio.file.Path;
import java.util.List;

/** What one run of the demo is to do. Set once, before it starts. */
final class DemoSettings {

  /** Bytes of made data unless told otherwise: enough to time, little enough for two minutes. */
  static final long DEFAULT_BYTES = 256L << 20;

  /** Least made data: the edge cases alone are three stripes. */
  static final long LEAST_BYTES = 16L << 20;

  /** Repetitions of each timed step and coder unless told otherwise. */
  static final int DEFAULT_ROUNDS = 3;

  private final StripeShape shape;
  private final List<String> coders;
  private final long bytes;
  private final Path data;
  private final int rounds;

  /**
   * Sets everything.
   *
   * @param coders names of the coders to compare; the first is the one that must be ours
   * @param bytes size of made data; not used when {@code data} is given
   * @param data directory with the user's own files, or null to make files
   * @param rounds repetitions of each timed step
   */
  DemoSettings(StripeShape shape, List<String> coders, long bytes, Path data, int rounds) {
    this.shape = shape;
    this.coders = coders;
    this.bytes = bytes;
    this.data = data;
    this.rounds = rounds;
  }

  StripeShape shape() {
    return shape;
  }

  List<String> coders() {
    return coders;
  }

  long bytes() {
    return bytes;
  }

  Path data() {
    return data;
  }

  int rounds() {
    return rounds;
  }
}
