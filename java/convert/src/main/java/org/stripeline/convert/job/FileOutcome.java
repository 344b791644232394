// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import com.google.gson.annotations.SerializedName;

/** The outcome of the conversion of one file. */
public final class FileOutcome {
  /** The kinds of outcomes. */
  public enum Kind {
    /** The file has the requested layout. */
    @SerializedName("converted")
    CONVERTED,

    /**
     * A user changed, moved or deleted the file during the conversion; the user's change is kept.
     */
    @SerializedName("changed")
    CHANGED,

    /** The file is unchanged. */
    @SerializedName("failed")
    FAILED,

    /**
     * The bytes of the file are unchanged, but its conversion could not be rolled back yet: until
     * the job is resumed, the file may be locked by a lease, or without permission to write.
     */
    @SerializedName("unsettled")
    UNRECOVERED,

    /** The steps of a dead driver were rolled back; the file is unchanged. */
    @SerializedName("rolledBack")
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

  /** Returns the reason if the file was not converted, or null. */
  public String reason() {
    return reason;
  }

  /** Returns the length of the file in bytes if it was converted. */
  public long bytes() {
    return bytes;
  }
}
