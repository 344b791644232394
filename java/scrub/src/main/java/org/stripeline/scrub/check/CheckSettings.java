// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import org.stripeline.natives.fingerprint.FingerprintFunction;

/** Settings of a pass that are the same for all groups. */
public final class CheckSettings {
  /**
   * Windows that all replicas of a group are asked for before any of them are compared. An agent
   * reads about 100 windows of 1 MiB before it answers, and the answers of 14 replicas have 115
   * KiB.
   */
  static final int STEP_WINDOWS = 64;

  /** Times that a replica is asked again before it counts as not checked. */
  static final int REPEATS = 3;

  /** Times that a group is checked from its beginning again because it changed. */
  static final int RESTARTS = 3;

  private final long seed;
  private final int sums;
  private final int windowBytes;
  private final long bytesPerSecond;

  /** Held while the bytes of a group are compared, of which there can be 40 MiB. */
  private final Object comparison;

  /**
   * Creates settings.
   *
   * @param seed the seed of the fingerprints, drawn at random for each pass
   * @param bytesPerSecond the most that each call of a DataNode reads; 0 for the DataNode's own
   *     limit
   */
  public CheckSettings(long seed, long bytesPerSecond) {
    this(seed, FingerprintFunction.SUMS, FingerprintFunction.WINDOW_BYTES, bytesPerSecond);
  }

  CheckSettings(long seed, int sums, int windowBytes, long bytesPerSecond) {
    this(seed, sums, windowBytes, bytesPerSecond, new Object());
  }

  private CheckSettings(
      long seed, int sums, int windowBytes, long bytesPerSecond, Object comparison) {
    this.comparison = comparison;
    this.seed = seed;
    this.sums = sums;
    this.windowBytes = windowBytes;
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Returns settings with another seed, for checks beside those with these settings. */
  public CheckSettings withSeed(long other) {
    return new CheckSettings(other, sums, windowBytes, bytesPerSecond, comparison);
  }

  long seed() {
    return seed;
  }

  int sums() {
    return sums;
  }

  int windowBytes() {
    return windowBytes;
  }

  int fingerprintBytes() {
    return sums * FingerprintFunction.ROW_BYTES;
  }

  /** Returns the lock under which bytes are compared: those of one group at a time. */
  Object comparison() {
    return comparison;
  }

  long bytesPerSecond() {
    return bytesPerSecond;
  }
}
