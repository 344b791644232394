// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import java.util.Map;

/** Counts of the read pipelines of this process. */
public interface ReadMXBean {

  /**
   * Returns every count of {@link org.stripeline.client.read.shared.ReadCount}, keyed by its metric
   * name.
   */
  Map<String, Long> getCounts();

  /** Returns the bytes of buffers that currently hold fetched or decoded data. */
  long getUsedBufferBytes();

  /** Returns the mean milliseconds to fetch a span, keyed by DataNode. */
  Map<String, Double> getDataNodeMillis();
}
