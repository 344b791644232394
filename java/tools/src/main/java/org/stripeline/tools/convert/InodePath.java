// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;

/**
 * Names a file by its number ({@code FSDirectory.resolvePath}): renames are followed, and a file
 * that takes the place of a deleted one is not taken for it.
 */
final class InodePath {
  private static final String PREFIX = "/.reserved/.inodes/";

  private InodePath() {}

  static String of(long fileId) {
    return PREFIX + fileId;
  }

  /** Status of a file, or null if there is none of that number: Hadoop throws for those. */
  static HdfsFileStatus status(DFSClient client, long fileId) throws IOException {
    try {
      return client.getFileInfo(of(fileId));
    } catch (FileNotFoundException e) {
      return null;
    }
  }
}
