// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The result of the check of one group. */
public final class GroupResult {
  /** How the check of a group ended. */
  private enum End {
    CHECKED,
    OPEN,
    GONE
  }

  private final End end;
  private final GroupLocations locations;
  private final List<Finding> findings;
  private final Map<Copy, Long> modified;
  private final long comparedWindows;
  private final long bytes;

  GroupResult(
      GroupLocations locations,
      List<Finding> findings,
      Map<Copy, Long> modified,
      long comparedWindows,
      long bytes) {
    this(End.CHECKED, locations, findings, modified, comparedWindows, bytes);
  }

  private GroupResult(
      End end,
      GroupLocations locations,
      List<Finding> findings,
      Map<Copy, Long> modified,
      long comparedWindows,
      long bytes) {
    this.end = end;
    this.locations = locations;
    this.findings = Collections.unmodifiableList(new ArrayList<>(findings));
    this.modified = new HashMap<>(modified);
    this.comparedWindows = comparedWindows;
    this.bytes = bytes;
  }

  /** Returns a result for a group of which nothing was checked. */
  static GroupResult unchecked(String reason) {
    return unchecked(End.CHECKED, reason);
  }

  /** Returns the result for a group that a client is writing to. */
  static GroupResult open() {
    return unchecked(End.OPEN, "it is open for writing");
  }

  private static GroupResult unchecked(End end, String reason) {
    Finding why = Finding.ofGroup(Finding.Kind.NOT_CHECKED, reason);
    return new GroupResult(end, null, Collections.singletonList(why), Collections.emptyMap(), 0, 0);
  }

  /** Returns the result for a group that its file has no more: nothing is left to check. */
  static GroupResult gone() {
    return new GroupResult(End.GONE, null, Collections.emptyList(), Collections.emptyMap(), 0, 0);
  }

  /** Returns what was checked; null if nothing was. */
  public GroupLocations locations() {
    return locations;
  }

  /** Returns whether the file was deleted or replaced, or no longer has the group. */
  public boolean isGone() {
    return end == End.GONE;
  }

  /** Returns whether the group was not checked because a client is writing to it. */
  public boolean isOpen() {
    return end == End.OPEN;
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
    return end == End.CHECKED && isComplete() && !isDamaged();
  }

  /**
   * Returns when the file of a replica was last modified, in milliseconds since 1970; 0 if that is
   * not known.
   */
  public long modified(Copy copy) {
    return modified.getOrDefault(copy, 0L);
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
    return end == End.CHECKED ? findings.toString() : end + " " + findings;
  }
}
