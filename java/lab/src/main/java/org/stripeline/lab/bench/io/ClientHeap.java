// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/**
 * How much heap a client JVM gets: what its streams may hold at once, so that none is slowed by a
 * collector that others do not meet.
 */
final class ClientHeap {
  /** A contestant that needs more is left out. */
  static final long BYTES_MAX = 4L << 30;

  private static final long LEAST = 768L << 20;
  private static final long BASE = 400L << 20;

  /** Packets that Hadoop's stream keeps for each DataNode before it waits. */
  private static final int PACKETS = 80;

  private ClientHeap() {}

  static long bytes(IoContestant contestant, ErasureCodingPolicy policy, int threads) {
    boolean coded = contestant.scheme().isCoded();
    int units = coded ? policy.getNumDataUnits() + policy.getNumParityUnits() : 1;
    long cells = coded ? 2L * policy.getCellSize() : 0;
    long perStream = units * ((long) PACKETS * contestant.packetBytes() + cells);
    return Math.max(LEAST, BASE + threads * perStream);
  }
}
