// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/**
 * Paths that address a file by its inode id ({@code FSDirectory.resolvePath}), which follows
 * renames.
 *
 * <p>The NameNode translates the id to the inode's path and resolves that path. A deleted inode
 * that is still in a snapshot has a path too, and another file may be at that path by now. Results
 * for such a path are therefore only used after their inode id has been compared.
 */
public final class InodePath {
  private static final String PREFIX = "/.reserved/.inodes/";

  /**
   * The NameNode resolves this name only below an inode path; the feature exists for the NFS
   * gateway.
   */
  private static final String PARENT = "/..";

  private InodePath() {}

  public static String of(long fileId) {
    return PREFIX + fileId;
  }

  /** Returns the path of a directory's entry, which stays valid if the directory is renamed. */
  public static String child(long directoryId, String name) {
    return PREFIX + directoryId + "/" + name;
  }

  /** Returns the status of a file, or null if no inode with that id is in the current tree. */
  public static HdfsFileStatus status(DFSClient client, long fileId) throws IOException {
    HdfsFileStatus found = find(client, of(fileId));
    return found == null || found.getFileId() != fileId ? null : found;
  }

  /** Returns whether a file is in the current tree or in a snapshot, at whatever path. */
  public static boolean isAnywhere(DFSClient client, long fileId) throws IOException {
    try {
      // Null if the current tree has nothing at the path of a file that a snapshot has.
      client.getFileInfo(of(fileId));
      return true;
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /** Returns the inode id of a file's directory, or 0 if the file is not in the current tree. */
  public static long parent(DFSClient client, long fileId) throws IOException {
    HdfsFileStatus directory = find(client, of(fileId) + PARENT);
    return directory == null || status(client, fileId) == null ? 0 : directory.getFileId();
  }

  /** Returns the status of a directory's entry, or null if there is none. */
  public static HdfsFileStatus status(DFSClient client, long directoryId, String name)
      throws IOException {
    return find(client, child(directoryId, name));
  }

  private static HdfsFileStatus find(DFSClient client, String path) throws IOException {
    try {
      return client.getFileInfo(path);
    } catch (FileNotFoundException e) {
      return null;
    }
  }
}
