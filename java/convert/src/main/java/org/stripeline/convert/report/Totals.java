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

/** The totals of a walk over a tree. */
public final class Totals {
  private static final int EXAMPLES_MAX = 3;

  /** Files to be converted. */
  public long files;

  /** Bytes of those files, without replicas. */
  public long bytes;

  /** Current bytes on disk of those files. */
  public long diskBytesNow;

  /** Bytes on disk of those files after the conversion. */
  public long diskBytesAfter;

  /** Skipped files, by reason. */
  public final Map<SkipReason, Skipped> skipped = new EnumMap<>(SkipReason.class);

  /** What was gone before it could be judged; not included in the other totals. */
  public Vanished vanished = new Vanished();

  /** Cell sizes for which policies are needed. */
  public final transient SortedSet<Integer> cells = new TreeSet<>();

  /** Files skipped for one reason. */
  public static final class Skipped {
    /** Number of files. */
    public long files;

    /** Bytes of the files, without replicas. */
    public long bytes;

    /** Bytes on disk of the files. */
    public long diskBytes;

    /** Paths of the first few files. */
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
