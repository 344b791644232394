// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The block files on the DataNodes' disks, read past HDFS and past every coder.
 *
 * <p>This is the strictest witness there is: what a coder wrote, in data and in parity, byte for
 * byte, whatever a reader might repair on the way.
 */
public final class ReplicaFiles {

  private static final Pattern BLOCK_FILE = Pattern.compile("blk_(-?\\d+)");

  private final Map<Long, List<Path>> filesOfBlock = new HashMap<>();

  private ReplicaFiles() {}

  /** Finds finished block files below the storage directories of DataNodes. */
  public static ReplicaFiles find(Collection<Path> storage) throws IOException {
    ReplicaFiles found = new ReplicaFiles();
    for (Path directory : storage) {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              Matcher name = BLOCK_FILE.matcher(file.getFileName().toString());
              if (name.matches() && file.toString().contains("/finalized/")) {
                found
                    .filesOfBlock
                    .computeIfAbsent(Long.parseLong(name.group(1)), id -> new ArrayList<>(1))
                    .add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              // DataNodes move and remove files while this walks; a file that matters and is
              // missing is noticed when its block is looked up.
              return FileVisitResult.CONTINUE;
            }
          });
    }
    return found;
  }

  /**
   * Tells whether any of some blocks lies on a disk.
   *
   * @param ids ids of replicated or internal blocks
   * @return whether one does
   */
  public boolean holdsAnyOf(Collection<Long> ids) {
    return ids.stream().anyMatch(filesOfBlock::containsKey);
  }

  /** Whether any internal block of any of these groups lies on a disk. */
  boolean holdsAnyOf(BlockGroups groups) {
    for (BlockGroups.Group group : groups.groups()) {
      for (int unit : group.units()) {
        if (filesOfBlock.containsKey(group.unitId(unit))) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Takes the fingerprint of every internal block of files below a directory.
   *
   * @return by a name that does not depend on the coder: file below the directory, group, unit
   * @throws DemoException when a block is on no disk
   */
  Map<String, Fingerprint> fingerprints(
      BlockGroups groups, org.apache.hadoop.fs.Path directory, Progress.Step step)
      throws IOException {
    Map<String, Fingerprint> all = new TreeMap<>();
    int prefix = directory.toUri().getPath().length() + 1;
    for (BlockGroups.Group group : groups.below(directory).groups()) {
      String file = group.file().toUri().getPath().substring(prefix);
      for (int unit : group.units()) {
        String name = String.format("%s group %d unit %d", file, group.number(), unit);
        List<Path> copies = filesOfBlock.get(group.unitId(unit));
        if (copies == null) {
          throw new DemoException(
              "Cannot find internal block " + group.unitId(unit) + " (" + name + ") on any disk");
        }
        for (Path copy : copies) {
          Fingerprint fingerprint = Fingerprint.of(copy);
          Fingerprint other = all.put(name, fingerprint);
          if (other != null && other.difference(fingerprint) != null) {
            throw new DemoException(
                "Two copies of " + name + " differ: " + other.difference(fingerprint));
          }
          step.advance(fingerprint.length());
        }
      }
    }
    return all;
  }

  /**
   * Compares two sets of internal blocks by name.
   *
   * @return blocks found equal
   * @throws DemoException naming the first block that differs or is missing
   */
  static int compare(
      String what, Map<String, Fingerprint> expected, Map<String, Fingerprint> found) {
    if (!expected.keySet().equals(found.keySet())) {
      throw new DemoException(
          String.format(
              "Wrong blocks %s: %d internal blocks, should be %d",
              what, found.size(), expected.size()));
    }
    expected.forEach(
        (name, fingerprint) -> {
          String difference = fingerprint.difference(found.get(name));
          if (difference != null) {
            throw new DemoException("Wrong bytes " + what + " in " + name + ": " + difference);
          }
        });
    return expected.size();
  }

  /** Empties a directory that belongs to a stopped DataNode: its disk is lost. */
  static void wipe(Path directory) throws IOException {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException e)
                throws IOException {
              if (e != null) {
                throw e;
              }
              if (!visited.equals(directory)) {
                Files.delete(visited);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
