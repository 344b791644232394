// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.SnapshottableDirectoryStatus;
import org.apache.hadoop.security.AccessControlException;

/**
 * Keeps when the newest snapshot of each directory was taken. A file that was not modified since
 * then may be in the snapshot with its blocks, which are kept until the snapshot is deleted, even
 * if the file is converted. A file that was moved into the directory later counts too, so the bytes
 * are an upper bound.
 */
public final class SnapshotTimes {
  private final Map<String, Long> newest = new HashMap<>();

  /** The parent directory of the previous lookup, null before the first one. */
  private String lastParent;

  private long lastTime = Long.MIN_VALUE;

  /** Creates times that contain no snapshot. */
  public SnapshotTimes() {}

  /** Requests from the NameNode the snapshottable directories that the user may list. */
  public static SnapshotTimes of(DistributedFileSystem fs) throws IOException {
    SnapshotTimes times = new SnapshotTimes();
    SnapshottableDirectoryStatus[] directories = fs.getSnapshottableDirListing();
    if (directories != null) {
      for (SnapshottableDirectoryStatus directory : directories) {
        if (directory.getSnapshotNumber() > 0) {
          times.addAll(fs, directory.getFullPath());
        }
      }
    }
    return times;
  }

  private void addAll(DistributedFileSystem fs, Path directory) throws IOException {
    try {
      // The modification time of a snapshot's directory is the time when it was taken.
      Path snapshots = new Path(directory, HdfsConstants.DOT_SNAPSHOT_DIR);
      for (FileStatus snapshot : fs.listStatus(snapshots)) {
        add(directory.toUri().getPath(), snapshot.getModificationTime());
      }
    } catch (AccessControlException | FileNotFoundException e) {
      // The directory is not readable, so its files are not planned either, or it no longer exists.
      newest.remove(directory.toUri().getPath());
    }
  }

  /**
   * Adds a snapshot of a directory.
   *
   * @param time when it was taken, in ms
   */
  void add(String directory, long time) {
    newest.merge(directory.equals("/") ? "" : directory, time, Math::max);
  }

  /**
   * Returns whether a snapshot may contain a file.
   *
   * @param modificationTime when the file was last modified, in ms
   */
  boolean mayHold(String path, long modificationTime) {
    if (newest.isEmpty()) {
      return false;
    }
    int end = path.lastIndexOf('/');
    if (lastParent == null || end != lastParent.length() || !path.startsWith(lastParent)) {
      lastParent = path.substring(0, end);
      lastTime = Long.MIN_VALUE;
      for (int i = end; i >= 0; i = i == 0 ? -1 : path.lastIndexOf('/', i - 1)) {
        Long time = newest.get(path.substring(0, i));
        lastTime = time == null ? lastTime : Math.max(lastTime, time);
      }
    }
    return modificationTime <= lastTime;
  }
}
