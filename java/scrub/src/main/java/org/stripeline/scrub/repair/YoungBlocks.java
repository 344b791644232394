// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.check.Layout;

/**
 * The blocks of a group that HDFS may have rebuilt. What it rebuilds from a block that is wrong
 * beneath its checksums matches that block: so the right blocks that it did not read may be those
 * that do not match the others, and be located as wrong (decision 15).
 *
 * <p>Right and wrong blocks are then of two code words, which differ in more than m of k + m units.
 * With w blocks located as wrong and s missing in a window, at least m + 1 - s - w of the others
 * would be wrong there, and all of them but the first one rebuilt. Blocks that were rebuilt are
 * younger than those that were written with the file. So are blocks that were moved, which match
 * all the same.
 */
final class YoungBlocks {
  private static final String YOUNGER = "blocks that match each other are younger than the rest";
  private static final String UNKNOWN =
      "when blocks that match each other were written is not known, because their DataNodes have no"
          + " agent of this version";

  /** Clocks of DataNodes differ, and a writer does not end all blocks at the same time. */
  private static final long SPREAD_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final GroupResult checked;
  private final boolean isConverted;
  private final GroupLocations group;

  /**
   * Prepares the judgement of a group.
   *
   * @param isConverted whether {@code convert} may have written the parity later than the data
   */
  YoungBlocks(GroupResult checked, boolean isConverted) {
    this.checked = checked;
    this.isConverted = isConverted;
    group = checked.locations();
  }

  /**
   * Returns the reason to doubt that the blocks located as wrong are wrong: too many of the others
   * may have been rebuilt from a wrong block. Returns null if there is no such reason.
   */
  String doubt() {
    Set<Integer> wrong = new HashSet<>();
    Set<Integer> damaged = new HashSet<>();
    for (Finding finding : checked.findings()) {
      if (finding.kind().isDamage() && finding.unit() >= 0) {
        damaged.add(finding.unit());
        if (finding.kind() == Finding.Kind.WRONG_BYTES) {
          wrong.add(finding.unit());
        }
      }
    }
    Layout layout = group.layout();
    if (wrong.isEmpty() || layout.isReplicated()) {
      return null;
    }
    int young = 0;
    int unknown = 0;
    int oldDamaged = 0;
    for (int unit = 0; unit < layout.units(); unit++) {
      if (group.unitBytes(unit) > 0) {
        boolean isUnknown = isUnknown(unit);
        boolean isYoung = !isUnknown && isYoung(unit);
        unknown += isUnknown ? 1 : 0;
        young += isYoung ? 1 : 0;
        oldDamaged += damaged.contains(unit) && !isUnknown && !isYoung ? 1 : 0;
      }
    }
    // A unit that is damaged may be right in the window of another, and so one of those that match
    // there. This is the least number that is possible in one window: counted as young although it
    // does not match, a unit changes nothing, because one less of the others is needed then.
    int needed = Math.max(1, layout.units() - layout.dataUnits() - oldDamaged);
    if (young >= needed) {
      return YOUNGER;
    }
    return young + unknown >= needed ? UNKNOWN : null;
  }

  /** Returns whether it is not known when a replica of a unit was written. */
  private boolean isUnknown(int unit) {
    return group.copies(unit).stream().anyMatch(copy -> checked.modified(copy) <= 0);
  }

  private boolean isYoung(int unit) {
    long oldest = oldest(unit);
    return group.copies(unit).stream()
        .anyMatch(copy -> checked.modified(copy) - oldest > SPREAD_MILLIS);
  }

  /**
   * Returns the time of the oldest block, of which none that was written with it is younger. The
   * parity of a file that {@code convert} has made is younger than its data, and is only compared
   * with other parity: unless the time of some is not known, because the rest may have been rebuilt
   * together.
   */
  private long oldest(int unit) {
    int data = group.layout().dataUnits();
    int units = group.layout().units();
    boolean isOwnKind = isConverted && unit >= data;
    for (int other = data; other < units; other++) {
      isOwnKind &= !group.copies(other).isEmpty() && !isUnknown(other);
    }
    long oldest = Long.MAX_VALUE;
    for (int other = isOwnKind ? data : 0; other < units; other++) {
      for (Copy copy : group.copies(other)) {
        if (checked.modified(copy) > 0) {
          oldest = Math.min(oldest, checked.modified(copy));
        }
      }
    }
    return oldest;
  }
}
