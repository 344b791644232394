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
 * With w blocks located as wrong and s missing, at least m + 1 - s - w of the others would be
 * wrong, and all of them but the first one rebuilt. Blocks that were rebuilt are younger than those
 * that were written with the file. So are blocks that were moved, which match all the same.
 */
final class YoungBlocks {
  /** Clocks of DataNodes differ, and a writer does not end all blocks at the same time. */
  private static final long SPREAD_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final GroupResult checked;
  private final GroupLocations group;

  YoungBlocks(GroupResult checked) {
    this.checked = checked;
    group = checked.locations();
  }

  /**
   * Returns whether so many blocks may have been rebuilt that those that are located as wrong may
   * be right.
   */
  boolean mayHideWhatIsWrong() {
    Set<Integer> wrong = new HashSet<>();
    Set<Integer> unusable = new HashSet<>();
    for (Finding finding : checked.findings()) {
      if (finding.kind().isDamage() && finding.unit() >= 0) {
        (finding.kind() == Finding.Kind.WRONG_BYTES ? wrong : unusable).add(finding.unit());
      }
    }
    unusable.removeAll(wrong);
    Layout layout = group.layout();
    if (wrong.isEmpty() || layout.isReplicated()) {
      return false;
    }
    int young = 0;
    for (int unit = 0; unit < layout.units(); unit++) {
      if (group.unitBytes(unit) > 0 && !wrong.contains(unit) && !unusable.contains(unit)) {
        young += isYoung(unit) ? 1 : 0;
      }
    }
    int parity = layout.units() - layout.dataUnits();
    // Of one window; several windows may have different wrong blocks.
    int needed = Math.max(1, parity - unusable.size() - wrong.size());
    return young >= needed;
  }

  private boolean isYoung(int unit) {
    long oldest = oldestOfKind(unit);
    for (Copy copy : group.copies(unit)) {
      long modified = checked.modified(copy);
      if (modified == 0 || modified - oldest > SPREAD_MILLIS) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the time of the oldest block of the same kind, data or parity: the parity of a file
   * that {@code convert} has made is younger than its data. If parity is missing, what is there may
   * have been rebuilt together; the oldest block of all counts then.
   */
  private long oldestOfKind(int unit) {
    int data = group.layout().dataUnits();
    int units = group.layout().units();
    int from = unit < data || lacksParity() ? 0 : data;
    long oldest = Long.MAX_VALUE;
    for (int other = from; other < (unit < data ? data : units); other++) {
      for (Copy copy : group.copies(other)) {
        if (checked.modified(copy) > 0) {
          oldest = Math.min(oldest, checked.modified(copy));
        }
      }
    }
    return oldest;
  }

  private boolean lacksParity() {
    for (int unit = group.layout().dataUnits(); unit < group.layout().units(); unit++) {
      if (group.copies(unit).isEmpty()) {
        return true;
      }
    }
    return false;
  }
}
