// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** Methods of placing replicas and of converting them to erasure-coded stripes. */
public enum Policy {
  /**
   * The placement of HDFS; stripes of consecutive blocks, encoded anywhere; any replica is
   * retained.
   */
  RR,
  /** Like RR, but a matching determines the replicas to retain. */
  RETENTION,
  /** One replica of each block in the stripe's core rack; the others are not checked. */
  PRELIMINARY_EAR,
  /** Encoding-aware replication, as the paper describes it. */
  EAR,
  /** Encoding-aware replication, as the NameNode's placement policy does it. */
  EAR_NAMENODE,
  /** The placement of HDFS; stripes are formed afterwards from all blocks that share a rack. */
  POST_HOC,
  /** The placement of HDFS; consecutive blocks of a file, encoded in the rack with most of them. */
  ADOPTION,
  /** A client reads the blocks and writes a new stripe. */
  COPY;

  /** Returns whether stripes are formed while blocks are written. */
  public boolean placesForStripes() {
    return this == PRELIMINARY_EAR || this == EAR || this == EAR_NAMENODE;
  }
}
