// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import org.stripeline.scrub.check.GroupResult;
import org.stripeline.terminal.ExitStatus;

/**
 * The sums of a scrub. The names of the fields are those of the JSON output. Methods are
 * thread-safe, because a signal prints the sums while the scrub continues.
 */
final class ScrubTotals {
  /** Files whose groups were checked. */
  long files;

  /** Files that were deleted after they were listed. */
  long filesGone;

  /** Files that were left out, because all their groups were found healthy not long ago. */
  long filesLeftOut;

  /** Groups of other files that were left out for the same reason. */
  long groupsLeftOut;

  /** Files and directories that could not be listed. */
  long pathsUnread;

  /** Block groups and replicated blocks. */
  long groups;

  /** Groups that were checked completely and have no damage. */
  long groupsHealthy;

  /** Groups with damage. */
  long groupsDamaged;

  /** Groups of which all or part was not checked; they may be damaged as well. */
  long groupsNotChecked;

  /** Groups that were deleted or replaced after they were listed. */
  long groupsGone;

  /** Bytes that DataNodes read. */
  long bytesRead;

  /** Windows whose fingerprints agents computed. */
  long windowsByAgents;

  /** Windows that were sent to the client, because there was no agent. */
  long windowsByClient;

  /** Whether the results were written to a ledger. */
  boolean recorded;

  /** Whether a signal ended the scrub, so that there is more than these groups. */
  boolean interrupted;

  synchronized void add(GroupResult result) {
    groups++;
    groupsGone += result.isGone() ? 1 : 0;
    groupsHealthy += result.isHealthy() ? 1 : 0;
    groupsDamaged += result.isDamaged() ? 1 : 0;
    groupsNotChecked += result.isComplete() ? 0 : 1;
    bytesRead += result.bytes();
  }

  synchronized void addFile() {
    files++;
  }

  synchronized void addFileGone() {
    filesGone++;
  }

  synchronized void addFileLeftOut() {
    filesLeftOut++;
  }

  synchronized void addGroupLeftOut() {
    groupsLeftOut++;
  }

  synchronized void addUnread() {
    pathsUnread++;
  }

  synchronized ScrubTotals copy() {
    ScrubTotals copy = new ScrubTotals();
    copy.files = files;
    copy.filesGone = filesGone;
    copy.filesLeftOut = filesLeftOut;
    copy.groupsLeftOut = groupsLeftOut;
    copy.pathsUnread = pathsUnread;
    copy.groups = groups;
    copy.groupsHealthy = groupsHealthy;
    copy.groupsDamaged = groupsDamaged;
    copy.groupsNotChecked = groupsNotChecked;
    copy.groupsGone = groupsGone;
    copy.bytesRead = bytesRead;
    return copy;
  }

  /** Returns the exit status: damage counts more than what was not checked. */
  int exitStatus() {
    if (groupsDamaged > 0) {
      return ExitStatus.FAILED;
    }
    return groupsNotChecked > 0 || pathsUnread > 0 ? ExitStatus.UNCHECKED : ExitStatus.SOUND;
  }
}
