// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
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

  /** A part of the run that is measured or checks what was measured. */
  public interface Step<T> {
    T run() throws IOException;
  }

  /**
   * Runs a step whose failure is one of what is measured, and not a lack of this machine: the run
   * has failed then, even if nothing was measured before.
   *
   * @param what names it in {@link #failures}
   */
  public <T> T orFail(String what, Step<T> step) throws IOException {
    try {
      return step.run();
    } catch (IOException e) {
      // The reason follows as that of the run's end.
      failures.add(what + " failed");
      throw e;
    }
  }

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
