// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.util.List;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;

/**
 * An erasure coding policy.
 *
 * @param codec Hadoop's name of the code
 * @param dataUnits the number of data units
 * @param parityUnits the number of parity units
 * @param cellBytes bytes of a cell
 */
record FuzzPolicy(String codec, int dataUnits, int parityUnits, int cellBytes) {
  /** Policies with small cells, so that small files have many stripes, and one with 1 MiB cells. */
  static final List<FuzzPolicy> ALL =
      List.of(
          new FuzzPolicy("rs", 6, 3, 64 << 10),
          new FuzzPolicy("rs", 6, 3, 4 << 10),
          new FuzzPolicy("rs", 3, 2, 1 << 20),
          new FuzzPolicy("rs", 3, 2, 16 << 10),
          new FuzzPolicy("rs", 2, 1, 1 << 10),
          new FuzzPolicy("rs", 4, 4, 8 << 10),
          new FuzzPolicy("rs-legacy", 6, 3, 32 << 10),
          new FuzzPolicy("xor", 2, 1, 64 << 10),
          new FuzzPolicy("xor", 5, 1, 8 << 10));

  /** The maximum number of internal blocks of any policy. */
  static final int UNITS_MAX = 9;

  /** Returns the policy; Hadoop derives its name from its parameters. */
  ErasureCodingPolicy policy() {
    return new ErasureCodingPolicy(new ECSchema(codec, dataUnits, parityUnits), cellBytes);
  }

  /** Returns the name of the policy. */
  String name() {
    return policy().getName();
  }
}
