// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.rules.Adviser;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.placement.CodeName;
import org.stripeline.plan.source.ClusterView;
import org.stripeline.plan.source.FileSource;
import org.stripeline.plan.source.NameNodeSource;
import org.stripeline.plan.source.SnapshotTimes;
import org.stripeline.terminal.Progress;

/** Returns what {@code stripeline plan} would do with each file of a tree. */
public final class Decisions {
  /** The decision about one file. */
  public static final class Decision {
    /** The name of a {@link Treatment}. */
    public final String treatment;

    /** Why the file is left unchanged, null if it is converted. */
    public final SkipReason reason;

    /** Bytes that the file occupies afterwards. */
    public final long bytesAfter;

    Decision(Adviser adviser) {
      treatment = adviser.treatment().name();
      reason = adviser.reason();
      bytesAfter = adviser.bytesAfter();
    }
  }

  /** The sums over files that are treated alike, or left for one reason. */
  public static final class Sum {
    public final long files;
    public final long bytes;
    public final long bytesAfter;

    Sum(PlanReport.Group group) {
      files = group.files;
      bytes = group.bytes;
      bytesAfter = group.bytesAfter;
    }
  }

  private Decisions() {}

  /**
   * Returns the sums that {@code plan} prints, by the labels of treatments and by the texts of
   * reasons; kinds without files are left out.
   */
  public static Map<String, Sum> sums(
      DistributedFileSystem fs, String root, CodeName code, boolean allowStaleReaders)
      throws IOException {
    PlanSettings settings = new PlanSettings();
    settings.path = root;
    settings.code = code;
    settings.allowStaleReaders = allowStaleReaders;
    Progress progress = Progress.onStandardError(new PrintWriter(new StringWriter()));
    PlanReport report = (PlanReport) Plan.ofNameNode(settings, fs, progress).forJson();
    Map<String, Sum> sums = new TreeMap<>();
    for (List<PlanReport.Group> groups : Arrays.asList(report.treatments, report.left)) {
      for (PlanReport.Group group : groups) {
        if (group.files > 0) {
          sums.put(group.name, new Sum(group));
        }
      }
    }
    return sums;
  }

  /**
   * Decides about all files.
   *
   * @return the decisions by path
   */
  public static Map<String, Decision> of(DistributedFileSystem fs, String root, CodeName code)
      throws IOException {
    Map<String, Decision> decisions = new TreeMap<>();
    Adviser adviser = new Adviser(code, true);
    FileSource source =
        new NameNodeSource(fs, new Path(root), ClusterView.of(fs), SnapshotTimes.of(fs), null);
    source.stream(
        file -> {
          adviser.consider(file, SyncedPaths.find(file.path()) >= 0);
          decisions.put(file.path(), new Decision(adviser));
        });
    return decisions;
  }
}
