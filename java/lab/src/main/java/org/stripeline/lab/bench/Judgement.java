// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.util.List;

/** A threshold and what was found. */
public final class Judgement {
  private static final String KEPT = "kept";
  private static final String MISSED = "MISSED";
  private static final String NOT_JUDGED = "not judged";

  /** What was compared. */
  public final String name;

  /** What was found, null if nothing was. */
  public final Double value;

  /** The threshold, in words. */
  public final String limit;

  /** Kept, MISSED or not judged. */
  public final String verdict;

  private Judgement(String name, Double value, String limit, String verdict) {
    this.name = name;
    this.value = value;
    this.limit = limit;
    this.verdict = verdict;
  }

  /**
   * Words a verdict.
   *
   * @param judged whether what was found counts
   * @param kept whether it keeps the threshold
   */
  public static Judgement of(
      String name, Double value, String limit, boolean judged, boolean kept) {
    return new Judgement(name, value, limit, !judged ? NOT_JUDGED : kept ? KEPT : MISSED);
  }

  /** Tells whether any threshold was missed. */
  public static boolean anyMissed(List<Judgement> judgements) {
    return judgements.stream().anyMatch(judgement -> judgement.verdict.equals(MISSED));
  }
}
