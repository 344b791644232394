// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import org.stripeline.convert.rules.SkipReason;

/** The decision of a job about one file, with the disk space before and after. */
public final class FileDecision {
  private final SkipReason skip;
  private final long bytesNow;
  private final long bytesAfter;
  private final int cellBytes;

  private FileDecision(SkipReason skip, long bytesNow, long bytesAfter, int cellBytes) {
    this.skip = skip;
    this.bytesNow = bytesNow;
    this.bytesAfter = bytesAfter;
    this.cellBytes = cellBytes;
  }

  public static FileDecision skip(SkipReason reason, long bytesNow) {
    return new FileDecision(reason, bytesNow, bytesNow, 0);
  }

  public static FileDecision convert(long bytesNow, long bytesAfter, int cellBytes) {
    return new FileDecision(null, bytesNow, bytesAfter, cellBytes);
  }

  public boolean isConvert() {
    return skip == null;
  }

  /** Returns the reason for which the file is skipped, or null. */
  public SkipReason skip() {
    return skip;
  }

  /** Returns the current bytes on disk. */
  public long bytesNow() {
    return bytesNow;
  }

  /** Returns the bytes on disk after the conversion. */
  public long bytesAfter() {
    return bytesAfter;
  }

  /** Returns the cell size of the new policy; 0 for replication. */
  public int cellBytes() {
    return cellBytes;
  }
}
