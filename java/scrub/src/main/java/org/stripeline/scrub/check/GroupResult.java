// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The result of the check of one group. */
public final class GroupResult {
  private final GroupLocations locations;
  private final List<Finding> findings;
  private final long comparedWindows;
  private final long bytes;

  GroupResult(GroupLocations locations, List<Finding> findings, long comparedWindows, long bytes) {
    this.locations = locations;
    this.findings = Collections.unmodifiableList(new ArrayList<>(findings));
    this.comparedWindows = comparedWindows;
    this.bytes = bytes;
  }

  /** Returns a result for a group of which nothing was checked. */
  static GroupResult unchecked(String reason) {
    return new GroupResult(
        null, Collections.singletonList(Finding.ofGroup(Finding.Kind.NOT_CHECKED, reason)), 0, 0);
  }

  /** Returns what was checked; null if nothing was. */
  public GroupLocations locations() {
    return locations;
  }

  /** Returns everything that was found, and what was not checked. */
  public List<Finding> findings() {
    return findings;
  }

  /** Returns whether anything is damaged. */
  public boolean isDamaged() {
    return findings.stream().anyMatch(finding -> finding.kind().isDamage());
  }

  /** Returns whether every byte of every block was checked. */
  public boolean isComplete() {
    return findings.stream().noneMatch(finding -> finding.kind() == Finding.Kind.NOT_CHECKED);
  }

  /** Returns whether everything was checked and nothing is damaged. */
  public boolean isHealthy() {
    return isComplete() && !isDamaged();
  }

  /** Returns the number of windows whose values were compared. */
  public long comparedWindows() {
    return comparedWindows;
  }

  /** Returns the bytes that DataNodes read for fingerprints. */
  public long bytes() {
    return bytes;
  }

  @Override
  public String toString() {
    return findings.toString();
  }
}
