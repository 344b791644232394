// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.rules.SkipReason;

/** What a walk over a tree found, in sums. */
public final class Totals {
  private static final int EXAMPLES_MAX = 3;

  /** Files to be converted. */
  public long files;

  /** Bytes of those files, once. */
  public long bytes;

  /** What those files take on disks now. */
  public long diskBytesNow;

  /** What they will take. */
  public long diskBytesAfter;

  /** Files left alone, by reason. */
  public final Map<SkipReason, Skipped> skipped = new EnumMap<>(SkipReason.class);

  /** What was gone before it could be judged; none of the sums has it. */
  public Vanished vanished = new Vanished();

  /** Sizes of cells that policies are needed for. */
  public final transient SortedSet<Integer> cells = new TreeSet<>();

  /** Files left alone for one reason. */
  public static final class Skipped {
    /** How many. */
    public long files;

    /** Their bytes, once. */
    public long bytes;

    /** What they take on disks. */
    public long diskBytes;

    /** Paths of the first few. */
    public final List<String> examples = new ArrayList<>();
  }

  public void add(Candidate file, FileDecision decision) {
    if (decision.isConvert()) {
      files++;
      bytes += file.bytes();
      diskBytesNow += decision.bytesNow();
      diskBytesAfter += decision.bytesAfter();
      if (decision.cellBytes() > 0) {
        cells.add(decision.cellBytes());
      }
      return;
    }
    Skipped sum = skipped.computeIfAbsent(decision.skip(), reason -> new Skipped());
    sum.files++;
    sum.bytes += file.bytes();
    sum.diskBytes += decision.bytesNow();
    if (sum.examples.size() < EXAMPLES_MAX) {
      sum.examples.add(file.path());
    }
  }
}
