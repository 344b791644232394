// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/** What one run of the demo is to do. Set once, before it starts. */
final class DemoSettings {
  /** Bytes of a timed operation: long enough that opening and closing do not count. */
  static final String FULL_SIZE = "512MiB";

  /** The same with {@code --quick}: shows that all works; its figures are rough. */
  static final String QUICK_SIZE = "96MiB";

  static final long LEAST_BYTES = 8L << 20;
  static final int FULL_ROUNDS = 3;

  private final ErasureCodingPolicy policy;
  private final long bytes;
  private final int rounds;
  private final boolean quick;
  private final String coder;

  /**
   * Sets everything.
   *
   * @param bytes of one timed write or read
   * @param rounds repetitions of each timed step and client, which take turns
   * @param quick whether warm-ups are as short as they can be
   * @param coder name of our coder; tests name one that is wrong
   */
  DemoSettings(ErasureCodingPolicy policy, long bytes, int rounds, boolean quick, String coder) {
    this.policy = policy;
    this.bytes = bytes;
    this.rounds = rounds;
    this.quick = quick;
    this.coder = coder;
  }

  ErasureCodingPolicy policy() {
    return policy;
  }

  int dataUnits() {
    return policy.getNumDataUnits();
  }

  int parityUnits() {
    return policy.getNumParityUnits();
  }

  long bytes() {
    return bytes;
  }

  int rounds() {
    return rounds;
  }

  boolean isQuick() {
    return quick;
  }

  String coder() {
    return coder;
  }

  /** Rounds of acts 3 and 4, whose steps take seconds each. */
  int longRounds() {
    return (rounds + 1) / 2;
  }

  /** Blocks of files that are converted; HDFS' own 128 MiB would make trees of gigabytes. */
  long treeBlockBytes() {
    return quick ? 4L << 20 : 32L << 20;
  }

  /** Blocks of files that are rebuilt: enough groups that DataNodes work side by side. */
  long rebuiltBlockBytes() {
    return quick ? 4L << 20 : 16L << 20;
  }

  /** Block groups that files have for what takes longer than a write: half as many bytes again. */
  int groups(long blockBytes) {
    return (int) Math.max(2, bytes * 3 / 2 / (dataUnits() * blockBytes));
  }

  /** Most bytes that lie on the disks at once: four replicas twice, and what is coded. */
  long spaceBytes() {
    return 10 * bytes;
  }
}
