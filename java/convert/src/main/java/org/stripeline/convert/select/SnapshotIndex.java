// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.SnapshottableDirectoryStatus;
import org.stripeline.convert.job.InodePath;

/**
 * Finds out which files are in snapshots, so that converting them frees no space.
 *
 * <p>Looks a file up by its path and inode id in each snapshot of each directory above it. A file
 * that was renamed after all of its snapshots is not found; the only effect is that no space is
 * freed.
 */
public final class SnapshotIndex {
  private final DFSClient client;

  /**
   * For each snapshottable directory that has snapshots: their names, newest first, and the time
   * each was taken. The time is needed since a new snapshot can get the name of a deleted one.
   */
  private final Map<String, Map<String, Long>> snapshots = new TreeMap<>();

  public SnapshotIndex(DFSClient client) throws IOException {
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

  private Map<String, Long> names(String directory) throws IOException {
    List<HdfsFileStatus> found = new ArrayList<>();
    byte[] after = HdfsFileStatus.EMPTY_NAME;
    DirectoryListing page;
    do {
      page = client.listPaths(below(directory, HdfsConstants.DOT_SNAPSHOT_DIR), after);
      if (page == null) {
        break;
      }
      Collections.addAll(found, page.getPartialListing());
      after = page.getLastName();
    } while (page.hasMore());
    Collections.reverse(found);
    Map<String, Long> names = new LinkedHashMap<>();
    for (HdfsFileStatus snapshot : found) {
      // The NameNode sets this time when it takes the snapshot.
      names.put(snapshot.getLocalName(), snapshot.getModificationTime());
    }
    return names;
  }

  /** Returns whether a snapshot contains this file (same path and inode id). */
  public boolean keeps(String path, long fileId) throws IOException {
    return keeps(snapshots, path, fileId);
  }

  /** Returns whether a snapshot that was taken after this index was created contains this file. */
  public boolean hasNewer(String path, long fileId) throws IOException {
    Map<String, Map<String, Long>> newer = new TreeMap<>();
    SnapshottableDirectoryStatus[] directories = client.getSnapshottableDirListing();
    if (directories == null) {
      return false;
    }
    for (SnapshottableDirectoryStatus directory : directories) {
      String name = directory.getFullPath().toUri().getPath();
      if (directory.getSnapshotNumber() > 0 && path.startsWith(below(name, ""))) {
        Map<String, Long> names = names(name);
        names.entrySet().removeAll(snapshots.getOrDefault(name, Collections.emptyMap()).entrySet());
        newer.put(name, names);
      }
    }
    return keeps(newer, path, fileId);
  }

  private boolean keeps(Map<String, Map<String, Long>> among, String path, long fileId)
      throws IOException {
    for (Map.Entry<String, Map<String, Long>> entry : among.entrySet()) {
      String directory = entry.getKey();
      if (!path.startsWith(below(directory, ""))) {
        continue;
      }
      String rest = path.substring(below(directory, "").length());
      for (String name : entry.getValue().keySet()) {
        String kept = below(directory, HdfsConstants.DOT_SNAPSHOT_DIR) + "/" + name + "/" + rest;
        HdfsFileStatus status = InodePath.find(client, kept);
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
