// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

/** What a client has done; one line of JSON. */
final class ClientAnswer {
  /** Why it could not be done; null when it was. */
  String error;

  /** Whether it could not be done because a file did not hold what was written. */
  boolean wrongBytes;

  /** Wall time from the moment that all threads begin until the last has ended. */
  double seconds;

  /** User bytes written or read. */
  long bytes;

  /** Processor time of the client's process in that time. */
  double clientCpuSeconds;

  /** Processor time of the servers' processes in that time. */
  double serverCpuSeconds;

  /** Class of Hadoop's or our stream that did it. */
  String stream;

  /** Times of single reads, for RANDOM; else null. */
  Latency latency;

  /** Times of single reads in microseconds. */
  static final class Latency {
    long reads;
    double mean;
    double p50;
    double p99;
    double max;
  }
}
