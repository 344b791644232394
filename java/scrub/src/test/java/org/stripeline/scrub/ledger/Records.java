// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

/** Records for tests of other packages. */
public final class Records {
  private Records() {}

  /** Returns the record of a group that was checked completely. */
  public static GroupRecord healthy(long fileId, long blockId, long bytes, long seconds) {
    return GroupRecord.of(fileId, blockId, bytes, seconds, Gap.NONE, false, false);
  }

  /** Returns the record of a group that was checked completely and is damaged. */
  public static GroupRecord damaged(long fileId, long blockId, long bytes, long seconds) {
    return GroupRecord.of(fileId, blockId, bytes, seconds, Gap.NONE, true, false);
  }

  /** Returns the record of a group of which nothing was read. */
  public static GroupRecord notRead(long fileId, long blockId, long bytes, long seconds) {
    return GroupRecord.of(fileId, blockId, bytes, seconds, Gap.GROUP, false, false);
  }
}
