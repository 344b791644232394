// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import java.util.Map;

/** What the read pipelines of this process have done. */
public interface ReadMXBean {

  /** Returns every count of {@link org.stripeline.client.read.ReadCount} by its metric name. */
  Map<String, Long> getCounts();

  /** Returns the bytes of buffers that hold fetched or decoded data now. */
  long getUsedBufferBytes();

  /** Returns the mean milliseconds of a fetched span, by DataNode. */
  Map<String, Double> getDataNodeMillis();
}
