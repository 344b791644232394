// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.stripeline.convert.job.Candidate;

/**
 * The first files of a tree in the order in which a service converts them: the oldest, and of those
 * that were last modified on the same day the largest. Holds a limited number of files.
 */
public final class OldestFirst {
  private static final long DAY_MS = 86_400_000;

  private static final Comparator<Entry> ORDER =
      Comparator.comparingLong((Entry entry) -> entry.day)
          .thenComparing(Comparator.comparingLong((Entry entry) -> entry.bytes).reversed())
          .thenComparing(entry -> entry.path);

  private final int max;
  private final PriorityQueue<Entry> last = new PriorityQueue<>(ORDER.reversed());
  private boolean isFull;

  /** A file as the walk found it. */
  public static final class Entry {
    private final String path;
    private final long fileId;
    private final long day;
    private final long bytes;

    private Entry(String path, HdfsFileStatus status) {
      this.path = path;
      fileId = status.getFileId();
      day = Math.floorDiv(status.getModificationTime(), DAY_MS);
      bytes = status.getLen();
    }

    String path() {
      return path;
    }

    long fileId() {
      return fileId;
    }
  }

  /**
   * Creates an empty order.
   *
   * @param max how many files are kept, at least 1
   */
  public OldestFirst(int max) {
    this.max = max;
  }

  /** Adds a file if it belongs to the first ones. */
  public void offer(Candidate file) {
    last.add(new Entry(file.path(), file.status()));
    if (last.size() > max) {
      last.poll();
      isFull = true;
    }
  }

  /** Returns whether there were more files than are kept. */
  public boolean isFull() {
    return isFull;
  }

  /** Returns the files, the first to convert first. */
  public List<Entry> inOrder() {
    List<Entry> entries = new ArrayList<>(last);
    entries.sort(ORDER);
    return entries;
  }
}
