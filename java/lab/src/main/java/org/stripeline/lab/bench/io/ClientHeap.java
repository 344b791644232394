// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/**
 * Computes the heap size of a client JVM, and its memory outside of the heap, from the maximum
 * buffer use of its streams, so that garbage collection does not slow one contestant more than
 * others.
 */
final class ClientHeap {
  /** A contestant that needs more is not measured. */
  static final long BYTES_MAX = 4L << 30;

  /** Of the verifier, whose streams queue nothing. */
  static final long VERIFIER = 384L << 20;

  private static final long LEAST = 768L << 20;

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
    long packets = (long) PACKETS * contestant.packetBytes() * units(contestant, policy);
    long cells = contestant.hasHeapCells() ? cellBytes(contestant, policy) : 0;
    return Math.max(LEAST, BASE + threads * (packets + cells));
  }

  /** Returns the bytes of cells outside of the heap. */
  static long directBytes(IoContestant contestant, ErasureCodingPolicy policy, int threads) {
    return contestant.hasHeapCells() ? 0 : threads * cellBytes(contestant, policy);
  }

  /** Returns the bytes of the cells of one stream: of two stripes, one of which is being sent. */
  private static long cellBytes(IoContestant contestant, ErasureCodingPolicy policy) {
    return contestant.scheme().isCoded()
        ? 2L * policy.getCellSize() * units(contestant, policy)
        : 0;
  }

  private static int units(IoContestant contestant, ErasureCodingPolicy policy) {
    return contestant.scheme().isCoded()
        ? policy.getNumDataUnits() + policy.getNumParityUnits()
        : 1;
  }
}
