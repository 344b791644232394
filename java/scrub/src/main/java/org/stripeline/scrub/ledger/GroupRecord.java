// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import org.stripeline.scrub.check.GroupResult;

/** What the ledger has about one block group, or one replicated block. */
public final class GroupRecord {
  /** Numbers of 64 bits of a record: file, block, times, and length with flags. */
  static final int LONGS = 4;

  private static final long DAMAGED = 1;
  private static final long BY_CLIENT = 1 << 1;
  private static final long GONE = 1 << 2;
  private static final int GAP_SHIFT = 4;
  private static final long GAP_MASK = 0xF;
  private static final int BYTES_SHIFT = 16;

  /** A bit of the flags that marks records of files that exist; only in the table of this scrub. */
  static final long SEEN = 1 << 15;

  private static final long SECONDS_MASK = 0xFFFF_FFFFL;

  /** Inode id of the file. */
  public final long fileId;

  /** Id of the group, or of the replicated block. */
  public final long blockId;

  /** Bytes of data, without parity and further replicas. */
  public final long bytes;

  /** When its last check began, in seconds since 1970. */
  public final long tried;

  /** When its last complete check began, in seconds since 1970; 0 if there was none. */
  public final long checked;

  /** Whether it was damaged, and has not been checked completely without damage since. */
  public final boolean isDamaged;

  /** Whether the last check read replicas through the client, because a DataNode has no agent. */
  public final boolean isByClient;

  /** Why the last check was incomplete. */
  public final Gap gap;

  /** Whether the file has the group no more; only in the log. */
  final boolean isGone;

  private final long lengthAndFlags;

  private GroupRecord(long fileId, long blockId, long times, long lengthAndFlags) {
    this.fileId = fileId;
    this.blockId = blockId;
    this.lengthAndFlags = lengthAndFlags;
    bytes = lengthAndFlags >>> BYTES_SHIFT;
    tried = times >>> 32;
    checked = times & SECONDS_MASK;
    isDamaged = (lengthAndFlags & DAMAGED) != 0;
    isByClient = (lengthAndFlags & BY_CLIENT) != 0;
    isGone = (lengthAndFlags & GONE) != 0;
    gap = Gap.numbered((int) (lengthAndFlags >>> GAP_SHIFT & GAP_MASK));
  }

  /** Returns the record at a position of an array. */
  static GroupRecord at(long[] longs, int index) {
    // Without the mark, which must not count for the next scrub.
    long flags = longs[index + 3] & ~SEEN;
    return new GroupRecord(longs[index], longs[index + 1], longs[index + 2], flags);
  }

  /**
   * Returns the record of a check.
   *
   * @param seconds when it began, in seconds since 1970
   * @param isByClient whether replicas were read through the client
   */
  public static GroupRecord of(
      long fileId, long blockId, long bytes, long seconds, GroupResult result, boolean isByClient) {
    return of(
        fileId, blockId, bytes, seconds, Gap.of(result, bytes), result.isDamaged(), isByClient);
  }

  static GroupRecord of(
      long fileId,
      long blockId,
      long bytes,
      long seconds,
      Gap gap,
      boolean isDamaged,
      boolean isByClient) {
    long checked = gap == Gap.NONE ? seconds & SECONDS_MASK : 0;
    return new GroupRecord(
        fileId,
        blockId,
        seconds << 32 | checked,
        bytes << BYTES_SHIFT
            | (long) gap.ordinal() << GAP_SHIFT
            | (isDamaged ? DAMAGED : 0)
            | (isByClient ? BY_CLIENT : 0));
  }

  /** Returns the record of the event that a file has a group no more. */
  public GroupRecord gone() {
    return new GroupRecord(fileId, blockId, tried << 32 | checked, lengthAndFlags | GONE);
  }

  /**
   * Returns this record of a check with what an earlier one leaves: after an incomplete check, the
   * time of the last complete check, and damage.
   *
   * @param before the earlier record of the same group, or null
   */
  GroupRecord after(GroupRecord before) {
    if (gap == Gap.NONE || before == null) {
      return this;
    }
    long kept = before.bytes == bytes ? before.checked : 0;
    long flags = lengthAndFlags | (before.isDamaged ? DAMAGED : 0);
    return new GroupRecord(fileId, blockId, tried << 32 | kept, flags);
  }

  /** Writes the record into an array. */
  void store(long[] longs, int index) {
    longs[index] = fileId;
    longs[index + 1] = blockId;
    longs[index + 2] = tried << 32 | checked;
    longs[index + 3] = lengthAndFlags;
  }

  @Override
  public String toString() {
    return "file "
        + fileId
        + " block "
        + blockId
        + " of "
        + bytes
        + " bytes, tried "
        + tried
        + ", checked "
        + checked
        + (isDamaged ? ", damaged" : "")
        + (isByClient ? ", by client" : "")
        + (isGone ? ", gone" : "")
        + ", gap "
        + gap;
  }
}
