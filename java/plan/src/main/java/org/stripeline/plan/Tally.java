// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.convert.rules.Treatment;

/** All sums over the files of a directory. */
final class Tally {
  /** Exclusive upper bounds of the size classes of files, in bytes; the last class has none. */
  static final long[] SIZE_CLASS_ENDS = {1, 1L << 20, 16L << 20, 128L << 20, 1L << 30, 16L << 30};

  /** Number of replication classes; the last class contains all higher factors. */
  static final int REPLICATION_CLASSES = 4;

  final Bin all = new Bin();
  final Bin coded = new Bin();
  final Bin[] byReplication = Bin.array(REPLICATION_CLASSES);
  final Bin[] bySize = Bin.array(SIZE_CLASS_ENDS.length + 1);

  /** Files of fewer than k blocks by their number of blocks, as if all were adopted. */
  final Bin[] small;

  final Bin[] byTreatment = Bin.array(Treatment.values().length);
  final Bin[] byReason = Bin.array(SkipReason.values().length);
  final Bin[] bySyncHabit = Bin.array(SyncedPaths.KNOWN.size());

  /**
   * Files that are left because only a copy would save space; the bytes afterwards are a copy's.
   */
  final Bin ifCopied = new Bin();

  /** Files that are converted although a snapshot may hold their blocks. */
  final Bin inSnapshot = new Bin();

  /**
   * Last groups with fewer than k blocks of adopted files, and their parity bytes beyond m/k of
   * their data.
   */
  long shortGroups;

  double shortGroupsExtra;

  final ConversionTraffic traffic = new ConversionTraffic();

  Tally(int k) {
    this.small = Bin.array(k);
  }

  void add(Tally other) {
    all.add(other.all);
    coded.add(other.coded);
    Bin.add(byReplication, other.byReplication);
    Bin.add(bySize, other.bySize);
    Bin.add(small, other.small);
    Bin.add(byTreatment, other.byTreatment);
    Bin.add(byReason, other.byReason);
    Bin.add(bySyncHabit, other.bySyncHabit);
    ifCopied.add(other.ifCopied);
    inSnapshot.add(other.inSnapshot);
    shortGroups += other.shortGroups;
    shortGroupsExtra += other.shortGroupsExtra;
    traffic.add(other.traffic);
  }

  static int sizeClass(long length) {
    int i = 0;
    while (i < SIZE_CLASS_ENDS.length && length >= SIZE_CLASS_ENDS[i]) {
      i++;
    }
    return i;
  }
}
