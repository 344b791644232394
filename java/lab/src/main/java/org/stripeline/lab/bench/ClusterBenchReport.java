// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The results of a bench on a cluster; its fields and those of subclasses are those of the JSON
 * record.
 */
public abstract class ClusterBenchReport {
  /** Errors, including wrong bytes. */
  public final List<String> failures = new ArrayList<>();

  /** The thresholds with the measured values. */
  public final List<Judgement> judgements = new ArrayList<>();

  /** Returns whether nothing was measured. */
  public abstract boolean isEmpty();

  /** Computes rows and judgements from the samples. */
  public abstract void conclude();

  /** Returns whether nothing failed; with {@code strict}, a missed threshold is a failure too. */
  public boolean isSound(boolean strict) {
    return failures.isEmpty() && !isMissed(strict);
  }

  /** Returns whether a threshold that counts was missed. */
  protected boolean isMissed(boolean strict) {
    return strict && Judgement.anyMissed(judgements);
  }

  /** Returns the results as text. */
  public abstract String text();

  /** Returns the plots as SVG, by file name. */
  public Map<String, String> plots() {
    return Collections.emptyMap();
  }
}
