// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;

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

  /** Part of the message of the NameNode for a path that leads through a file. */
  private static final String THROUGH_A_FILE = "(is not a directory)";

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

  /**
   * Returns the status of a file with its blocks, or null if no inode with that id is in the
   * current tree. Unlike a call for the block locations, this does not set the access time, and
   * does not fail if the owner has hidden the file from superusers.
   */
  public static HdfsLocatedFileStatus located(DFSClient client, long fileId) throws IOException {
    try {
      return only(client.listPaths(of(fileId), HdfsFileStatus.EMPTY_NAME, true), fileId);
    } catch (IOException e) {
      if (isGone(e)) {
        return null;
      }
      throw e;
    }
  }

  /** Returns the only entry in the listing of a file, or null if that is not this file. */
  public static HdfsLocatedFileStatus only(DirectoryListing listing, long fileId) {
    HdfsFileStatus[] found = listing == null ? new HdfsFileStatus[0] : listing.getPartialListing();
    boolean isThere = found.length == 1 && found[0].getFileId() == fileId;
    return isThere ? (HdfsLocatedFileStatus) found[0] : null;
  }

  /** Returns whether a file is in the current tree or in a snapshot, at whatever path. */
  public static boolean isAnywhere(DFSClient client, long fileId) throws IOException {
    try {
      // Null if the current tree has nothing at the path of a file that a snapshot has.
      client.getFileInfo(of(fileId));
      return true;
    } catch (IOException e) {
      if (!isGone(e)) {
        throw e;
      }
      // The path of a file that a snapshot has can lead through a file by now.
      return !(e instanceof FileNotFoundException);
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

  /** Returns the status of a path of any kind, or null if nothing is there. */
  public static HdfsFileStatus find(DFSClient client, String path) throws IOException {
    try {
      return client.getFileInfo(path);
    } catch (IOException e) {
      if (isGone(e)) {
        return null;
      }
      throw e;
    }
  }

  /**
   * Returns whether a call failed because nothing is at its path. The NameNode says of a path that
   * leads through a file that access is denied, to superusers too. The path of an inode that only a
   * snapshot has becomes such a path when a file replaces a directory above it.
   */
  public static boolean isGone(IOException e) {
    IOException cause =
        e instanceof RemoteException ? ((RemoteException) e).unwrapRemoteException() : e;
    return cause instanceof FileNotFoundException
        || cause instanceof ParentNotDirectoryException
        || cause instanceof AccessControlException
            && String.valueOf(cause.getMessage()).contains(THROUGH_A_FILE);
  }
}
