// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

/** Counts of the write pipelines of this process. */
public interface WriteMXBean {

  /** Returns the streams opened. */
  long getStreamsOpened();

  /** Returns the streams that failed before they were closed. */
  long getStreamsFailed();

  /** Returns the stripes encoded, partial ones included. */
  long getStripes();

  /** Returns the bytes of user data in those stripes. */
  long getBytes();

  /** Returns the nanoseconds spent on encoding and checksums, over all threads. */
  long getEncodeNanos();

  /** Returns how often a writer had to wait for room in its window. */
  long getStalls();

  /** Returns the nanoseconds that writers waited for room. */
  long getStallNanos();

  /** Returns how often a writer continued without a DataNode because it was late. */
  long getLateDataNodes();

  /** Returns the mean number of stripes in progress when another stripe was begun. */
  double getMeanWindowOccupancy();

  /** Returns the maximum number of stripes in progress in any one stream. */
  long getMaxWindowOccupancy();
}
