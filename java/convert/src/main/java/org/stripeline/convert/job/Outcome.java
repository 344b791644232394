// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

/** What became of one file. */
public final class Outcome {
  /** Kinds of ends. */
  public enum Kind {
    /** It has the layout that was wanted. */
    converted,
    /** It was changed, moved away or deleted meanwhile and is as its user left it. */
    changed,
    /** It is as it was. */
    failed,
    /** It is as it was, but something that was begun with it could not be taken back yet. */
    unsettled,
    /** A dead driver's work on it was taken back; it is as it was. */
    takenBack
  }

  private final Kind kind;
  private final String reason;
  private final long bytes;

  private Outcome(Kind kind, String reason, long bytes) {
    this.kind = kind;
    this.reason = reason;
    this.bytes = bytes;
  }

  public static Outcome converted(long bytes) {
    return new Outcome(Kind.converted, null, bytes);
  }

  public static Outcome changed(String reason) {
    return new Outcome(Kind.changed, reason, 0);
  }

  public static Outcome failed(String reason) {
    return new Outcome(Kind.failed, reason, 0);
  }

  public static Outcome unsettled(String reason) {
    return new Outcome(Kind.unsettled, reason, 0);
  }

  public static Outcome takenBack() {
    return new Outcome(Kind.takenBack, null, 0);
  }

  public Kind kind() {
    return kind;
  }

  public boolean isUnsettled() {
    return kind == Kind.unsettled;
  }

  /** Why not, or null. */
  public String reason() {
    return reason;
  }

  /** Bytes of the file if it was converted. */
  public long bytes() {
    return bytes;
  }
}
