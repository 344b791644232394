// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** Counts of the write pipelines of this process, for the metrics. */
public final class WriteStatistics {
  private static final WriteStatistics SHARED = new WriteStatistics();

  private final LongAdder streamsOpened = new LongAdder();
  private final LongAdder streamsFailed = new LongAdder();
  private final LongAdder stripes = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder encodeNanos = new LongAdder();
  private final LongAdder stalls = new LongAdder();
  private final LongAdder stallNanos = new LongAdder();
  private final LongAdder lateDataNodes = new LongAdder();
  private final LongAdder occupancySum = new LongAdder();
  private final LongAdder occupancySamples = new LongAdder();
  private final LongAccumulator occupancyMax = new LongAccumulator(Long::max, 0);

  /** Returns the statistics that all streams of this process share. */
  public static WriteStatistics shared() {
    return SHARED;
  }

  void opened() {
    streamsOpened.increment();
  }

  void failed() {
    streamsFailed.increment();
  }

  void encoded(int userBytes, long nanos) {
    stripes.increment();
    bytes.add(userBytes);
    encodeNanos.add(nanos);
  }

  void stalled(long nanos) {
    stalls.increment();
    stallNanos.add(nanos);
  }

  /** Counts a DataNode that a writer continues without because it was late. */
  public void lateDataNode() {
    lateDataNodes.increment();
  }

  void acquired(int occupied) {
    occupancySum.add(occupied);
    occupancySamples.increment();
    occupancyMax.accumulate(occupied);
  }

  /** Returns the streams opened. */
  public long streamsOpened() {
    return streamsOpened.sum();
  }

  /** Returns the streams that failed before they were closed. */
  public long streamsFailed() {
    return streamsFailed.sum();
  }

  /** Returns the stripes encoded, partial ones included. */
  public long stripes() {
    return stripes.sum();
  }

  /** Returns the bytes of user data in those stripes. */
  public long bytes() {
    return bytes.sum();
  }

  /** Returns the nanoseconds spent on encoding and checksums, over all threads. */
  public long encodeNanos() {
    return encodeNanos.sum();
  }

  /** Returns how often a writer had to wait for room in its window. */
  public long stalls() {
    return stalls.sum();
  }

  /** Returns the nanoseconds that writers waited for room. */
  public long stallNanos() {
    return stallNanos.sum();
  }

  /** Returns how often a writer continued without a DataNode because it was late. */
  public long lateDataNodes() {
    return lateDataNodes.sum();
  }

  /**
   * Returns the mean number of stripes in progress when another stripe was begun; 0 if none was.
   */
  public double meanOccupancy() {
    long samples = occupancySamples.sum();
    return samples == 0 ? 0 : (double) occupancySum.sum() / samples;
  }

  /** Returns the maximum number of stripes in progress in any one stream. */
  public long maxOccupancy() {
    return occupancyMax.get();
  }
}
