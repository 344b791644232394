// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

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
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.report.Vanished;

/**
 * Walks a tree page by page, depth first and in order of names, with the locations of all blocks.
 *
 * <p>Holds one page (at most {@code dfs.ls.limit} files or locations) for each level of the tree,
 * so its memory does not grow with the number of files. Directories are listed by their numbers, so
 * that all pages are of the same one, and must still be at their paths after each page. Those that
 * are not are counted; what is added to a page that is read already is missed.
 */
public final class FileFinder implements RemoteIterator<Candidate> {
  private final DFSClient client;
  private final String jobs;
  private final Deque<Level> levels = new ArrayDeque<>();
  private final Vanished vanished = new Vanished();
  private Candidate next;

  /**
   * Begins at a file or directory.
   *
   * @param root absolute path
   * @param jobs directory that is not entered; neither is the one that jobs have by default
   */
  public FileFinder(DFSClient client, String root, String jobs) throws IOException {
    this.client = client;
    this.jobs = jobs;
    HdfsFileStatus status = status(root);
    if (status == null) {
      vanished.directory(root);
    } else if (status.isDirectory()) {
      enter(root, status.getFileId());
    } else {
      Level only = new Level(null, 0);
      only.file = root;
      only.page = page(root, HdfsFileStatus.EMPTY_NAME);
      if (only.page == null) {
        vanished.file(root);
      }
      levels.push(only);
    }
  }

  /** One directory and where in it we are. */
  private static final class Level {
    private final String directory;
    private final long number;
    private String file;
    private DirectoryListing page;
    private int position;

    Level(String directory, long number) {
      this.directory = directory;
      this.number = number;
    }
  }

  /** What was gone before it could be looked at, so far. */
  public Vanished vanished() {
    return vanished;
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
      level.page = level.page.hasMore() ? list(level, level.page.getLastName()) : null;
      level.position = 0;
      return;
    }
    HdfsFileStatus entry = entries[level.position++];
    String path = level.file == null ? child(level.directory, entry.getLocalName()) : level.file;
    if (!entry.isDirectory()) {
      next = new Candidate(path, (HdfsLocatedFileStatus) entry);
    } else if (!path.equals(jobs) && !path.equals(JobDirectory.ROOT_DEFAULT)) {
      enter(path, entry.getFileId());
    }
  }

  private void enter(String path, long number) throws IOException {
    Level level = new Level(path, number);
    level.page = list(level, HdfsFileStatus.EMPTY_NAME);
    if (!isJob(level.page)) {
      levels.push(level);
    }
  }

  /** Tells a job's directory, wherever it is: a journal that is converted takes no more lines. */
  private static boolean isJob(DirectoryListing page) {
    int found = 0;
    if (page != null) {
      for (HdfsFileStatus entry : page.getPartialListing()) {
        String name = entry.getLocalName();
        found += name.equals(JobDirectory.SETTINGS) || name.equals(JobDirectory.JOURNAL) ? 1 : 0;
      }
    }
    return found == 2;
  }

  /** Returns null for a directory that is not there any more. */
  private DirectoryListing list(Level level, byte[] after) throws IOException {
    DirectoryListing page = page(InodePath.of(level.number), after);
    HdfsFileStatus now = page == null ? null : status(level.directory);
    if (now == null || now.getFileId() != level.number) {
      vanished.directory(level.directory);
      return null;
    }
    return page;
  }

  private DirectoryListing page(String path, byte[] after) throws IOException {
    try {
      return client.listPaths(path, after, true);
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /**
   * Returns null as well if part of the path is a file now, which the NameNode denies access to.
   */
  private HdfsFileStatus status(String path) throws IOException {
    try {
      return client.getFileInfo(path);
    } catch (FileNotFoundException | AccessControlException e) {
      return null;
    }
  }

  private static String child(String directory, String name) {
    return directory.equals("/") ? directory + name : directory + "/" + name;
  }
}
