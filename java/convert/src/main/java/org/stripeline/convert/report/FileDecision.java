// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import org.stripeline.convert.rules.SkipReason;

/** What a job would do with one file, and what that would give. */
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

  /** Why not, or null. */
  public SkipReason skip() {
    return skip;
  }

  /** Bytes on disks as it is. */
  public long bytesNow() {
    return bytesNow;
  }

  /** Bytes on disks when done. */
  public long bytesAfter() {
    return bytesAfter;
  }

  /** Cell of the policy that it gets; 0 for replication. */
  public int cellBytes() {
    return cellBytes;
  }
}
