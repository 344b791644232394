// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

/** What the write pipelines of this process have done. */
public interface WriteMXBean {

  /** Returns the streams opened. */
  long getStreamsOpened();

  /** Returns the streams that failed before they were closed. */
  long getStreamsFailed();

  /** Returns the stripes encoded, partial ones included. */
  long getStripes();

  /** Returns the bytes of user data in those stripes. */
  long getBytes();

  /** Returns the nanoseconds spent encoding and summing, over all threads. */
  long getEncodeNanos();

  /** Returns how often a writer had to wait for room in its window. */
  long getStalls();

  /** Returns the nanoseconds that writers waited for room. */
  long getStallNanos();

  /** Returns how often a writer went on without a DataNode since it was late. */
  long getLateDataNodes();

  /** Returns the mean number of stripes on their way when one more was begun. */
  double getMeanWindowOccupancy();

  /** Returns the most stripes that any one stream had on their way. */
  long getMaxWindowOccupancy();
}
