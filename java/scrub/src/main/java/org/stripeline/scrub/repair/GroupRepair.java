// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.repair.RepairRecord.State;

/**
 * Repairs one group: has HDFS replace the replicas that are wrong, and checks the group again. Each
 * step can be repeated, so a repair that was ended at any point is begun again by the next run.
 */
public final class GroupRepair {
  private static final Logger LOG = LoggerFactory.getLogger(GroupRepair.class);

  /** A NameNode that restarts forgets reports of corrupt replicas. */
  private static final long REPORT_MILLIS = TimeUnit.SECONDS.toMillis(30);

  /** Time after a check that did not allow to remove wrong replicas until the next one. */
  private static final long CHECK_MILLIS = TimeUnit.SECONDS.toMillis(30);

  private final RepairAccess access;
  private final boolean executes;
  private final Set<Trust> trusts;
  private final long waitMillis;
  private final Map<String, String> quarantine = new LinkedHashMap<>();
  private Set<Copy> wrong = Collections.emptySet();
  private boolean isBegun;

  /**
   * Creates a repair.
   *
   * @param executes whether anything is changed
   * @param trusts what the operator answers for
   * @param waitMillis time in which HDFS must have replaced everything
   */
  public GroupRepair(RepairAccess access, boolean executes, Set<Trust> trusts, long waitMillis) {
    this.access = access;
    this.executes = executes;
    this.trusts = trusts;
    this.waitMillis = waitMillis;
  }

  /** The end of a repair. */
  public static final class End {
    private final RepairRecord record;
    private final GroupResult result;

    End(RepairRecord record, GroupResult result) {
      this.record = record;
      this.result = result;
    }

    /** Returns what was done. */
    public RepairRecord record() {
      return record;
    }

    /** Returns the result of the last check of the group. */
    public GroupResult result() {
      return result;
    }
  }

  /**
   * Repairs the group.
   *
   * @param checked the result of its check, with damage
   * @throws InterruptedIOException if the thread is interrupted; other failures are a state
   */
  public End run(GroupResult checked) throws InterruptedIOException {
    try {
      RepairPlan plan = plan(checked);
      if (plan.refusal() != null) {
        return end(State.REFUSED, plan.refusal(), checked);
      }
      wrong = plan.wrong();
      if (!executes) {
        return end(State.PLANNED, "", checked);
      }
      End end = replace(checked);
      if (isBegun) {
        access.audit(end.record);
      }
      return end;
    } catch (IOException e) {
      if (e instanceof InterruptedIOException && Thread.currentThread().isInterrupted()) {
        throw (InterruptedIOException) e;
      }
      return failed(e, checked);
    }
  }

  private RepairPlan plan(GroupResult checked) throws IOException {
    return RepairPlan.of(checked, trusts, access.isConverted());
  }

  private End failed(IOException why, GroupResult checked) {
    End end = end(State.FAILED, AgentException.reason(why), checked);
    if (isBegun) {
      try {
        access.audit(end.record);
      } catch (IOException e) {
        LOG.warn("Cannot record that a repair failed", e);
      }
    }
    return end;
  }

  private End end(State state, String text, GroupResult result) {
    return new End(record(state, text), result);
  }

  private RepairRecord record(State state, String text) {
    return new RepairRecord(state, wrong, quarantine, text);
  }

  private End replace(GroupResult checked) throws IOException {
    for (Copy copy : wrong) {
      QuarantinedReplica kept = access.quarantine(copy, false);
      if (kept.directory != null) {
        quarantine.put(copy.toString(), kept.directory);
      }
    }
    // A right replica may have taken the place of a wrong one since the check.
    GroupResult again = access.check();
    if (!again.isDamaged() || !plan(again).wrong().equals(wrong)) {
      return end(State.CHANGED, "a second check found something else: " + again, checked);
    }
    Set<Copy> absent = absent(again);
    for (Copy copy : wrong) {
      if (!quarantine.containsKey(copy.toString()) && !absent.contains(copy)) {
        return end(State.CHANGED, copy + " was absent when it was to be kept", checked);
      }
    }
    GroupLocations now = access.locate();
    if (now == null || !now.isSame(again.locations())) {
      return end(State.CHANGED, "the group changed since it was checked", checked);
    }
    access.audit(record(State.BEGUN, ""));
    isBegun = true;
    // HDFS never rebuilds a block on a DataNode that has any block of the group, even a corrupt
    // one.
    boolean removes = access.freeNodes(now.copies()) < needed(now);
    // This process may have been stopped since the second check.
    if (stillKept(wrong).size() < wrong.size()) {
      return end(State.CHANGED, "a right replica may have taken the place of a wrong one", checked);
    }
    if (!removes || wrong.size() > 1) {
      // All in one call: HDFS must not rebuild the first one from a wrong one that is still there.
      access.report(wrong);
    }
    if (removes) {
      remove(wrong);
    }
    String obstacle = await(now, removes);
    if (obstacle != null) {
      return end(State.PENDING, obstacle, checked);
    }
    GroupResult after = access.check();
    return after.isHealthy()
        ? end(State.REPAIRED, "", after)
        : end(State.STILL_DAMAGED, "it was checked again: " + after, after);
  }

  private void remove(Iterable<Copy> copies) throws IOException {
    for (Copy copy : copies) {
      access.quarantine(copy, true);
    }
  }

  /** Returns the number of replicas that HDFS must place. */
  private int needed(GroupLocations group) {
    int needed = wrong.size();
    for (int unit = 0; unit < group.layout().units(); unit++) {
      if (group.unitBytes(unit) > 0) {
        needed += Math.max(0, group.replicas() - group.copies(unit).size());
      }
    }
    return needed;
  }

  private static Set<Copy> absent(GroupResult checked) {
    Set<Copy> absent = new HashSet<>();
    for (Finding finding : checked.findings()) {
      if (finding.kind() == Finding.Kind.ABSENT) {
        absent.add(finding.copy());
      }
    }
    return absent;
  }

  /**
   * Waits until HDFS has replaced all wrong replicas; returns null then, else what is missing.
   *
   * @param removes whether they were removed, so that right ones can take their places
   */
  private String await(GroupLocations before, boolean removes) throws IOException {
    long start = access.millis();
    long reported = start;
    long removed = removes ? start : -1;
    long nextCheck = start + waitMillis / 2;
    boolean isRefused = false;
    // The NameNode lists a replica for a moment after it was removed, and perhaps a right one there
    // afterwards.
    Set<Copy> gone = new HashSet<>();
    while (true) {
      GroupLocations now = access.locate();
      if (now == null || !now.isSameBlock(before)) {
        return "the file was deleted or changed while HDFS replaced its blocks";
      }
      List<Copy> listed = new ArrayList<>(now.copies());
      listed.retainAll(wrong);
      long millis = access.millis();
      if (removed >= 0) {
        gone.addAll(millis - removed < REPORT_MILLIS ? without(listed) : wrong);
      }
      listed.removeAll(gone);
      String missing = missing(now, listed);
      if (missing == null) {
        return null;
      }
      if (millis - start >= waitMillis) {
        return missing
            + " after "
            + TimeUnit.MILLISECONDS.toSeconds(waitMillis)
            + " s"
            + (isRefused ? "; the wrong replicas remain, as the others may not suffice now" : "");
      }
      if (removed < 0 && millis >= nextCheck) {
        // HDFS may not be able to use the free DataNodes, such as those with other kinds of disks,
        // or may have lost others that it needs, without which the wrong ones are better than none.
        isRefused = !RepairPlan.isRestRight(access.check(), wrong, trusts);
        if (!isRefused) {
          remove(reportAgain(wrong, gone));
          removed = access.millis();
        }
        nextCheck = access.millis() + CHECK_MILLIS;
      } else if (removed < 0 && !listed.isEmpty() && millis - reported >= REPORT_MILLIS) {
        reportAgain(listed, gone);
        reported = millis;
      }
      access.pause();
    }
  }

  /**
   * Reports replicas again, but no right ones that have taken their places.
   *
   * @return what was reported
   */
  private List<Copy> reportAgain(Collection<Copy> copies, Set<Copy> gone) throws IOException {
    List<Copy> kept = stillKept(copies);
    if (!kept.isEmpty()) {
      access.report(kept);
    }
    copies.stream().filter(copy -> !kept.contains(copy)).forEach(gone::add);
    return kept;
  }

  /** Returns the replicas whose files are still those that were put into quarantine first. */
  private List<Copy> stillKept(Collection<Copy> copies) throws IOException {
    List<Copy> kept = new ArrayList<>();
    for (Copy copy : copies) {
      String directory = access.quarantine(copy, false).directory;
      if (Objects.equals(directory, quarantine.get(copy.toString()))) {
        kept.add(copy);
      }
    }
    return kept;
  }

  private Set<Copy> without(List<Copy> listed) {
    Set<Copy> rest = new HashSet<>(wrong);
    rest.removeAll(listed);
    return rest;
  }

  /** Returns null if each unit has its replicas and none of them is wrong. */
  private static String missing(GroupLocations now, List<Copy> listed) {
    if (!listed.isEmpty()) {
      return "the NameNode still lists " + listed.get(0);
    }
    for (int unit = 0; unit < now.layout().units(); unit++) {
      int count = now.copies(unit).size();
      if (now.unitBytes(unit) > 0 && count < now.replicas()) {
        return "the NameNode knows "
            + count
            + " of "
            + now.replicas()
            + " replicas of unit "
            + unit;
      }
    }
    return null;
  }
}
