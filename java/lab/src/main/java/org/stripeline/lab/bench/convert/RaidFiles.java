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
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
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
   * Decodes the first data blocks of each stripe from the others and the parity, with Hadoop's Java
   * coder.
   *
   * @return what is wrong, or null
   */
  String wrongParity(Path file) throws IOException {
    RawErasureDecoder decoder =
        new RSRawErasureCoderFactory()
            .createDecoder(new ErasureCoderOptions(dataBlocks, parityBlocks));
    int[] erased = IntStream.range(0, Math.min(dataBlocks, parityBlocks)).toArray();
    String path = file.toUri().getPath();
    try (FSDataInputStream data = fs.open(file)) {
      for (long offset : offsets(file)) {
        for (long done = 0; done < blockBytes; done += Pattern.CHUNK_BYTES) {
          byte[][] units = new byte[dataBlocks + parityBlocks][Pattern.CHUNK_BYTES];
          byte[][] right = new byte[erased.length][];
          byte[][] decoded = new byte[erased.length][Pattern.CHUNK_BYTES];
          for (int i = 0; i < dataBlocks; i++) {
            data.readFully(offset + i * blockBytes + done, units[i]);
          }
          for (int i = 0; i < parityBlocks; i++) {
            try (FSDataInputStream parity = fs.open(new Path(RaidStripe.parity(path, offset, i)))) {
              parity.readFully(done, units[dataBlocks + i]);
            }
          }
          for (int unit : erased) {
            right[unit] = units[unit];
            units[unit] = null;
          }
          decoder.decode(units, erased, decoded);
          if (!Arrays.deepEquals(right, decoded)) {
            return path + ": the parity of its blocks from " + offset + " does not decode to them";
          }
        }
      }
    }
    return null;
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
