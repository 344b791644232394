// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.placement.CodeName;

/** The decision of a job about one file, with the disk space before and after. */
public final class FileDecision {
  private final SkipReason skip;
  private final Treatment treatment;
  private final CodeName code;
  private final long bytesNow;
  private final long bytesAfter;
  private boolean isKept;

  private FileDecision(
      SkipReason skip, Treatment treatment, CodeName code, long bytesNow, long bytesAfter) {
    this.skip = skip;
    this.treatment = treatment;
    this.code = code;
    this.bytesNow = bytesNow;
    this.bytesAfter = bytesAfter;
  }

  public static FileDecision skip(SkipReason reason, long bytesNow) {
    return new FileDecision(reason, Treatment.LEAVE, null, bytesNow, bytesNow);
  }

  /** Returns the decision to make a file erasure-coded, with a code that has a cell size. */
  public static FileDecision convert(
      Treatment treatment, CodeName code, long bytesNow, long bytesAfter) {
    return new FileDecision(null, treatment, code, bytesNow, bytesAfter);
  }

  /** Returns the decision to return a file to replication. */
  public static FileDecision replicate(long bytesNow, long bytesAfter) {
    return new FileDecision(null, null, null, bytesNow, bytesAfter);
  }

  /** Marks a file whose old blocks stay after the conversion, because a snapshot keeps them. */
  public FileDecision keptBySnapshot() {
    isKept = true;
    return this;
  }

  /** Returns whether a snapshot keeps the old blocks of the file. */
  public boolean isKeptBySnapshot() {
    return isKept;
  }

  public boolean isConvert() {
    return skip == null;
  }

  /** Returns the reason for which the file is skipped, or null. */
  public SkipReason skip() {
    return skip;
  }

  /** Returns what is done with the file; null if it returns to replication. */
  public Treatment treatment() {
    return treatment;
  }

  /** Returns the code of the file afterwards, with its cell size; null if it gets none. */
  public CodeName code() {
    return code;
  }

  /** Returns the name of the policy of the file afterwards; null if it gets none. */
  public String policy() {
    return code == null ? null : code.policyName(code.cellBytes());
  }

  /** Returns the current bytes on disk. */
  public long bytesNow() {
    return bytesNow;
  }

  /** Returns the bytes on disk after the conversion. */
  public long bytesAfter() {
    return bytesAfter;
  }
}
