// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The exponentially weighted mean duration of a span by DataNode, for metrics. */
public final class NodeLatencies {
  private static final int NODES_MAX = 1024;
  private static final double WEIGHT = 1.0 / 16;

  private final Map<String, Double> millis =
      Collections.synchronizedMap(
          new LinkedHashMap<String, Double>(64, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Double> eldest) {
              return size() > NODES_MAX;
            }
          });

  /** Adds the duration of a span that a DataNode served. */
  public void sample(String node, long nanos) {
    millis.merge(node, nanos / 1e6, (mean, sample) -> mean + WEIGHT * (sample - mean));
  }

  Map<String, Double> millis() {
    synchronized (millis) {
      return new TreeMap<>(millis);
    }
  }
}
