// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

/** What a client has done; one line of JSON. */
public final class ClientAnswer {
  /** Why it could not be done; null when it was. */
  public String error;

  /** Whether it could not be done because a file did not hold what was written. */
  boolean wrongBytes;

  /** Wall time from the moment that all threads begin until the last has ended. */
  public double seconds;

  /** User bytes written or read. */
  public long bytes;

  /** Processor time of the client's process in that time. */
  public double clientCpuSeconds;

  /** Processor time of the servers' processes in that time. */
  public double serverCpuSeconds;

  /** Class of Hadoop's or our stream that did it. */
  public String stream;

  /** Times of single reads, for RANDOM; else null. */
  public Latency latency;

  /** Times of single reads in microseconds. */
  public static final class Latency {
    long reads;
    public double mean;
    public double p50;
    public double p99;
    double max;
  }
}
