// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** Ways of placing replicas and making erasure-coded stripes of them. */
public enum Policy {
  /** HDFS' placement, stripes of consecutive blocks, encoded anywhere, any replica stays. */
  RR,
  /** As RR, but a matching says which replicas stay. */
  RETENTION,
  /** One replica of each block in the stripe's core rack, the others unchecked. */
  PRELIMINARY_EAR,
  /** Encoding-aware replication. */
  EAR,
  /** HDFS' placement; stripes are chosen afterwards among all blocks that share a rack. */
  POST_HOC,
  /** HDFS' placement; the consecutive blocks of a file, encoded where most of them are. */
  ADOPTION,
  /** A client reads the blocks and writes all of the stripe anew. */
  COPY;

  /** Returns whether stripes are put together while blocks are written. */
  public boolean placesForStripes() {
    return this == PRELIMINARY_EAR || this == EAR;
  }
}
