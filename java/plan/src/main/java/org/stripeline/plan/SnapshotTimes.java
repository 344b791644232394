// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

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
 * When the newest snapshot of each directory was taken. A file that was not changed since may be in
 * it, with its blocks: whatever becomes of the file, they stay until the snapshot is deleted. A
 * file moved in later counts too, so the bytes are an upper bound.
 */
final class SnapshotTimes {
  private final Map<String, Long> newest = new HashMap<>();

  /** The answer for the parent directory asked for last, null before the first. */
  private String lastParent;

  private long lastTime = Long.MIN_VALUE;

  /** Asks the NameNode for those snapshottable directories that the user may know of. */
  static SnapshotTimes of(DistributedFileSystem fs) throws IOException {
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
      // A snapshot's directory carries the time when it was taken.
      Path snapshots = new Path(directory, HdfsConstants.DOT_SNAPSHOT_DIR);
      for (FileStatus snapshot : fs.listStatus(snapshots)) {
        add(directory.toUri().getPath(), snapshot.getModificationTime());
      }
    } catch (AccessControlException | FileNotFoundException e) {
      // Not to be read, so its files will not be either; or not there any more.
      newest.remove(directory.toUri().getPath());
    }
  }

  /** Adds a snapshot of a directory, taken at a time in ms. */
  void add(String directory, long time) {
    newest.merge(directory.equals("/") ? "" : directory, time, Math::max);
  }

  /** Returns whether a snapshot may hold a file that was last changed at a time in ms. */
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
