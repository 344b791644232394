// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.convert.job.Reasons;

/** Lists the files of trees, without the locations of their blocks. */
final class TreeListing {
  private final DistributedFileSystem fs;
  private final Set<String> leftOut = new HashSet<>();
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
   * @param leftOut directories that are not entered, such as the ledger's, whose log is always open
   */
  TreeListing(DistributedFileSystem fs, Collection<Path> leftOut, Visitor visitor) {
    this.fs = fs;
    leftOut.forEach(directory -> this.leftOut.add(directory.toUri().getPath()));
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
          } else if (!leftOut.contains(entry.getPath().toUri().getPath())) {
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
