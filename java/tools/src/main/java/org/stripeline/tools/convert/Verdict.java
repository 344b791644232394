// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

/** What a job would do with one file, and what that would give. */
final class Verdict {
  private final SkipReason skip;
  private final long bytesNow;
  private final long bytesAfter;
  private final int cellBytes;

  private Verdict(SkipReason skip, long bytesNow, long bytesAfter, int cellBytes) {
    this.skip = skip;
    this.bytesNow = bytesNow;
    this.bytesAfter = bytesAfter;
    this.cellBytes = cellBytes;
  }

  static Verdict skip(SkipReason reason, long bytesNow) {
    return new Verdict(reason, bytesNow, bytesNow, 0);
  }

  static Verdict convert(long bytesNow, long bytesAfter, int cellBytes) {
    return new Verdict(null, bytesNow, bytesAfter, cellBytes);
  }

  boolean isConvert() {
    return skip == null;
  }

  /** Why not, or null. */
  SkipReason skip() {
    return skip;
  }

  /** Bytes on disks as it is. */
  long bytesNow() {
    return bytesNow;
  }

  /** Bytes on disks when done. */
  long bytesAfter() {
    return bytesAfter;
  }

  /** Cell of the policy that it gets; 0 for replication. */
  int cellBytes() {
    return cellBytes;
  }
}
