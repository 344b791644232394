// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Paths whose writers call hflush or hsync and rely on it. In stock HDFS these calls do nothing for
 * erasure-coded files (DFSStripedOutputStream), so a crash of the writer loses bytes: such files
 * need replication.
 */
public final class SyncedPaths {
  /** The known patterns; the first that matches a path applies. */
  public static final List<SyncedPaths> KNOWN =
      Collections.unmodifiableList(
          Arrays.asList(
              new SyncedPaths("HBase write-ahead logs", "/WALs/", null),
              new SyncedPaths("HBase old write-ahead logs", "/oldWALs/", null),
              new SyncedPaths("HBase master's log", "/MasterProcWALs/", null),
              new SyncedPaths("HBase edits being recovered", "/recovered.edits/", null),
              new SyncedPaths("Accumulo write-ahead logs", "/wal/", null),
              new SyncedPaths("Kudu write-ahead logs", "/wals/", null),
              new SyncedPaths("Solr transaction logs", "/tlog/", null),
              new SyncedPaths("Spark event logs and streams", null, ".inprogress"),
              new SyncedPaths("Flume files being written", null, ".tmp")));

  private final String name;
  private final String part;
  private final String ending;

  private SyncedPaths(String name, String part, String ending) {
    this.name = name;
    this.part = part;
    this.ending = ending;
  }

  /** Returns the index in {@link #KNOWN} of the first pattern that matches a path, or -1. */
  public static int find(String path) {
    for (int i = 0; i < KNOWN.size(); i++) {
      SyncedPaths known = KNOWN.get(i);
      boolean hasPart = known.part == null || path.contains(known.part);
      if (hasPart && (known.ending == null || path.endsWith(known.ending))) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the kind of files that the pattern matches. */
  public String name() {
    return name;
  }

  /** Returns the pattern in the syntax of globs. */
  public String pattern() {
    return part == null ? "*" + ending : "*" + part + "*";
  }
}
