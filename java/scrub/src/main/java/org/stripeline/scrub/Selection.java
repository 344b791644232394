// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.util.List;
import java.util.function.LongSupplier;
import org.apache.hadoop.fs.Path;

/** Which files and groups of its paths a scrub checks. */
final class Selection {
  /** Files of the ledger and of other records, which are not checked. */
  final List<Path> leftOut;

  /** The time of day, in milliseconds. */
  final LongSupplier clock;

  /** Only files that were modified at this time or earlier, in milliseconds. */
  final long modifiedMax;

  /** Groups that were found healthy at this time or later are left out, in seconds since 1970. */
  final long healthySince;

  /**
   * Creates a selection.
   *
   * @param olderThanMs time since a file's last modification; 0 for all files
   * @param checkedBeforeMs time for which healthy groups are left out; 0 to check all groups
   */
  Selection(List<Path> leftOut, LongSupplier clock, long olderThanMs, long checkedBeforeMs) {
    this.leftOut = leftOut;
    this.clock = clock;
    long now = clock.getAsLong();
    modifiedMax = olderThanMs == 0 ? Long.MAX_VALUE : now - olderThanMs;
    healthySince = checkedBeforeMs == 0 ? Long.MAX_VALUE : (now - checkedBeforeMs) / 1000;
  }
}
