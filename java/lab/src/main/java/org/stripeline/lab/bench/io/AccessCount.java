// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

/**
 * The bytes that DataNodes read for one access pattern; the field names are those of the JSON
 * record.
 */
final class AccessCount {
  /**
   * Our client may read this many bytes more than Hadoop's, for a checksum chunk at each end of
   * some reads ...
   */
  static final long TOLERANCE_BYTES = 8 << 10;

  private static final double TOLERANCE = 0.02;

  /**
   * ... and this share more, a larger one with dead DataNodes: data that is decoded right after a
   * seek may be read again with the rest of its stripe, which Hadoop's client reads at once.
   */
  private static final double TOLERANCE_DEAD = 0.1;

  String policy;

  /** Length of the file in bytes, cells and stripes. */
  long fileBytes;

  String file;

  /** Number of dead DataNodes. */
  int dead;

  String pattern;

  /** Reads of Hadoop's own client. */
  Reads stock;

  /** Reads of our client. */
  Reads ours;

  /** Returns whether our client caused no more reads than Hadoop's, within the tolerance. */
  boolean isKept() {
    return ours.bytes <= stock.bytes * ratioMax(dead) + TOLERANCE_BYTES;
  }

  static double ratioMax(int dead) {
    return 1 + (dead == 0 ? TOLERANCE : TOLERANCE_DEAD);
  }

  double ratio() {
    return ours.bytes / Math.max(1.0, stock.bytes);
  }

  /** The reads that DataNodes served to a client: the run with the median of bytes. */
  static final class Reads {
    /** Bytes including checksums. */
    long bytes;

    /** Requests to read a range of an internal block. */
    int blockReads;

    /** Connections that carried these requests. */
    int connections;
  }
}
