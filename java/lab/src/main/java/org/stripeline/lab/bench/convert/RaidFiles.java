// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.io.client.Pattern;

/** The files that {@link RaidNode} has encoded: data with one replica, and files of parity. */
final class RaidFiles {
  private final IoCluster cluster;
  private final DistributedFileSystem fs;
  private final int dataBlocks;
  private final int parityBlocks;
  private final long blockBytes;

  RaidFiles(
      IoCluster cluster, DistributedFileSystem fs, ErasureCodingPolicy policy, long blockBytes) {
    this.cluster = cluster;
    this.fs = fs;
    dataBlocks = policy.getNumDataUnits();
    parityBlocks = policy.getNumParityUnits();
    this.blockBytes = blockBytes;
  }

  /**
   * Compares the parity of each stripe with what Hadoop's Java coder computes.
   *
   * @return what is wrong, or null
   */
  String wrongParity(Path file) throws IOException {
    try (FSDataInputStream data = fs.open(file)) {
      for (long offset : offsets(file)) {
        String wrong = wrongParity(file.toUri().getPath(), data, offset);
        if (wrong != null) {
          return wrong;
        }
      }
    }
    return null;
  }

  private String wrongParity(String path, FSDataInputStream data, long offset) throws IOException {
    RawErasureEncoder encoder =
        new RSRawErasureCoderFactory()
            .createEncoder(new ErasureCoderOptions(dataBlocks, parityBlocks));
    byte[][] units = new byte[dataBlocks][Pattern.CHUNK_BYTES];
    byte[][] parity = new byte[parityBlocks][Pattern.CHUNK_BYTES];
    byte[] found = new byte[Pattern.CHUNK_BYTES];
    List<FSDataInputStream> in = new ArrayList<>();
    try {
      for (int i = 0; i < parityBlocks; i++) {
        Path one = new Path(RaidStripe.parity(path, offset, i));
        if (fs.getFileStatus(one).getLen() != blockBytes) {
          return one + " is not as long as a block";
        }
        in.add(fs.open(one));
      }
      for (long done = 0; done < blockBytes; done += Pattern.CHUNK_BYTES) {
        for (int i = 0; i < dataBlocks; i++) {
          data.readFully(offset + i * blockBytes + done, units[i]);
        }
        encoder.encode(units, parity);
        for (int i = 0; i < parityBlocks; i++) {
          in.get(i).readFully(found);
          if (!Arrays.equals(parity[i], found)) {
            return RaidStripe.parity(path, offset, i) + " is wrong from " + done + " on";
          }
        }
      }
      return null;
    } finally {
      for (FSDataInputStream one : in) {
        one.close();
      }
    }
  }

  private List<Long> offsets(Path file) throws IOException {
    List<Long> offsets = new ArrayList<>();
    long length = fs.getFileStatus(file).getLen();
    for (long offset = 0; offset < length; offset += dataBlocks * blockBytes) {
      offsets.add(offset);
    }
    return offsets;
  }

  /**
   * Waits until HDFS has deleted all replicas but one, and returns how many blocks of a file's
   * stripes share a DataNode with another one, or a rack with more than even distribution needs.
   */
  int blocksToMove(Path file, int racks) throws IOException {
    String path = file.toUri().getPath();
    IoCluster.await(
        "one replica of each block of " + path,
        () -> blocks(path).stream().allMatch(block -> block.getLocations().length == 1));
    int mostInRack = (dataBlocks + parityBlocks + racks - 1) / racks;
    int toMove = 0;
    List<LocatedBlock> data = blocks(path);
    for (int first = 0; first < data.size(); first += dataBlocks) {
      List<LocatedBlock> stripe = new ArrayList<>(data.subList(first, first + dataBlocks));
      for (int i = 0; i < parityBlocks; i++) {
        stripe.addAll(blocks(RaidStripe.parity(path, data.get(first).getStartOffset(), i)));
      }
      Map<String, Set<String>> nodesOfRacks = new HashMap<>();
      for (LocatedBlock block : stripe) {
        DatanodeInfo node = block.getLocations()[0];
        nodesOfRacks
            .computeIfAbsent(node.getNetworkLocation(), rack -> new HashSet<>())
            .add(node.getDatanodeUuid());
      }
      int stay =
          nodesOfRacks.values().stream()
              .mapToInt(nodes -> Math.min(mostInRack, nodes.size()))
              .sum();
      toMove += stripe.size() - stay;
    }
    return toMove;
  }

  private List<LocatedBlock> blocks(String path) {
    try {
      return fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void deleteParity(Path file) throws IOException {
    List<String> paths = new ArrayList<>();
    for (long offset : offsets(file)) {
      for (int i = 0; i < parityBlocks; i++) {
        paths.add(RaidStripe.parity(file.toUri().getPath(), offset, i));
      }
    }
    cluster.delete(paths);
  }
}
