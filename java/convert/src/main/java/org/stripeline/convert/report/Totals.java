// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SpaceNeed;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.convert.settings.Layout;

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

  /** Files to be adopted that have fewer blocks than a full group has data blocks. */
  public long filesOfFewBlocks;

  /** Files to be made erasure-coded, by what is done with them. */
  public final Map<Treatment, Converted> treatments = new EnumMap<>(Treatment.class);

  /** Skipped files, by reason. */
  public final Map<SkipReason, Skipped> skipped = new EnumMap<>(SkipReason.class);

  /** What was gone before it could be judged; not included in the other totals. */
  public Vanished vanished = new Vanished();

  /** Space that is needed while the files are converted, by the ids of storage policies. */
  public final transient Map<Integer, SpaceNeed> needs = new TreeMap<>();

  /** What the new files count in space quotas, where adopted replicas count in full. */
  public final transient SpaceNeed quotaNeed = new SpaceNeed();

  /** Id of the storage policy to which files are copied; null for that of each file. */
  public transient Integer storagePolicyOfCopies;

  /** Bytes of the files that need each policy, without replicas, by its name. */
  public final transient SortedMap<String, Long> policies = new TreeMap<>();

  /** Files that are treated alike. */
  public static final class Converted {
    /** Number of files. */
    public long files;

    /** Bytes of the files, without replicas. */
    public long bytes;

    /** Current bytes on disk of the files. */
    public long diskBytesNow;

    /** Bytes on disk of the files after the conversion. */
    public long diskBytesAfter;
  }

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
      if (decision.code() != null) {
        policies.merge(decision.policy(), file.bytes(), Long::sum);
        boolean isAdopted = decision.treatment().layout() == Layout.CONTIGUOUS;
        filesOfFewBlocks += isAdopted && file.blockCount() < decision.code().data() ? 1 : 0;
        need(file, decision);
        Converted sum = treatments.computeIfAbsent(decision.treatment(), any -> new Converted());
        sum.files++;
        sum.bytes += file.bytes();
        sum.diskBytesNow += decision.bytesNow();
        sum.diskBytesAfter += decision.bytesAfter();
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

  private void need(Candidate file, FileDecision decision) {
    Layout layout = decision.treatment().layout();
    boolean isMoved = layout == Layout.STRIPED && storagePolicyOfCopies != null;
    needs
        .computeIfAbsent(
            isMoved ? storagePolicyOfCopies : (Integer) file.storagePolicy(),
            any -> new SpaceNeed())
        .add(SpaceNeed.of(file, layout, decision.bytesAfter()), decision.isKeptBySnapshot());
    quotaNeed.add(decision.bytesAfter(), decision.isKeptBySnapshot());
  }
}
