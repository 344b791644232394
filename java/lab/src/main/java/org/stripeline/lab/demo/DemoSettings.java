// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/** The settings of one run of the demo. Immutable. */
final class DemoSettings {
  /**
   * Bytes of a timed operation: large enough that the time for opening and closing is negligible.
   */
  static final String FULL_SIZE = "512MiB";

  /**
   * Bytes of a timed operation with {@code --quick}: shows that everything works, with rough
   * values.
   */
  static final String QUICK_SIZE = "96MiB";

  static final long LEAST_BYTES = 8L << 20;
  static final int FULL_ROUNDS = 3;

  private final ErasureCodingPolicy policy;
  private final long bytes;
  private final int rounds;
  private final boolean quick;
  private final String coder;

  /**
   * Sets all values.
   *
   * @param bytes of one timed write or read
   * @param rounds repetitions of each timed step; the clients take turns
   * @param quick whether warm-ups are as short as possible
   * @param coder name of our coder; tests use a faulty one
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

  /** Returns the number of rounds of acts 3 and 4, whose steps take seconds each. */
  int longRounds() {
    return (rounds + 1) / 2;
  }

  /**
   * Returns the block size of files that are converted; with HDFS's default of 128 MiB the trees
   * would have gigabytes.
   */
  long treeBlockBytes() {
    return quick ? 4L << 20 : 32L << 20;
  }

  /**
   * Returns the block size of files that are reconstructed: small enough for many groups, so that
   * DataNodes work in parallel.
   */
  long rebuiltBlockBytes() {
    return quick ? 4L << 20 : 16L << 20;
  }

  /**
   * Returns the number of block groups of files for steps that take longer than a write; the files
   * are an eighth larger than that of a write, so that the code RS-6-3 fills its last group.
   */
  int groups(long blockBytes) {
    return (int) Math.max(2, bytes * 9 / 8 / (dataUnits() * blockBytes));
  }

  /**
   * Returns the maximum bytes on the disks at the same time: in act 2 four replicas twice, and the
   * erasure-coded data; in act 3 three replicas of the tree, and its erasure-coded copy.
   */
  long spaceBytes() {
    long tree = groups(treeBlockBytes()) * dataUnits() * treeBlockBytes();
    return Math.max(10 * bytes, 5 * tree);
  }
}
