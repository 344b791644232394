// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.placement.CodeName;
import org.stripeline.plan.source.ClusterView;
import org.stripeline.plan.source.FileSource;
import org.stripeline.plan.source.NameNodeSource;
import org.stripeline.plan.source.SnapshotTimes;

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

  private Decisions() {}

  /**
   * Decides about all files.
   *
   * @return the decisions by path
   */
  public static Map<String, Decision> of(DistributedFileSystem fs, String root, CodeName code)
      throws IOException {
    Map<String, Decision> decisions = new TreeMap<>();
    Adviser adviser = new Adviser(code);
    FileSource source =
        new NameNodeSource(fs, new Path(root), ClusterView.of(fs), SnapshotTimes.of(fs));
    source.stream(
        file -> {
          adviser.consider(file, SyncedPaths.find(file.path()) >= 0);
          decisions.put(file.path(), new Decision(adviser));
        });
    return decisions;
  }
}
