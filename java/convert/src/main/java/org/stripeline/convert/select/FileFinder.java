// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.report.Vanished;

/**
 * Walks a tree page by page, depth first and ordered by name, with the locations of all blocks.
 *
 * <p>Holds one page (at most {@code dfs.ls.limit} files or locations) for each of the last 16
 * levels of the tree, so its memory does not grow with the number of files. Directories are listed
 * by inode id, so that all pages come from the same directory. After each page, the directory must
 * still be at its path; otherwise it is counted as vanished. Files that are added to a page that
 * was already read are missed.
 */
public final class FileFinder implements RemoteIterator<Candidate> {
  private static final Logger LOG = LoggerFactory.getLogger(FileFinder.class);

  static final int PAGES_MAX = 16;

  private final DFSClient client;
  private final String jobs;
  private final Deque<Level> levels = new ArrayDeque<>();
  private final Vanished vanished = new Vanished();
  private Candidate next;

  /**
   * Begins at a file or directory.
   *
   * @param root absolute path
   * @param jobs parent of all job directories, which is not entered; nor is the default one
   */
  public FileFinder(DFSClient client, String root, String jobs) throws IOException {
    this.client = client;
    // Without a slash at its end.
    this.jobs = PathArguments.parse(jobs).toUri().getPath();
    HdfsFileStatus status = InodePath.find(client, root);
    if (status == null) {
      vanished.directory(root);
    } else if (status.isDirectory()) {
      if (!isOfJobs(root)) {
        enter(root, status.getFileId());
      }
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

  /** A directory, and the position of the walk in it. */
  private static final class Level {
    private final String directory;
    private final long number;
    private String file;
    private DirectoryListing page;
    private int position;

    /** The last entry that was taken from a page that was dropped, or null. */
    private byte[] dropped;

    Level(String directory, long number) {
      this.directory = directory;
      this.number = number;
    }
  }

  /** Returns the files and directories that were gone before the walk could read them, so far. */
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
    if (level.dropped != null) {
      level.page = list(level, level.dropped);
      level.position = 0;
      level.dropped = null;
    }
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
    } else if (!isOfJobs(path)) {
      enter(path, entry.getFileId());
    }
  }

  private boolean isOfJobs(String path) {
    return path.equals(jobs) || path.equals(JobDirectory.ROOT_DEFAULT);
  }

  private void enter(String path, long number) throws IOException {
    Level level = new Level(path, number);
    level.page = list(level, HdfsFileStatus.EMPTY_NAME);
    if (isJob(level.page)) {
      LOG.warn(
          "Leaving out {}: the files {} and {} in it make it the directory of a job",
          path,
          JobDirectory.SETTINGS,
          JobDirectory.JOURNAL);
      return;
    }
    dropPage();
    levels.push(level);
  }

  /**
   * Drops the page of the level that would be one too many, which is listed again later. Any user
   * can make a thousand levels of directories.
   */
  private void dropPage() {
    int above = 0;
    for (Level level : levels) {
      if (++above == PAGES_MAX && level.page != null) {
        level.dropped = level.page.getPartialListing()[level.position - 1].getLocalNameInBytes();
        level.page = null;
      }
    }
  }

  /** Returns how many pages of listings are kept. */
  long pages() {
    return levels.stream().filter(level -> level.page != null).count();
  }

  /**
   * Returns whether a directory is that of a job, wherever it lies. These are skipped: a converted
   * journal could not be appended to any more.
   */
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

  /** Returns null for a directory that no longer exists. */
  private DirectoryListing list(Level level, byte[] after) throws IOException {
    DirectoryListing page = page(InodePath.of(level.number), after);
    HdfsFileStatus now = page == null ? null : InodePath.find(client, level.directory);
    if (now == null || now.getFileId() != level.number) {
      vanished.directory(level.directory);
      return null;
    }
    return page;
  }

  private DirectoryListing page(String path, byte[] after) throws IOException {
    try {
      return client.listPaths(path, after, true);
    } catch (IOException e) {
      if (InodePath.isGone(e)) {
        return null;
      }
      throw e;
    }
  }

  private static String child(String directory, String name) {
    return directory.equals("/") ? directory + name : directory + "/" + name;
  }
}
