// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.CodeShape;

/**
 * The tree of an image in XML: its directories, the parent directory of each inode, its policies
 * and its snapshots. The image has its inodes first and the tree after them, so the tree is read in
 * a separate pass, before the files; it keeps about 20 bytes per inode.
 */
final class ImageTree {
  private final String root;
  private final LongIntTable parents = new LongIntTable();
  private final LongIntTable directories = new LongIntTable();
  private final List<String> names = new ArrayList<>();
  private long[] ids = new long[1024];

  /** The path of each directory, once requested, and the time of its newest snapshot. */
  private String[] paths;

  private long[] snapshotTimes;
  private final Map<Long, Long> snapshots = new HashMap<>();
  private final Map<Integer, CodeName> policies = new HashMap<>();

  /** Inodes that have more than one name because of snapshots. */
  private final List<Long> references = new ArrayList<>();

  private ImageTree(String root) {
    this.root = root.equals("/") ? "" : root;
  }

  /** Reads the tree of an image. */
  static ImageTree read(ImageFile image, String root) throws IOException {
    ImageTree tree = new ImageTree(root);
    try (XmlCursor cursor = new XmlCursor(image)) {
      while (cursor.nextChild()) {
        switch (cursor.name()) {
          case "ErasureCodingSection":
            tree.readPolicies(cursor);
            break;
          case "INodeSection":
            tree.readInodes(cursor);
            break;
          case "INodeReferenceSection":
            tree.readReferences(cursor);
            break;
          case "SnapshotSection":
            tree.readSnapshots(cursor);
            break;
          case "INodeDirectorySection":
            tree.readChildren(cursor);
            break;
          default:
            cursor.skip();
        }
      }
    }
    tree.paths = new String[tree.names.size()];
    tree.snapshotTimes = new long[tree.names.size()];
    Arrays.fill(tree.snapshotTimes, Long.MIN_VALUE);
    return tree;
  }

  private void readPolicies(XmlCursor cursor) throws IOException {
    while (cursor.nextChild()) {
      int id = -1;
      long cell = 0;
      int[] counts = new int[2];
      while (cursor.nextChild()) {
        switch (cursor.name()) {
          case "policyId":
            id = (int) cursor.number();
            break;
          case "cellSize":
            cell = cursor.number();
            break;
          case "ecSchema":
            readSchema(cursor, counts);
            break;
          default:
            cursor.skip();
        }
      }
      if (counts[0] > 0
          && counts[1] > 0
          && cell > 0
          && cell <= CodeName.STRIPE_BYTES_MAX / counts[0]) {
        CodeShape shape = CodeShape.ofDataAndParity(counts[0], counts[1]);
        policies.put(id, CodeName.of("RS", shape, (int) cell));
      }
    }
  }

  private static void readSchema(XmlCursor cursor, int[] counts) throws IOException {
    while (cursor.nextChild()) {
      if (cursor.name().equals("dataUnits")) {
        counts[0] = (int) cursor.number();
      } else if (cursor.name().equals("parityUnits")) {
        counts[1] = (int) cursor.number();
      } else {
        cursor.skip();
      }
    }
  }

  private void readInodes(XmlCursor cursor) throws IOException {
    while (cursor.nextChild()) {
      if (!cursor.name().equals("inode")) {
        cursor.skip();
        continue;
      }
      long id = 0;
      boolean isDirectory = false;
      String name = "";
      while (cursor.nextChild()) {
        switch (cursor.name()) {
          case "id":
            id = cursor.number();
            break;
          case "type":
            isDirectory = cursor.text().equals("DIRECTORY");
            break;
          case "name":
            name = isDirectory ? cursor.text() : skipped(cursor);
            break;
          default:
            cursor.skip();
        }
      }
      if (isDirectory) {
        int place = names.size();
        names.add(name);
        ids = place == ids.length ? Arrays.copyOf(ids, 2 * place) : ids;
        ids[place] = id;
        directories.put(id, place);
      }
    }
  }

  private static String skipped(XmlCursor cursor) throws IOException {
    cursor.skip();
    return "";
  }

  private void readReferences(XmlCursor cursor) throws IOException {
    while (cursor.nextChild()) {
      long referred = 0;
      while (cursor.nextChild()) {
        if (cursor.name().equals("referredId")) {
          referred = cursor.number();
        } else {
          cursor.skip();
        }
      }
      references.add(referred);
    }
  }

  private void readSnapshots(XmlCursor cursor) throws IOException {
    while (cursor.nextChild()) {
      if (!cursor.name().equals("snapshot")) {
        cursor.skip();
        continue;
      }
      while (cursor.nextChild()) {
        if (!cursor.name().equals("root")) {
          cursor.skip();
          continue;
        }
        long id = 0;
        long time = 0;
        while (cursor.nextChild()) {
          if (cursor.name().equals("id")) {
            id = cursor.number();
          } else if (cursor.name().equals("mtime")) {
            time = cursor.number();
          } else {
            cursor.skip();
          }
        }
        snapshots.merge(id, time, Math::max);
      }
    }
  }

  private void readChildren(XmlCursor cursor) throws IOException {
    while (cursor.nextChild()) {
      int parent = LongIntTable.ABSENT;
      while (cursor.nextChild()) {
        switch (cursor.name()) {
          case "parent":
            parent = directories.get(cursor.number());
            break;
          case "child":
            parents.put(cursor.number(), parent);
            break;
          case "refChild":
            int place = (int) cursor.number();
            if (place >= 0 && place < references.size() && references.get(place) != 0) {
              parents.put(references.get(place), parent);
            }
            break;
          default:
            cursor.skip();
        }
      }
    }
  }

  /** Returns the index of the parent directory of an inode, negative if it has none. */
  int parentOf(long inode) {
    return parents.get(inode);
  }

  /** Returns the path of a directory, empty for the root directory. */
  String path(int directory) {
    if (paths[directory] == null) {
      resolve(directory);
    }
    return paths[directory];
  }

  /** Returns when the newest snapshot that contains a directory was taken, in ms. */
  long snapshotTime(int directory) {
    path(directory);
    return snapshotTimes[directory];
  }

  private void resolve(int directory) {
    List<Integer> chain = new ArrayList<>();
    int above = directory;
    while (above >= 0 && paths[above] == null && chain.size() <= names.size()) {
      chain.add(above);
      above = parents.get(ids[above]);
    }
    for (int i = chain.size() - 1; i >= 0; i--) {
      int place = chain.get(i);
      int parent = parents.get(ids[place]);
      String base = parent < 0 ? "" : paths[parent];
      paths[place] = parent < 0 ? "" : base + "/" + names.get(place);
      long inherited = parent < 0 ? Long.MIN_VALUE : snapshotTimes[parent];
      Long own = snapshots.get(ids[place]);
      snapshotTimes[place] = own == null ? inherited : Math.max(own, inherited);
    }
  }

  /** Returns the code of a policy by its number, null if the image does not contain the policy. */
  CodeName policy(int id) {
    return policies.get(id);
  }

  /** Returns whether files in a directory belong to the plan. */
  boolean isPlanned(int directory) {
    String path = path(directory);
    return path.startsWith(root)
        && (path.length() == root.length() || path.charAt(root.length()) == '/');
  }

  /** Returns whether the root of the plan is a directory of the image. */
  boolean hasRoot() {
    for (int i = 0; i < names.size(); i++) {
      if (path(i).equals(root)) {
        return true;
      }
    }
    return false;
  }
}
