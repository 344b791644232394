// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import com.google.gson.annotations.SerializedName;

/** What became of one file. */
public final class FileOutcome {
  /** Kinds of ends. */
  public enum Kind {
    /** It has the layout that was wanted. */
    @SerializedName("converted")
    CONVERTED,

    /** It was changed, moved away or deleted meanwhile and is as its user left it. */
    @SerializedName("changed")
    CHANGED,

    /** It is as it was. */
    @SerializedName("failed")
    FAILED,

    /** It is as it was, but something that was begun with it could not be rolled back yet. */
    @SerializedName("unsettled")
    UNRECOVERED,

    /** A dead driver's work on it was rolled back; it is as it was. */
    @SerializedName("takenBack")
    ROLLED_BACK
  }

  private final Kind kind;
  private final String reason;
  private final long bytes;

  private FileOutcome(Kind kind, String reason, long bytes) {
    this.kind = kind;
    this.reason = reason;
    this.bytes = bytes;
  }

  public static FileOutcome converted(long bytes) {
    return new FileOutcome(Kind.CONVERTED, null, bytes);
  }

  public static FileOutcome changed(String reason) {
    return new FileOutcome(Kind.CHANGED, reason, 0);
  }

  public static FileOutcome failed(String reason) {
    return new FileOutcome(Kind.FAILED, reason, 0);
  }

  public static FileOutcome unrecovered(String reason) {
    return new FileOutcome(Kind.UNRECOVERED, reason, 0);
  }

  public static FileOutcome rolledBack() {
    return new FileOutcome(Kind.ROLLED_BACK, null, 0);
  }

  public Kind kind() {
    return kind;
  }

  public boolean isUnrecovered() {
    return kind == Kind.UNRECOVERED;
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
