// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.check.Layout;

/** Which replicas of a group are to be replaced, or why none are. */
final class RepairPlan {
  private final Set<Copy> wrong;
  private final String refusal;

  private RepairPlan(Set<Copy> wrong, String refusal) {
    this.wrong = Collections.unmodifiableSet(wrong);
    this.refusal = refusal;
  }

  private static RepairPlan refused(String why) {
    return new RepairPlan(Collections.emptySet(), why);
  }

  /**
   * Plans the repair of a group.
   *
   * @param checked a result with damage
   * @param trusts what the operator answers for
   * @param isConverted whether {@code convert} may have written the parity later than the data
   */
  static RepairPlan of(GroupResult checked, Set<Trust> trusts, boolean isConverted) {
    GroupLocations group = checked.locations();
    Set<Copy> wrong = new LinkedHashSet<>();
    boolean isLocated = true;
    for (Finding finding : checked.findings()) {
      if (finding.kind() == Finding.Kind.UNLOCATED) {
        isLocated = false;
      } else if (finding.kind().isDamage() && finding.copy() != null) {
        wrong.add(finding.copy());
      }
    }
    if (!isEnoughLeft(group, wrong)) {
      return refusedForLack(group);
    }
    if (!isEverythingElseChecked(checked, wrong)) {
      return refused("not everything else was checked; repair needs that, so try again later");
    }
    String doubt = doubt(checked, trusts, isConverted);
    if (doubt != null) {
      return refused(doubt);
    }
    if (!isLocated) {
      if (!trusts.contains(Trust.DATA)) {
        return refused(
            "which replicas are wrong is not known; if the data blocks are known to be right by"
                + " other means, --trust-data replaces the parity");
      }
      if (group.layout().isReplicated()) {
        return refused("--trust-data replaces parity, and this block is replicated");
      }
      for (Copy copy : wrong) {
        if (copy.unit < group.layout().dataUnits()) {
          return refused(
              "--trust-data, but "
                  + copy
                  + " is data, and is wrong in other windows: write the file again");
        }
      }
      for (Copy copy : group.copies()) {
        if (copy.unit >= group.layout().dataUnits()) {
          wrong.add(copy);
        } else if (group.copies(copy.unit).size() > 1) {
          return refused("--trust-data, but " + copy + " has a second replica, which may differ");
        }
      }
    }
    if (wrong.isEmpty()) {
      return refused("HDFS replaces what is missing by itself");
    }
    for (Copy copy : group.copies()) {
      // HDFS marks the DataNode as one whose block of the group is corrupt.
      if (!wrong.contains(copy) && wrong.stream().anyMatch(one -> one.node.equals(copy.node))) {
        return refused("HDFS would replace " + copy + " too, which is right");
      }
    }
    return isEnoughLeft(group, wrong) ? new RepairPlan(wrong, null) : refusedForLack(group);
  }

  /** Returns why what is located as wrong may be right, or null. */
  private static String doubt(GroupResult checked, Set<Trust> trusts, boolean isConverted) {
    Layout layout = checked.locations().layout();
    Copy wrongData = null;
    boolean isDataRead = true;
    boolean isLocated = true;
    for (Finding finding : checked.findings()) {
      Finding.Kind kind = finding.kind();
      isLocated &= kind != Finding.Kind.UNLOCATED;
      if (kind.isDamage() && finding.unit() >= 0 && finding.unit() < layout.dataUnits()) {
        isDataRead &= kind == Finding.Kind.UNLOCATED;
        wrongData = kind == Finding.Kind.WRONG_BYTES ? finding.copy() : wrongData;
      }
    }
    boolean isDataTrusted = trusts.contains(Trust.DATA) && !layout.isReplicated();
    if (isDataTrusted && isLocated && wrongData != null) {
      return "--trust-data, but "
          + wrongData
          + " is data, and does not match the others: repair it without --trust-data, or if the"
          + " file is known to be right, write it again";
    }
    if (trusts.contains(Trust.OTHERS) || isDataTrusted && isDataRead) {
      return null;
    }
    String why = new YoungBlocks(checked, isConverted).doubt();
    return why == null
        ? null
        : why
            + ": if HDFS rebuilt them from a wrong block, those that do not match are right. If no"
            + " DataNode was lost since the file was written, --trust-others replaces what does not"
            + " match. If the file is known to be right by other means, "
            + (isDataRead ? "--trust-data replaces its parity" : "write it again");
  }

  private static RepairPlan refusedForLack(GroupLocations group) {
    return refused(
        group.layout().isReplicated()
            ? "no replica is right"
            : "more blocks are wrong or missing than there is parity");
  }

  /** What is not checked of a wrong replica does not matter, because all of it is replaced. */
  private static boolean isEverythingElseChecked(GroupResult checked, Set<Copy> wrong) {
    for (Finding finding : checked.findings()) {
      if (finding.kind() == Finding.Kind.NOT_CHECKED && !wrong.contains(finding.copy())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether replicas that were found to be wrong can be removed: everything else was
   * checked and is right, and HDFS can rebuild them from it.
   *
   * <p>If no other block is left over, the others cannot be compared any more. They were before
   * replicas were reported, or their data is trusted; now they need only be readable.
   *
   * @param checked a result from after they were reported, when the NameNode may list none of them
   */
  static boolean isRestRight(GroupResult checked, Set<Copy> wrong, Set<Trust> trusts) {
    GroupLocations group = checked.locations();
    if (group == null || !isEnoughLeft(group, wrong)) {
      return false;
    }
    boolean isComparable = lost(group, wrong) < parity(group);
    for (Finding finding : checked.findings()) {
      Finding.Kind kind = finding.kind();
      boolean isOfWrong =
          wrong.contains(finding.copy())
              || finding.copy() == null
                  && wrong.stream().anyMatch(copy -> copy.unit == finding.unit())
              // While the parity that is replaced because data is trusted is still listed.
              || kind == Finding.Kind.UNLOCATED && trusts.contains(Trust.DATA);
      boolean isUncompared =
          kind == Finding.Kind.NOT_CHECKED && finding.unit() < 0 && finding.windows() > 0;
      if ((kind.isDamage() || kind == Finding.Kind.NOT_CHECKED)
          && !isOfWrong
          && (isComparable || !isUncompared)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isEnoughLeft(GroupLocations group, Set<Copy> wrong) {
    return lost(group, wrong) <= parity(group);
  }

  /** Returns the number of units of which nothing is left but replicas that are wrong. */
  private static int lost(GroupLocations group, Set<Copy> wrong) {
    int lost = 0;
    for (int unit = 0; unit < group.layout().units(); unit++) {
      if (group.unitBytes(unit) > 0 && wrong.containsAll(group.copies(unit))) {
        lost++;
      }
    }
    return lost;
  }

  private static int parity(GroupLocations group) {
    return group.layout().units() - group.layout().dataUnits();
  }

  /** Returns why nothing is to be replaced; null if something is. */
  String refusal() {
    return refusal;
  }

  /** Returns the replicas to be replaced. */
  Set<Copy> wrong() {
    return wrong;
  }
}
