// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import org.stripeline.lab.bench.io.client.ClientAnswer;

/** One timed operation; the field names are those of the JSON record. */
final class Sample {
  /** Link rate in Mbit/s, 0 for the loopback interface. */
  int linkMbit;

  String policy;
  int threads;
  String operation;
  String contestant;

  /** Number of the client JVM, from 0. */
  int jvm;

  /** Number of the repetition in that JVM, from 0. */
  int repetition;

  double seconds;
  double mibPerSecond;
  double clientCpuSecondsPerGib;

  /** Null on a cluster of the user. */
  Double serverCpuSecondsPerGib;

  String stream;
  ClientAnswer.Latency latency;

  /** Returns the processor time of client and servers, null without that of the servers. */
  Double totalCpuSecondsPerGib() {
    return serverCpuSecondsPerGib == null ? null : clientCpuSecondsPerGib + serverCpuSecondsPerGib;
  }

  /** Returns whether both were taken in the same repetition on the same network. */
  boolean isBeside(Sample other) {
    return linkMbit == other.linkMbit
        && policy.equals(other.policy)
        && threads == other.threads
        && jvm == other.jvm
        && repetition == other.repetition;
  }

  /** Returns whether it belongs to the same row of a table. */
  boolean isLike(Sample other) {
    return linkMbit == other.linkMbit
        && policy.equals(other.policy)
        && threads == other.threads
        && operation.equals(other.operation)
        && contestant.equals(other.contestant);
  }
}
