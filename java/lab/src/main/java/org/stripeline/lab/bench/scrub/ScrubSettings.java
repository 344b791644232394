// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/** The settings of a run. */
final class ScrubSettings {
  ErasureCodingPolicy policy;
  int datanodes;
  int files;
  long fileBytes;
  int repetitions;
  boolean quick;

  /** Whether this process has a network of its own, so that no other traffic is counted. */
  boolean ownNetwork;

  long bytes() {
    return files * fileBytes;
  }

  /** Returns the bytes on the disks. */
  long bytesStored() {
    int data = policy.getNumDataUnits();
    return bytes() / data * (data + policy.getNumParityUnits());
  }
}
