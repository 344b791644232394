// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/** The settings of a run. */
public final class ConvertSettings {
  /** Roughly, to know the space of writes during it. */
  private static final double CONVERSION_SECONDS = 60;

  List<ConversionMethod> methods = new ArrayList<>();

  /** Codes in the order of the run, each as the policy with cells of 1 MiB that copies use. */
  List<ErasureCodingPolicy> policies = new ArrayList<>();

  public int datanodes;
  public int racks;

  /** Replicas of the files before the conversion. */
  public int replication;

  public long blockBytes;

  /** Full block groups of each file. */
  public int groups;

  public int files;
  int repetitions;

  /** Rate of each DataNode's link in Mbit/s; 0 for the loopback interface. */
  int linkMbit;

  /** Rate of each rack's link in Mbit/s. */
  int rackMbit;

  /** Rate of datagrams between the DataNodes of each pair, in Mbit/s; 0 for none. */
  int trafficMbit;

  /** Writes of one block that arrive each second, before and while files are converted; or 0. */
  double writesPerSecond;

  /** How long they arrive before the conversion. */
  double writesBeforeSeconds;

  boolean isShaped() {
    return linkMbit > 0;
  }

  public long fileBytes(ErasureCodingPolicy policy) {
    return groups * policy.getNumDataUnits() * blockBytes;
  }

  public long bytes(ErasureCodingPolicy policy) {
    return files * fileBytes(policy);
  }

  /**
   * Returns the maximum bytes on the disks at the same time: the replicas and an erasure-coded copy
   * of the largest run, and the writes beside it.
   */
  long bytesStored() {
    long most = 0;
    for (ErasureCodingPolicy policy : policies) {
      int data = policy.getNumDataUnits();
      double coded = (double) (data + policy.getNumParityUnits()) / data;
      most = Math.max(most, (long) (bytes(policy) * (replication + coded)));
    }
    double writes = writesPerSecond * (writesBeforeSeconds + CONVERSION_SECONDS);
    return most + (long) (writes * blockBytes * replication);
  }

  /**
   * Returns the code of a policy in the form used by {@code stripeline convert} and the NameNode's
   * placement.
   */
  public static String code(ErasureCodingPolicy policy) {
    return "RS-" + policy.getNumDataUnits() + "-" + policy.getNumParityUnits();
  }
}
