// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/** What is to be measured. */
public final class ConvertSettings {
  List<ConversionMethod> methods = new ArrayList<>();

  /** Codes in the order of the run, each as the policy with cells of 1 MiB that copies use. */
  List<ErasureCodingPolicy> policies = new ArrayList<>();

  public int datanodes;
  public int racks;

  /** Replicas of the files before. */
  public int replication;

  public long blockBytes;

  /** Block groups of a file; all are full. */
  public int groups;

  public int files;
  int repetitions;

  /** Rate of each DataNode's link in Mbit/s; 0 for the loopback. */
  int linkMbit;

  /** Rate of each rack's link in Mbit/s. */
  int rackMbit;

  boolean isShaped() {
    return linkMbit > 0;
  }

  public long fileBytes(ErasureCodingPolicy policy) {
    return groups * policy.getNumDataUnits() * blockBytes;
  }

  public long bytes(ErasureCodingPolicy policy) {
    return files * fileBytes(policy);
  }

  /** Most that lies on the disks at once: the replicas and a coded copy of the largest run. */
  long bytesStored() {
    long most = 0;
    for (ErasureCodingPolicy policy : policies) {
      int data = policy.getNumDataUnits();
      double coded = (double) (data + policy.getNumParityUnits()) / data;
      most = Math.max(most, (long) (bytes(policy) * (replication + coded)));
    }
    return most;
  }

  /** Code of a policy, as {@code stripeline convert} and the NameNode's placement name it. */
  public static String code(ErasureCodingPolicy policy) {
    return "RS-" + policy.getNumDataUnits() + "-" + policy.getNumParityUnits();
  }
}
