// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The results of a bench on a cluster; fields of implementations are those of the JSON record. */
public interface ClusterBenchReport {
  /** Returns whether nothing was measured. */
  boolean isEmpty();

  /** Returns the failures, to which more can be added. */
  List<String> failures();

  /** Computes rows and judgements from the samples. */
  void conclude();

  /** Returns whether nothing failed; with {@code strict}, a missed threshold is a failure too. */
  boolean isSound(boolean strict);

  /** Returns the results as text. */
  String text();

  /** Returns the plots as SVG, by file name. */
  default Map<String, String> plots() {
    return Collections.emptyMap();
  }
}
