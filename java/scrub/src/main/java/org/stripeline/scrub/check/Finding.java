// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

/** Something that was found about a group, or that could not be found out. */
public final class Finding {
  /** The kind of a finding. The names are part of the JSON output and never change. */
  public enum Kind {
    /** The NameNode knows fewer replicas of the block than it should have. */
    MISSING(true),
    /** The DataNode has no replica, although the NameNode reports one. */
    ABSENT(true),
    /** The replica has another length than the file requires. */
    WRONG_LENGTH(true),
    /** The replica has another generation stamp than the block. */
    WRONG_GENERATION_STAMP(true),
    /** The DataNode cannot read the replica. */
    UNREADABLE(true),
    /** Bytes of the replica do not match their checksums. Which of both is wrong is not said. */
    BAD_CHECKSUM(true),
    /** Bytes of the replica are wrong, and those of the others are right. */
    WRONG_BYTES(true),
    /** Bytes of the group are wrong. Which replica has them is not known; it may be this one. */
    UNLOCATED(true),
    /**
     * An internal block has more than one replica. HDFS removes the surplus ones; until then {@code
     * hdfs debug verifyEC} may call the group wrong.
     */
    DUPLICATE(false),
    /**
     * The group is in fewer racks than the rule for it demands, or the failure of one rack would
     * lose data although the rule excludes that.
     */
    TOO_FEW_RACKS(false),
    /** All or part of the replica or the group was not checked. */
    NOT_CHECKED(false);

    private final boolean isDamage;

    Kind(boolean isDamage) {
      this.isDamage = isDamage;
    }

    /** Returns whether the kind is damage, which a file has until it is repaired. */
    public boolean isDamage() {
      return isDamage;
    }
  }

  private final Kind kind;
  private final int unit;
  private final Copy copy;
  private final long firstWindow;
  private final long windows;
  private final String text;

  private Finding(Kind kind, int unit, Copy copy, long firstWindow, long windows, String text) {
    this.kind = kind;
    this.unit = unit;
    this.copy = copy;
    this.firstWindow = firstWindow;
    this.windows = windows;
    this.text = text;
  }

  static Finding ofGroup(Kind kind, String text) {
    return new Finding(kind, -1, null, -1, 0, text);
  }

  static Finding ofUnit(Kind kind, int unit, String text) {
    return new Finding(kind, unit, null, -1, 0, text);
  }

  static Finding ofCopy(Kind kind, Copy copy, String text) {
    return new Finding(kind, copy.unit, copy, -1, 0, text);
  }

  /** Returns the same finding for windows, the first of them and their number. */
  Finding in(long first, long count) {
    return new Finding(kind, unit, copy, first, count, text);
  }

  /** Returns the kind. */
  public Kind kind() {
    return kind;
  }

  /** Returns the unit; -1 for a finding about the whole group. */
  public int unit() {
    return unit;
  }

  /** Returns the replica; null for a finding about a unit or the whole group. */
  public Copy copy() {
    return copy;
  }

  /** Returns the first window of the finding; -1 if it is not about windows. */
  public long firstWindow() {
    return firstWindow;
  }

  /** Returns the number of windows. */
  public long windows() {
    return windows;
  }

  /** Returns what was found or why something was not checked, for people. */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return kind
        + (unit < 0 ? "" : " unit " + unit)
        + (copy == null ? "" : " " + copy)
        + (windows == 0 ? "" : " windows " + firstWindow + " and " + (windows - 1) + " more")
        + ": "
        + text;
  }
}
