// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.PageCache;

/** Writes finalized replicas to disk, so that they survive a loss of power. */
final class ReplicaSync {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaSync.class);

  /**
   * Directories to sync: the one with the files, up to that of the finalized replicas, below which
   * Hadoop creates two levels.
   */
  private static final int LEVELS_MAX = 3;

  /** Replaced only in tests, which simulate disks that lose data or are slow. */
  static volatile SyncMethod method = ReplicaSync::toDisk;

  private static volatile boolean keepsPages;

  private ReplicaSync() {}

  /** Writes the two files of a replica to disk. */
  interface SyncMethod {
    void sync(File data, File meta) throws IOException;
  }

  /**
   * Syncs both files of a replica and every directory that may have got an entry for it, and drops
   * the files from the page cache, so that the next read comes from the disk.
   */
  static void sync(File data, File meta) throws IOException {
    method.sync(data, meta);
  }

  static void toDisk(File data, File meta) throws IOException {
    force(data.toPath());
    force(meta.toPath());
    File directory = data.getParentFile();
    for (int level = 0; level < LEVELS_MAX && directory != null; level++) {
      force(directory.toPath());
      if (directory.getName().equals(DataStorage.STORAGE_DIR_FINALIZED)) {
        break;
      }
      directory = directory.getParentFile();
    }
    drop(data.toPath());
    drop(meta.toPath());
  }

  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void drop(Path path) {
    if (!PageCache.drop(path) && !keepsPages) {
      keepsPages = true;
      LOG.warn(
          "Cannot drop {} from the page cache; replicas are verified from the page cache instead of"
              + " the disk",
          path);
    }
  }
}
