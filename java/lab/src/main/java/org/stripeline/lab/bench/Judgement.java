// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.util.List;

/** A threshold and the measured value. */
public final class Judgement {
  private static final String KEPT = "kept";
  private static final String MISSED = "MISSED";
  private static final String NOT_JUDGED = "not judged";

  /** The quantity that is compared. */
  public final String name;

  /** The measured value, null if there is none. */
  public final Double value;

  /** The threshold as text. */
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
   * Creates a judgement.
   *
   * @param judged whether the value is good enough to be judged
   * @param kept whether the value meets the threshold
   */
  public static Judgement of(
      String name, Double value, String limit, boolean judged, boolean kept) {
    return new Judgement(name, value, limit, !judged ? NOT_JUDGED : kept ? KEPT : MISSED);
  }

  /** Returns whether any threshold was missed. */
  public static boolean anyMissed(List<Judgement> judgements) {
    return judgements.stream().anyMatch(judgement -> judgement.verdict.equals(MISSED));
  }
}
