// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/**
 * Computes the heap size of a client JVM from the maximum buffer use of its streams, so that
 * garbage collection does not slow one contestant more than others.
 */
final class ClientHeap {
  /** A contestant that needs more is not measured. */
  static final long BYTES_MAX = 4L << 30;

  /** Of every client, and of the verifier, whose streams queue nothing. */
  static final long LEAST = 768L << 20;

  private static final long BASE = 400L << 20;

  /** Maximum number of packets that Hadoop's stream queues for each DataNode. */
  private static final int PACKETS = 80;

  private ClientHeap() {}

  /** Returns why a contestant cannot be measured, or null. */
  static String absence(IoContestant contestant, ErasureCodingPolicy policy, int threads) {
    long need = bytes(contestant, policy, threads);
    return need <= BYTES_MAX
        ? null
        : "its streams may hold "
            + (need >> 20)
            + " MiB of packets with "
            + threads
            + " threads, more than a client's heap of "
            + (BYTES_MAX >> 20);
  }

  static long bytes(IoContestant contestant, ErasureCodingPolicy policy, int threads) {
    boolean coded = contestant.scheme().isCoded();
    int units = coded ? policy.getNumDataUnits() + policy.getNumParityUnits() : 1;
    long cells = coded ? 2L * policy.getCellSize() : 0;
    long perStream = units * ((long) PACKETS * contestant.packetBytes() + cells);
    return Math.max(LEAST, BASE + threads * perStream);
  }
}
