// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import org.stripeline.scrub.check.GroupResult;

/** Is told of the progress of a scrub. Calls come from one thread at a time. */
interface ScrubObserver {
  /**
   * The tree was listed.
   *
   * @param files files that are checked
   * @param bytes their bytes
   */
  void listed(long files, long bytes);

  /** A group is left out, because it was found healthy not long ago. */
  void leftOut(long bytes);

  /** A file or directory could not be listed, so what it contains is not checked. */
  void unread(String path, String reason);

  /**
   * A group was checked.
   *
   * @param path the file, as it was listed
   * @param number the group's number in the file
   * @param block the name of the group, or of the replicated block
   * @param bytes bytes of data of the group
   */
  void checked(String path, long number, String block, long bytes, GroupResult result);
}
