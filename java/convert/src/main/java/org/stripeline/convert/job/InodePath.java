// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/**
 * Names a file by its inode number ({@code FSDirectory.resolvePath}), which follows renames.
 *
 * <p>The NameNode turns the number into the inode's path and resolves that path. A deleted inode
 * that a snapshot keeps still has a path, at which another file may be by now. So what such a path
 * answers is used only after its number has been compared.
 */
public final class InodePath {
  private static final String PREFIX = "/.reserved/.inodes/";

  /** The NameNode resolves this name below an inode path only, for the NFS gateway. */
  private static final String PARENT = "/..";

  private InodePath() {}

  public static String of(long fileId) {
    return PREFIX + fileId;
  }

  /** Path of an entry of a directory, wherever that directory has been renamed to. */
  public static String child(long directoryId, String name) {
    return PREFIX + directoryId + "/" + name;
  }

  /** Status of a file, or null if no inode of that number is in the current tree. */
  public static HdfsFileStatus status(DFSClient client, long fileId) throws IOException {
    HdfsFileStatus found = find(client, of(fileId));
    return found == null || found.getFileId() != fileId ? null : found;
  }

  /** Number of the directory that a file is in, or 0 if the file is not in the current tree. */
  public static long parent(DFSClient client, long fileId) throws IOException {
    HdfsFileStatus directory = find(client, of(fileId) + PARENT);
    return directory == null || status(client, fileId) == null ? 0 : directory.getFileId();
  }

  /** Status of an entry of a directory, or null if there is none. */
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
