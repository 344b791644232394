// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The files of a tree that are checked next: those first that were never tried, then those that
 * were tried longest ago; among equals the one that was modified longest ago. Holds a limited
 * number of files: when they are checked, the tree is listed again for those after them.
 */
final class OldestFiles {
  private static final Comparator<Entry> ORDER =
      Comparator.comparingLong((Entry entry) -> entry.tried)
          .thenComparingLong(entry -> entry.modified)
          .thenComparing(entry -> entry.path);

  private final int max;
  private final Entry after;
  private final PriorityQueue<Entry> last = new PriorityQueue<>(ORDER.reversed());
  private long files;
  private long bytes;

  /** A file as it was listed. */
  static final class Entry {
    final String path;
    final long fileId;
    final long modified;
    final long bytes;
    final int replication;
    final long tried;

    /**
     * Creates an entry.
     *
     * @param tried when its group was tried that was tried longest ago; 0 if one never was
     */
    Entry(String path, long fileId, long modified, long bytes, int replication, long tried) {
      this.path = path;
      this.fileId = fileId;
      this.modified = modified;
      this.bytes = bytes;
      this.replication = replication;
      this.tried = tried;
    }
  }

  /**
   * Creates an empty order.
   *
   * @param max how many files are held, at least 1
   * @param after the file after which the order begins, or null
   */
  OldestFiles(int max, Entry after) {
    this.max = max;
    this.after = after;
  }

  void offer(Entry file) {
    if (after != null && ORDER.compare(file, after) <= 0) {
      return;
    }
    files++;
    bytes += file.bytes;
    last.add(file);
    if (last.size() > max) {
      last.poll();
    }
  }

  /** Returns whether there are more files than are held. */
  boolean hasMore() {
    return files > last.size();
  }

  /** Returns the number of files, also of those that are not held. */
  long files() {
    return files;
  }

  /** Returns the bytes of all files, also of those that are not held. */
  long bytes() {
    return bytes;
  }

  List<Entry> inOrder() {
    List<Entry> entries = new ArrayList<>(last);
    entries.sort(ORDER);
    return entries;
  }
}
