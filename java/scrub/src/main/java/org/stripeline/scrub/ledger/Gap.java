// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupResult;

/**
 * Why the last check of a group was incomplete. The order is part of the format of the ledger, the
 * names are part of the JSON output; neither ever changes.
 */
public enum Gap {
  /** It was complete. */
  NONE,
  /** All or part of a replica was not read. */
  REPLICA,
  /** Windows could not be compared, or a difference could not be confirmed. */
  COMPARISON,
  /** Nothing was read: the group is open, changes, or has no locations. */
  GROUP;

  private static final Gap[] ALL = values();

  /**
   * Returns the most comprehensive reason of a result. Without any comparison of its bytes no group
   * is complete, whatever else the result has.
   */
  static Gap of(GroupResult result, long bytes) {
    Gap most = result.comparedWindows() == 0 && bytes > 0 ? GROUP : NONE;
    for (Finding finding : result.findings()) {
      if (finding.kind() == Finding.Kind.NOT_CHECKED) {
        Gap one = finding.unit() >= 0 ? REPLICA : finding.windows() > 0 ? COMPARISON : GROUP;
        most = one.compareTo(most) > 0 ? one : most;
      }
    }
    return most;
  }

  static Gap numbered(int number) {
    return ALL[Math.min(number, ALL.length - 1)];
  }
}
