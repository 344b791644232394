// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Keeps a tally for each directory down to a given depth, up to a maximum number of rows. */
final class DirectoryRows {
  private final String root;
  private final int depth;
  private final int rowsMax;
  private final int k;
  private final Map<String, Tally> rows = new HashMap<>();
  private boolean isFolded;

  /**
   * The directory of the previous lookup: files of one directory mostly come one after the other.
   */
  private String lastDirectory = "";

  private Tally lastTally;

  /**
   * Creates the rows.
   *
   * @param root absolute path without a trailing slash, except for "/"
   * @param depth how many levels below the root have their own rows, 0 for none
   * @param rowsMax the maximum number of rows; files of further directories are counted for the
   *     root
   */
  DirectoryRows(String root, int depth, int rowsMax, int k) {
    this.root = root.equals("/") ? "" : root;
    this.depth = depth;
    this.rowsMax = rowsMax;
    this.k = k;
    rows.put(this.root, new Tally(k));
  }

  /** Returns the tally to which a file is added. */
  Tally of(String path) {
    int end = root.length();
    for (int level = 0; level < depth; level++) {
      int next = path.indexOf('/', end + 1);
      if (next < 0) {
        break;
      }
      end = next;
    }
    if (end >= path.length() || end <= root.length()) {
      return rows.get(root);
    }
    if (end != lastDirectory.length() || !path.startsWith(lastDirectory)) {
      lastDirectory = path.substring(0, end);
      lastTally = row(lastDirectory);
    }
    return lastTally;
  }

  private Tally row(String directory) {
    Tally tally = rows.get(directory);
    if (tally == null) {
      if (rows.size() >= rowsMax) {
        isFolded = true;
        return rows.get(root);
      }
      tally = new Tally(k);
      rows.put(directory, tally);
    }
    return tally;
  }

  /** Returns whether there were more directories than rows. */
  boolean isFolded() {
    return isFolded;
  }

  /**
   * Adds the sums of each directory to its ancestors and returns all sums, by path. May be called
   * only once.
   */
  Map<String, Tally> rollUp() {
    List<String> deepestFirst = new ArrayList<>(rows.keySet());
    deepestFirst.sort((a, b) -> Integer.compare(levels(b), levels(a)));
    for (int i = 0; i < deepestFirst.size(); i++) {
      String directory = deepestFirst.get(i);
      if (!directory.equals(root)) {
        String parent = directory.substring(0, directory.lastIndexOf('/'));
        if (!rows.containsKey(parent)) {
          // The parent has no files of its own; it is inserted after all directories that are as
          // deep as this one.
          rows.put(parent, new Tally(k));
          deepestFirst.add(firstShallowerThan(deepestFirst, levels(parent)), parent);
        }
        rows.get(parent).add(rows.get(directory));
      }
    }
    Map<String, Tally> byPath = new TreeMap<>();
    rows.forEach((path, tally) -> byPath.put(path.isEmpty() ? "/" : path, tally));
    return byPath;
  }

  private static int firstShallowerThan(List<String> deepestFirst, int levels) {
    int i = deepestFirst.size();
    while (i > 0 && levels(deepestFirst.get(i - 1)) < levels) {
      i--;
    }
    return i;
  }

  private static int levels(String path) {
    int count = 0;
    for (int i = 0; i < path.length(); i++) {
      count += path.charAt(i) == '/' ? 1 : 0;
    }
    return count;
  }
}
