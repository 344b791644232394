// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

/** One check of all files; field names are those of the JSON record. */
final class ScrubSample {
  String method;
  int repetition;

  /** Wall time from the start of the command's process to its end. */
  double seconds;

  double clientCpuSecondsPerGib;
  double serverCpuSecondsPerGib;

  /** Bytes that the loopback interface transferred during the run. */
  long networkBytes;

  double totalCpuSecondsPerGib() {
    return clientCpuSecondsPerGib + serverCpuSecondsPerGib;
  }
}
