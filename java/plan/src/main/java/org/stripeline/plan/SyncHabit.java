// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Paths whose writers call hflush or hsync by habit. HDFS does nothing on these calls for
 * erasure-coded files (DFSStripedOutputStream), so what is lost with the writer was never written:
 * such files need replication.
 */
final class SyncHabit {
  /** Those that are looked for; the first that matches is the file's. */
  static final List<SyncHabit> KNOWN =
      Collections.unmodifiableList(
          Arrays.asList(
              new SyncHabit("HBase write-ahead logs", "/WALs/", null),
              new SyncHabit("HBase old write-ahead logs", "/oldWALs/", null),
              new SyncHabit("HBase master's log", "/MasterProcWALs/", null),
              new SyncHabit("HBase edits being recovered", "/recovered.edits/", null),
              new SyncHabit("Accumulo write-ahead logs", "/wal/", null),
              new SyncHabit("Kudu write-ahead logs", "/wals/", null),
              new SyncHabit("Solr transaction logs", "/tlog/", null),
              new SyncHabit("Spark event logs and streams", null, ".inprogress"),
              new SyncHabit("Flume files being written", null, ".tmp")));

  private final String name;
  private final String part;
  private final String ending;

  private SyncHabit(String name, String part, String ending) {
    this.name = name;
    this.part = part;
    this.ending = ending;
  }

  /** Returns the place of a path's habit among those known, -1 if it has none. */
  static int find(String path) {
    for (int i = 0; i < KNOWN.size(); i++) {
      SyncHabit habit = KNOWN.get(i);
      boolean hasPart = habit.part == null || path.contains(habit.part);
      if (hasPart && (habit.ending == null || path.endsWith(habit.ending))) {
        return i;
      }
    }
    return -1;
  }

  /** Returns who writes so. */
  String name() {
    return name;
  }

  /** Returns the pattern that found it. */
  String pattern() {
    return part == null ? "*" + ending : "*" + part + "*";
  }
}
