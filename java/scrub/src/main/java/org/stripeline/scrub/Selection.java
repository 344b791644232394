// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.util.function.LongSupplier;
import org.apache.hadoop.fs.Path;

/** Which files and groups of its paths a scrub checks. */
final class Selection {
  /** Directory of the ledger or of other records, which is not checked. */
  final Path ledger;

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
  Selection(Path ledger, LongSupplier clock, long olderThanMs, long checkedBeforeMs) {
    this.ledger = ledger;
    this.clock = clock;
    long now = clock.getAsLong();
    modifiedMax = olderThanMs == 0 ? Long.MAX_VALUE : now - olderThanMs;
    healthySince = checkedBeforeMs == 0 ? Long.MAX_VALUE : (now - checkedBeforeMs) / 1000;
  }
}
