// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

/** What DataNodes read for one access pattern; the field names are those of the JSON record. */
final class AccessCount {
  /** Ours may be more than Hadoop's by as many bytes, for a chunk at each end of some reads ... */
  static final long TOLERANCE_BYTES = 8 << 10;

  private static final double TOLERANCE = 0.02;

  /**
   * ... and by such a share, with dead DataNodes a larger one: what is decoded right after a jump
   * may be read again with the rest of its stripe, which Hadoop's client reads at once.
   */
  private static final double TOLERANCE_DEAD = 0.1;

  String policy;

  /** Bytes of the file, and what that is in cells and stripes. */
  long fileBytes;

  String file;

  /** DataNodes that are dead. */
  int dead;

  String pattern;

  /** Of Hadoop's own client. */
  Reads stock;

  /** Of ours. */
  Reads ours;

  /** Whether ours had DataNodes read no more than Hadoop's. */
  boolean isKept() {
    return ours.bytes <= stock.bytes * ratioMax(dead) + TOLERANCE_BYTES;
  }

  static double ratioMax(int dead) {
    return 1 + (dead == 0 ? TOLERANCE : TOLERANCE_DEAD);
  }

  double ratio() {
    return ours.bytes / Math.max(1.0, stock.bytes);
  }

  /** What DataNodes served to a client: the median of its runs by bytes. */
  static final class Reads {
    /** Bytes with their checksums. */
    long bytes;

    /** Requests to read a range of an internal block. */
    int blockReads;

    /** Connections over which these came. */
    int connections;
  }
}
