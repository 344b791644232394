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
   * Duration of the job that {@code stripeline convert} or {@link RaidNode} prints, without the
   * start of JVMs; or 0.
   */
  double jobSeconds;

  double mibPerSecond;
  double clientCpuSecondsPerGib;
  double serverCpuSecondsPerGib;

  /**
   * Blocks that were sent to another DataNode, or with HDFS-RAID that would have to be; null for
   * copies.
   */
  Long blocksSent;

  /** Bytes that crossed racks to be encoded, and as parity; null for copies. */
  Long crossRackBytes;

  /** What the pairs of DataNodes sent beside the conversion: mean rate of one; null for nothing. */
  Double trafficMbit;

  /** Times of the writes that began before and during the conversion; null without writes. */
  List<Double> writeSecondsBefore;

  List<Double> writeSecondsDuring;

  /** When these writes began, first those before: seconds from the begin of the conversion. */
  List<Double> writeBegins;

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
