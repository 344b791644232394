// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

/** The answer of a client to a request; one line of JSON. */
public final class ClientAnswer {
  /** Why the request failed; null if it succeeded. */
  public String error;

  /** Wall time from the common start of all threads to the end of the last one. */
  public double seconds;

  /** User bytes written or read. */
  public long bytes;

  /** Processor time of the client's process during that time. */
  public double clientCpuSeconds;

  /** Processor time of the servers' processes during that time. */
  public double serverCpuSeconds;

  /** Class of the stream, Hadoop's or ours. */
  public String stream;

  /**
   * Latencies of reads for RANDOM, of a write and its hflush for SYNC, without the first one, and
   * of create, write and hflush for FIRST_SYNC; null for other actions.
   */
  public Latency latency;

  /** Latencies in microseconds. */
  public static final class Latency {
    long count;
    public double mean;
    public double p50;
    public double p99;
    double max;
  }
}
