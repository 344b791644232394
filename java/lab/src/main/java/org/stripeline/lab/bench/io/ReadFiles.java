// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.stripeline.lab.bench.cluster.BenchHdfs;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.io.client.Pattern;

/**
 * The files that are read: written with Hadoop's own stream, shared by all contestants of the same
 * scheme, and placed so that each lost DataNode removes a data unit of every file.
 */
final class ReadFiles {
  private static final int TRIES_MAX = 400;

  private final BenchHdfs hdfs;
  private final Pattern pattern;
  private final ErasureCodingPolicy policy;
  private final Map<IoContestant.StorageScheme, List<String>> files = new LinkedHashMap<>();

  /** DataNodes that must hold data units, by address without port. */
  private final List<String> holders = new ArrayList<>();

  private final int wantedHolders;

  /**
   * Creates an empty set.
   *
   * @param hanging address of the DataNode that will hang, or null
   * @param dead the number of DataNodes that will die
   */
  ReadFiles(BenchHdfs hdfs, Pattern pattern, ErasureCodingPolicy policy, String hanging, int dead) {
    this.hdfs = hdfs;
    this.pattern = pattern;
    this.policy = policy;
    if (hanging != null) {
      holders.add(hanging);
    }
    wantedHolders = holders.size() + dead;
  }

  /** Writes the files of a scheme, one per thread. */
  void write(IoContestant.StorageScheme scheme, List<String> paths, long bytes) throws IOException {
    int count = paths.size();
    write(
        scheme,
        paths,
        Collections.nCopies(count, bytes),
        Collections.nCopies(count, IoCluster.BLOCK_BYTES));
  }

  /** Writes the files of a scheme, each with its length and block size in bytes. */
  void write(
      IoContestant.StorageScheme scheme, List<String> paths, List<Long> lengths, List<Long> blocks)
      throws IOException {
    Map<String, String> settings = hdfs.clientSettings();
    settings.put("io.erasurecode.codec.rs.rawcoders", "stripeline");
    settings.put("io.erasurecode.codec.rs-legacy.rawcoders", "stripeline");
    settings.put("dfs.replication", String.valueOf(Math.max(1, scheme.copies())));
    try (DistributedFileSystem fs = hdfs.open(settings)) {
      for (int file = 0; file < paths.size(); file++) {
        int tries = 0;
        while (!write(fs, new Path(paths.get(file)), file, lengths.get(file), blocks.get(file))) {
          if (++tries == TRIES_MAX) {
            throw new IOException(
                "Cannot place "
                    + paths.get(file)
                    + ": in "
                    + TRIES_MAX
                    + " tries HDFS never put"
                    + " data units on all of "
                    + holders);
          }
        }
      }
    }
    files.put(scheme, paths);
  }

  /**
   * Writes a file and returns whether it is placed as required; if not, it is deleted after its
   * first write.
   */
  private boolean write(DistributedFileSystem fs, Path path, int file, long bytes, long block)
      throws IOException {
    boolean fits = true;
    // A directory that has been deleted must not come back.
    try (FSDataOutputStream out =
        fs.createNonRecursive(
            path,
            FsPermission.getFileDefault(),
            EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE),
            Pattern.CHUNK_BYTES,
            fs.getDefaultReplication(path),
            block,
            null)) {
      long done = 0;
      while (done < bytes && fits) {
        int step = (int) Math.min(Pattern.CHUNK_BYTES, bytes - done);
        out.write(pattern.bytes(), pattern.index(file, done), step);
        boolean first = done == 0;
        done += step;
        if (first) {
          fits = fits(fs.getClient().getLocatedBlocks(path.toString(), 0).getLastLocatedBlock());
        }
      }
    }
    if (!fits) {
      fs.delete(path, false);
    }
    return fits;
  }

  private boolean fits(LocatedBlock block) throws IOException {
    if (block == null || !block.isStriped()) {
      return true;
    }
    List<String> data = new ArrayList<>();
    LocatedStripedBlock group = (LocatedStripedBlock) block;
    for (int i = 0; i < group.getLocations().length; i++) {
      if (group.getBlockIndices()[i] < policy.getNumDataUnits()) {
        data.add(group.getLocations()[i].getIpAddr());
      }
    }
    if (!data.containsAll(holders)) {
      return false;
    }
    // The first file determines which DataNodes will die: the holders of its first data units.
    List<String> mayDie = new ArrayList<>(hdfs.inside().values());
    for (String address : data) {
      boolean inside = mayDie.stream().anyMatch(node -> node.startsWith(address + ":"));
      if (holders.size() < wantedHolders && inside && !holders.contains(address)) {
        holders.add(address);
      }
    }
    return holders.size() == wantedHolders;
  }

  /** Returns the paths of a scheme's files. */
  List<String> of(IoContestant.StorageScheme scheme) {
    return files.get(scheme);
  }

  /** Returns the names of the DataNodes that will die, in that order. */
  List<String> victims() throws IOException {
    List<String> victims = new ArrayList<>();
    Map<String, String> inside = hdfs.inside();
    for (String address : holders) {
      inside.forEach(
          (id, node) -> {
            if (node.startsWith(address + ":")) {
              victims.add(id);
            }
          });
    }
    return Collections.unmodifiableList(victims);
  }

  void delete() throws IOException {
    for (Collection<String> paths : files.values()) {
      hdfs.delete(paths);
    }
    files.clear();
  }
}
