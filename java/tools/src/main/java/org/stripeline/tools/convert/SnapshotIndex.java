// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.SnapshottableDirectoryStatus;

/**
 * Tells which files snapshots keep, so that converting them frees no space.
 *
 * <p>It looks a file up by its path and number in each snapshot above it. A file that was renamed
 * since all of its snapshots is not found; nothing but the space is lost by that.
 */
final class SnapshotIndex {
  private final DFSClient client;

  /** Snapshottable directory that has snapshots to their names, the newest first. */
  private final Map<String, List<String>> snapshots = new TreeMap<>();

  SnapshotIndex(DFSClient client) throws IOException {
    this.client = client;
    SnapshottableDirectoryStatus[] directories = client.getSnapshottableDirListing();
    if (directories == null) {
      return;
    }
    for (SnapshottableDirectoryStatus directory : directories) {
      if (directory.getSnapshotNumber() > 0) {
        String path = directory.getFullPath().toUri().getPath();
        snapshots.put(path, names(path));
      }
    }
  }

  private List<String> names(String directory) throws IOException {
    List<String> names = new ArrayList<>();
    byte[] after = HdfsFileStatus.EMPTY_NAME;
    DirectoryListing page;
    do {
      page = client.listPaths(below(directory, HdfsConstants.DOT_SNAPSHOT_DIR), after);
      if (page == null) {
        break;
      }
      for (HdfsFileStatus snapshot : page.getPartialListing()) {
        names.add(snapshot.getLocalName());
      }
      after = page.getLastName();
    } while (page.hasMore());
    Collections.reverse(names);
    return names;
  }

  /** Tells whether a snapshot keeps this very file. */
  boolean keeps(String path, long fileId) throws IOException {
    for (Map.Entry<String, List<String>> entry : snapshots.entrySet()) {
      String directory = entry.getKey();
      if (!path.startsWith(below(directory, ""))) {
        continue;
      }
      String rest = path.substring(below(directory, "").length());
      for (String name : entry.getValue()) {
        String kept = below(directory, HdfsConstants.DOT_SNAPSHOT_DIR) + "/" + name + "/" + rest;
        HdfsFileStatus status = client.getFileInfo(kept);
        if (status != null && status.getFileId() == fileId) {
          return true;
        }
      }
    }
    return false;
  }

  private static String below(String directory, String name) {
    return directory.equals("/") ? directory + name : directory + "/" + name;
  }
}
