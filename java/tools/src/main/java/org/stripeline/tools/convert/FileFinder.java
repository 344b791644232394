// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;

/**
 * Walks a tree page by page, depth first and in order of names, with the locations of all blocks.
 *
 * <p>Holds one page (at most {@code dfs.ls.limit} files or locations) for each level of the tree,
 * so its memory does not grow with the number of files. What comes and goes meanwhile may be
 * missed.
 */
final class FileFinder implements RemoteIterator<Candidate> {
  private final DFSClient client;
  private final String except;
  private final Deque<Level> levels = new ArrayDeque<>();
  private Candidate next;

  /**
   * Begins at a file or directory.
   *
   * @param root absolute path
   * @param except directory that is not entered
   * @throws FileNotFoundException if there is nothing at that path
   */
  FileFinder(DFSClient client, String root, String except) throws IOException {
    this.client = client;
    this.except = except;
    HdfsFileStatus status = client.getFileInfo(root);
    if (status == null) {
      throw new FileNotFoundException(root);
    }
    boolean isDirectory = status.isDirectory();
    Level first = new Level(isDirectory ? root : null, list(root, HdfsFileStatus.EMPTY_NAME));
    first.file = isDirectory ? null : root;
    levels.push(first);
  }

  /** One directory and where in it we are. */
  private static final class Level {
    private final String directory;
    private String file;
    private DirectoryListing page;
    private int position;

    Level(String directory, DirectoryListing page) {
      this.directory = directory;
      this.page = page;
    }
  }

  @Override
  public boolean hasNext() throws IOException {
    while (next == null && !levels.isEmpty()) {
      advance(levels.peek());
    }
    return next != null;
  }

  @Override
  public Candidate next() throws IOException {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Candidate found = next;
    next = null;
    return found;
  }

  private void advance(Level level) throws IOException {
    if (level.page == null) {
      levels.pop();
      return;
    }
    HdfsFileStatus[] entries = level.page.getPartialListing();
    if (level.position == entries.length) {
      level.page = level.page.hasMore() ? list(level.directory, level.page.getLastName()) : null;
      level.position = 0;
      return;
    }
    HdfsFileStatus entry = entries[level.position++];
    String path = level.file == null ? child(level.directory, entry.getLocalName()) : level.file;
    if (!entry.isDirectory()) {
      next = new Candidate(path, (HdfsLocatedFileStatus) entry);
    } else if (!path.equals(except)) {
      levels.push(new Level(path, list(path, HdfsFileStatus.EMPTY_NAME)));
    }
  }

  private DirectoryListing list(String path, byte[] after) throws IOException {
    try {
      // Null for a directory that is gone by now.
      return client.listPaths(path, after, true);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  private static String child(String directory, String name) {
    return directory.equals("/") ? directory + name : directory + "/" + name;
  }
}
