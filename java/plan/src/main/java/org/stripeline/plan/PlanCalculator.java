// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.Map;
import java.util.TreeMap;
import org.stripeline.convert.rules.Adviser;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SpaceNeed;
import org.stripeline.convert.rules.SpaceUse;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.settings.FileFilter;
import org.stripeline.placement.CodeName;
import org.stripeline.plan.source.FileSource;
import org.stripeline.plan.source.PlannedFile;

/** Sums the effects of the conversion of a stream of files. Not thread-safe. */
final class PlanCalculator implements FileSource.Sink {
  /**
   * Maximum number of policies that are listed: HDFS accepts at most 64 user-defined ones over its
   * lifetime.
   */
  static final int POLICIES_MAX = 64;

  private final CodeName code;
  private final FileFilter rules;
  private final Adviser adviser;
  private final Policies used;
  private final long nowMs = System.currentTimeMillis();
  private final TrafficModel model;
  private final DirectoryRows rows;
  private final String[] firstSynced = new String[SyncedPaths.KNOWN.size()];
  private final Map<Long, Map<String, Bin>> byBlockSize = new TreeMap<>();
  private final Map<String, Long> bytesByPolicy = new TreeMap<>();
  private int policies;
  private final Bin otherBlockSizes = new Bin();
  private final Map<Integer, SpaceNeed> needs = new TreeMap<>();
  private final SpaceNeed quotaNeed = new SpaceNeed();
  private final SpaceNeed undoNeed = new SpaceNeed();
  private long blockSizesTooLarge;

  /**
   * Creates a calculator.
   *
   * @param settings the code to convert to, and the files to convert
   * @param used decides whose policy is used; null if all are
   * @param model computes the data that is moved
   * @param rows receives the sums; the caller rolls them up
   */
  PlanCalculator(PlanSettings settings, Policies used, TrafficModel model, DirectoryRows rows) {
    this.code = settings.code;
    this.used = used;
    this.rules = settings.rules;
    this.adviser = new Adviser(code, settings.allowStaleReaders);
    this.model = model;
    this.rows = rows;
  }

  @Override
  public void accept(PlannedFile file) {
    Tally tally = rows.of(file.path());
    int habit = syncHabit(file);
    SkipReason reason = reason(file, habit >= 0);
    ConversionTraffic traffic = reason == null ? traffic(file) : null;
    if (traffic != null && traffic.unplaceable > 0 && model.knowsAllNodes()) {
      // A conversion would fail, and leave the file.
      reason = SkipReason.UNPLACEABLE;
      tally.traffic.addUnplaceable(traffic);
    }
    Treatment treatment = reason == null ? adviser.treatment() : Treatment.LEAVE;
    long now = SpaceUse.now(file);
    long after = reason == null ? adviser.bytesAfter() : now;

    tally.all.add(file, now, after);
    tally.bySize[Tally.sizeClass(file.bytes())].add(file, now, after);
    tally.byTreatment[treatment.ordinal()].add(file, now, after);
    if (reason != null) {
      tally.byReason[reason.ordinal()].add(file, now, after);
    }
    if (reason == SkipReason.STALE_READERS) {
      tally.ifCopied.add(file, now, adviser.bytesIfCopied());
    }
    if (habit >= 0) {
      tally.bySyncHabit[habit].add(file, now, after);
      if (firstSynced[habit] == null) {
        firstSynced[habit] = file.path();
      }
    }
    if (file.coded() != null) {
      tally.coded.add(file, now, after);
      return;
    }
    int replication = Math.max(1, Math.min(file.replication(), Tally.REPLICATION_CLASSES));
    tally.byReplication[replication - 1].add(file, now, after);
    if (file.blockCount() > 0 && file.blockCount() < code.data()) {
      tally.small[file.blockCount()].add(file, now, SpaceUse.contiguous(file, code.shape()));
    }
    if (treatment != Treatment.LEAVE) {
      tally.traffic.add(traffic);
      addConversion(tally, file, now, after);
    }
  }

  /** Returns what the conversion of a file moves, with the treatment that was chosen. */
  private ConversionTraffic traffic(PlannedFile file) {
    ConversionTraffic traffic = new ConversionTraffic();
    if (adviser.treatment() == Treatment.STRIPE) {
      model.addStriped(file, adviser.bytesAfter(), traffic);
    } else {
      model.addAdopted(file, adviser.codeAfter(file.blockBytes()), traffic);
    }
    return traffic;
  }

  @Override
  public boolean needsChecks(PlannedFile file) {
    return reasonBeforeChecks(file, syncHabit(file) >= 0) == null;
  }

  private static int syncHabit(PlannedFile file) {
    return file.coded() == null && file.bytes() > 0 ? SyncedPaths.find(file.path()) : -1;
  }

  /** Decides about a file in the order in which {@code convert} does, and returns the reason. */
  private SkipReason reason(PlannedFile file, boolean isSynced) {
    SkipReason reason = reasonBeforeChecks(file, isSynced);
    if (reason != null) {
      return reason;
    }
    if (file.checks() != null) {
      reason = file.checks().get();
    } else if (file.isInSnapshot() && !rules.includeSnapshotted) {
      reason = SkipReason.SNAPSHOTTED;
    }
    return reason != null || used == null
        ? reason
        : used.reason(policy(adviser.codeAfter(file.blockBytes())));
  }

  private SkipReason reasonBeforeChecks(PlannedFile file, boolean isSynced) {
    if (!rules.selects(file.path(), file.owner(), file.bytes(), file.modifiedMs(), nowMs)) {
      return SkipReason.RULE;
    }
    adviser.consider(file, isSynced && !rules.includeSynced);
    return adviser.reason();
  }

  private static String policy(CodeName with) {
    return with.policyName(with.cellBytes());
  }

  private void addConversion(Tally tally, PlannedFile file, long now, long after) {
    if (file.isInSnapshot()) {
      tally.inSnapshot.add(file, now, after);
    }
    needs
        .computeIfAbsent(file.storagePolicy(), id -> new SpaceNeed())
        .add(SpaceNeed.of(file, adviser.treatment().layout(), after), file.isInSnapshot());
    quotaNeed.add(after, file.isInSnapshot());
    undoNeed.add(now, false);
    CodeName with = adviser.codeAfter(file.blockBytes());
    bytesByPolicy.merge(policy(with), file.bytes(), Long::sum);
    if (adviser.treatment() == Treatment.STRIPE) {
      blockSizesTooLarge += code.takesCell(file.blockBytes()) ? 0 : 1;
      return;
    }
    policy(with, file.blockBytes()).add(file, now, after);
    if (adviser.treatment() == Treatment.ADOPT) {
      addShortGroups(tally, file);
    }
  }

  private void addShortGroups(Tally tally, PlannedFile file) {
    int start = 0;
    while (start < file.blockCount()) {
      int end = file.groupEnd(start, code.data());
      if (end - start < code.data()) {
        tally.shortGroups++;
        double fair = (double) code.parity() / code.data() * file.bytes(start, end);
        tally.shortGroupsExtra += code.parity() * file.longest(start, end) - fair;
      }
      start = end;
    }
  }

  private Bin policy(CodeName with, long blockBytes) {
    String name = with.policyName(blockBytes);
    Map<String, Bin> ofSize = byBlockSize.get(blockBytes);
    Bin bin = ofSize == null ? null : ofSize.get(name);
    if (bin == null) {
      if (policies == POLICIES_MAX) {
        return otherBlockSizes;
      }
      policies++;
      bin = new Bin();
      byBlockSize.computeIfAbsent(blockBytes, size -> new TreeMap<>()).put(name, bin);
    }
    return bin;
  }

  /** Returns the sums of each directory, including its subdirectories. May be called only once. */
  Map<String, Tally> rollUp() {
    return rows.rollUp();
  }

  /** Returns whether there were more directories than rows. */
  boolean isFolded() {
    return rows.isFolded();
  }

  /**
   * Returns the path of the first file that matches each hsync pattern, null where there is none.
   */
  String[] firstSynced() {
    return firstSynced.clone();
  }

  /**
   * Returns the files to adopt, by block size and the policy that adoption needs for it: each block
   * size needs its own policy, and so does each code.
   */
  Map<Long, Map<String, Bin>> byBlockSize() {
    return byBlockSize;
  }

  /** Returns the bytes of the files that need each policy, by its name. */
  Map<String, Long> bytesByPolicy() {
    return bytesByPolicy;
  }

  /** Returns the sums of the files that need further policies. */
  Bin otherBlockSizes() {
    return otherBlockSizes;
  }

  /**
   * Returns how many files are copied whose block size is not possible as a cell size, see {@link
   * CodeName#takesCell}.
   */
  long blockSizesTooLarge() {
    return blockSizesTooLarge;
  }

  /** Returns the space that the conversion needs while it runs, by the ids of storage policies. */
  Map<Integer, SpaceNeed> needs() {
    return needs;
  }

  /** Returns what the new files count in space quotas, where adopted replicas count in full. */
  SpaceNeed quotaNeed() {
    return quotaNeed;
  }

  /** Returns the space that is needed while the conversion is undone. */
  SpaceNeed undoNeed() {
    return undoNeed;
  }

  CodeName code() {
    return code;
  }

  /** Returns the smaller code for adoption, null if there is none. */
  CodeName smallerCode() {
    return adviser.smaller();
  }

  TrafficModel model() {
    return model;
  }
}
