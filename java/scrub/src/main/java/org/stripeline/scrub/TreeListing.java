// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Reasons;

/** Lists the files of trees, without the locations of their blocks. */
final class TreeListing {
  private final DistributedFileSystem fs;
  private final Set<String> leftOut = new HashSet<>();
  private final Visitor visitor;

  /** A directory as it was found. It is listed by its id, because it may be renamed before. */
  private static final class Directory {
    final long id;
    final Path path;

    Directory(long id, Path path) {
      this.id = id;
      this.path = path;
    }
  }

  /** Receives what is found. */
  interface Visitor {
    void file(HdfsFileStatus file, String path);

    /** A file or directory could not be listed. */
    void unread(String path, String reason);
  }

  /**
   * Prepares to list.
   *
   * @param leftOut files that are not visited, such as the ledger's log, which is always open
   */
  TreeListing(DistributedFileSystem fs, Collection<Path> leftOut, Visitor visitor) {
    this.fs = fs;
    leftOut.forEach(file -> this.leftOut.add(file.toUri().getPath()));
    this.visitor = visitor;
  }

  /**
   * Finds trees, which are listed even if they are renamed before.
   *
   * @throws IOException if one cannot be read
   */
  static List<FileStatus> find(DistributedFileSystem fs, List<Path> roots) throws IOException {
    List<FileStatus> trees = new ArrayList<>();
    for (Path root : roots) {
      trees.add(fs.getFileStatus(root));
    }
    return trees;
  }

  /**
   * Lists trees, of which some may have been deleted.
   *
   * @throws IOException if the thread is interrupted
   */
  void list(List<FileStatus> trees) throws IOException {
    for (FileStatus tree : trees) {
      list(tree);
    }
  }

  private void list(FileStatus root) throws IOException {
    if (root.isFile()) {
      visitor.file((HdfsFileStatus) root, root.getPath().toUri().getPath());
      return;
    }
    Deque<Directory> waiting = new ArrayDeque<>();
    Set<Long> known = new HashSet<>();
    add(root, root.getPath(), waiting, known);
    while (!waiting.isEmpty()) {
      Directory next = waiting.pop();
      known.remove(next.id);
      try {
        RemoteIterator<FileStatus> entries = fs.listStatusIterator(new Path(InodePath.of(next.id)));
        while (entries.hasNext()) {
          FileStatus entry = entries.next();
          Path path = new Path(next.path, entry.getPath().getName());
          if (entry.isFile() && !leftOut.contains(path.toUri().getPath())) {
            visitor.file((HdfsFileStatus) entry, path.toUri().getPath());
          } else if (entry.isDirectory()) {
            add(entry, path, waiting, known);
          }
        }
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        // A directory that has been deleted since it was listed has nothing to check.
        if (!(e instanceof FileNotFoundException)) {
          visitor.unread(next.path.toUri().getPath(), Reasons.of(e));
        }
      }
    }
  }

  /** Adds a directory, unless it waits already: it may have been renamed. */
  private static void add(
      FileStatus directory, Path path, Deque<Directory> waiting, Set<Long> known) {
    long id = ((HdfsFileStatus) directory).getFileId();
    if (known.add(id)) {
      waiting.push(new Directory(id, path));
    }
  }
}
