// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.List;

/** One conversion of all files; field names are those of the JSON record. */
final class ConvertSample {
  String code;
  String method;
  int repetition;

  /** Wall time from the start of the command's process to its end. */
  double seconds;

  /**
   * Duration of the job that {@code stripeline convert} prints, without the start of its JVM; or 0.
   */
  double jobSeconds;

  double mibPerSecond;
  double clientCpuSecondsPerGib;
  double serverCpuSecondsPerGib;

  /** Blocks that had to be sent to another DataNode; null for copies. */
  Long blocksSent;

  /** Bytes that crossed racks to be encoded, and as parity; null for copies. */
  Long crossRackBytes;

  /** What the pairs of DataNodes sent beside the conversion: mean rate of one; null for nothing. */
  Double trafficMbit;

  /** Times of the writes that began before and during the conversion; null without writes. */
  List<Double> writeSecondsBefore;

  List<Double> writeSecondsDuring;

  double totalCpuSecondsPerGib() {
    return clientCpuSecondsPerGib + serverCpuSecondsPerGib;
  }

  boolean isLike(ConvertSample other) {
    return code.equals(other.code) && method.equals(other.method);
  }

  boolean isBeside(ConvertSample other) {
    return code.equals(other.code) && repetition == other.repetition;
  }
}
