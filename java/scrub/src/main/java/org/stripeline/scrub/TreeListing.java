// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.convert.job.Reasons;

/** Lists the files of trees, without the locations of their blocks. */
final class TreeListing {
  private final DistributedFileSystem fs;
  private final String leftOut;
  private final Visitor visitor;

  /** Receives what is found. */
  interface Visitor {
    void file(HdfsFileStatus file, String path);

    /** A file or directory could not be listed. */
    void unread(String path, String reason);
  }

  /**
   * Prepares to list.
   *
   * @param leftOut a directory that is not entered: the ledger's, whose log is always open
   */
  TreeListing(DistributedFileSystem fs, Path leftOut, Visitor visitor) {
    this.fs = fs;
    this.leftOut = leftOut.toUri().getPath();
    this.visitor = visitor;
  }

  /**
   * Lists trees.
   *
   * @throws IOException if a root cannot be listed, or the thread is interrupted
   */
  void list(List<Path> roots) throws IOException {
    for (Path root : roots) {
      list(fs.getFileStatus(root));
    }
  }

  /** Lists trees again, of which some may have been deleted. */
  void listAgain(List<Path> roots) throws IOException {
    for (Path root : roots) {
      if (fs.exists(root)) {
        list(fs.getFileStatus(root));
      }
    }
  }

  private void list(FileStatus root) throws IOException {
    Deque<FileStatus> waiting = new ArrayDeque<>();
    waiting.push(root);
    while (!waiting.isEmpty()) {
      FileStatus next = waiting.pop();
      if (!next.isDirectory()) {
        offer(next);
        continue;
      }
      try {
        RemoteIterator<FileStatus> entries = fs.listStatusIterator(next.getPath());
        while (entries.hasNext()) {
          FileStatus entry = entries.next();
          if (!entry.isDirectory()) {
            offer(entry);
          } else if (!entry.getPath().toUri().getPath().equals(leftOut)) {
            waiting.push(entry);
          }
        }
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        // A directory that was deleted meanwhile has nothing to check.
        if (!(e instanceof FileNotFoundException)) {
          visitor.unread(next.getPath().toUri().getPath(), Reasons.of(e));
        }
      }
    }
  }

  private void offer(FileStatus file) {
    if (file.isFile()) {
      visitor.file((HdfsFileStatus) file, file.getPath().toUri().getPath());
    }
  }
}
