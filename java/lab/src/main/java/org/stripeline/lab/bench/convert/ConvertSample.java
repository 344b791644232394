// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

/** One conversion of all files; field names are those of the JSON record. */
final class ConvertSample {
  String code;
  String way;
  int repetition;

  /** From the start of the command's process to its end. */
  double seconds;

  /** What {@code stripeline convert} itself says the job took, without its JVM's start; or 0. */
  double jobSeconds;

  double mibPerSecond;
  double clientCpuSecondsPerGib;
  double serverCpuSecondsPerGib;

  /** Blocks that had to be sent to another DataNode; null for copies. */
  Long blocksSent;

  /** Bytes that crossed racks for coding and for parity; null for copies. */
  Long crossRackBytes;

  double totalCpuSecondsPerGib() {
    return clientCpuSecondsPerGib + serverCpuSecondsPerGib;
  }

  boolean isLike(ConvertSample other) {
    return code.equals(other.code) && way.equals(other.way);
  }

  boolean isBeside(ConvertSample other) {
    return code.equals(other.code) && repetition == other.repetition;
  }
}
