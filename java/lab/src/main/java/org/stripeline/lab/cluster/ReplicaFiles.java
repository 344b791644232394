// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * The block files on the DataNodes' disks, read without HDFS and without any coder.
 *
 * <p>This is the strictest check: it compares every byte that was written, in data and parity
 * blocks, without any repair by a reader.
 */
public final class ReplicaFiles {

  private static final Pattern BLOCK_FILE = Pattern.compile("blk_(-?\\d+)");

  private final Map<Long, List<Path>> filesOfBlock = new HashMap<>();

  private ReplicaFiles() {}

  /** Finds finalized block files in the storage directories of DataNodes. */
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
              // DataNodes move and remove files during this walk; a relevant file that is missing
              // is detected when its block is looked up.
              return FileVisitResult.CONTINUE;
            }
          });
    }
    return found;
  }

  /**
   * Returns whether any of some blocks is on a disk.
   *
   * @param ids ids of replicated or internal blocks
   * @return whether at least one is
   */
  public boolean holdsAnyOf(Collection<Long> ids) {
    return ids.stream().anyMatch(filesOfBlock::containsKey);
  }

  /** Returns the files of one block; more than one if a DataNode has not removed its copy yet. */
  public List<Path> filesOf(long id) {
    return filesOfBlock.getOrDefault(id, Collections.emptyList());
  }

  /**
   * Computes the SHA-256 of blocks.
   *
   * @throws ClusterException if a block is on no disk, or copies of it differ
   */
  public Map<Long, String> fingerprints(Collection<Long> ids) throws IOException {
    Map<Long, String> all = new TreeMap<>();
    for (long id : ids) {
      if (filesOf(id).isEmpty()) {
        throw new ClusterException("Cannot find internal block " + id + " on any disk");
      }
      for (Path copy : filesOf(id)) {
        try (InputStream in = Files.newInputStream(copy)) {
          String print = DigestUtils.sha256Hex(in);
          String other = all.put(id, print);
          if (other != null && !other.equals(print)) {
            throw new ClusterException("Two copies of block " + id + " differ: " + filesOf(id));
          }
        }
      }
    }
    return all;
  }

  /**
   * Deletes the contents of a directory that belongs to a stopped DataNode, to simulate a lost
   * disk.
   */
  public static void wipe(Path directory) throws IOException {
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
  }
}
