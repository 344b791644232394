// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.commons.io.IOUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.StripedFileTestUtil;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the coder under test and Hadoop's own Java coders on one cluster: both write the same
 * blocks, and each reads and reconstructs the files of the other.
 *
 * <p>Hadoop's own "interoperable" raw coder tests create both coders with the same factory and so
 * do not test this.
 */
class StockInteropTest {
  private static final String STOCK = "rs_java";
  private static final String UNDER_TEST = System.getProperty(LiveFactory.CODER, "stripeline");
  private static final int BLOCK_BYTES = 2 << 20;

  /** One full block group of RS-6-3 and a partial second one. */
  private static final int FILE_BYTES = 17 * (1 << 20) + 12_345;

  private static final int REBUILT_FILE_BYTES = 5 * (1 << 20) + 4_321;

  @ParameterizedTest
  @ValueSource(strings = {"RS-6-3-1024k", "RS-3-2-1024k", "RS-LEGACY-6-3-1024k", "XOR-2-1-1024k"})
  void eachReadsTheOthersFileWithBlocksLost(String policyName) throws Exception {
    Configuration conf = new HdfsConfiguration();
    conf.setInt("dfs.blocksize", BLOCK_BYTES);
    // Lost blocks are not reconstructed, so that each read has to decode.
    conf.setInt("dfs.namenode.replication.max-streams", 0);
    try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(9).build();
        DistributedFileSystem ours = client(cluster, UNDER_TEST);
        DistributedFileSystem stock = client(cluster, STOCK)) {
      cluster.waitActive();
      byte[] data = randomBytes(FILE_BYTES);
      Path ourFile = write(ours, "/ours", policyName, data);
      Path stockFile = write(stock, "/stock", policyName, data);

      assertArrayEquals(data, read(stock, ourFile), "stock reads ours, whole");
      assertArrayEquals(data, read(ours, stockFile), "ours reads stock's, whole");
      assertEquals(stock.getFileChecksum(stockFile), stock.getFileChecksum(ourFile));
      ErasureCodingPolicy policy = ours.getErasureCodingPolicy(ourFile);
      List<Map<Integer, byte[]>> ourBlocks = internalBlocks(cluster, ours, ourFile, policy);
      assertSameBlocks(internalBlocks(cluster, stock, stockFile, policy), ourBlocks);

      for (Path file : new Path[] {ourFile, stockFile}) {
        loseDataBlocks(cluster, ours, file, policy);
      }
      String codec = policy.getCodecName();
      assertDecodes(codec, STOCK, () -> assertArrayEquals(data, read(stock, ourFile)));
      assertDecodes(codec, UNDER_TEST, () -> assertArrayEquals(data, read(ours, stockFile)));
      assertDecodes(codec, STOCK, () -> assertRangesRead(stock, ourFile, data));
      assertDecodes(codec, UNDER_TEST, () -> assertRangesRead(ours, stockFile, data));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void dataNodesRebuildWhatTheOtherCoderWrote(boolean rebuiltByUnderTest) throws Exception {
    String writer = rebuiltByUnderTest ? STOCK : UNDER_TEST;
    String builder = rebuiltByUnderTest ? UNDER_TEST : STOCK;
    Configuration conf = new HdfsConfiguration();
    conf.setInt("dfs.blocksize", BLOCK_BYTES);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
    conf.setInt("dfs.heartbeat.interval", 1);
    setCoder(conf, builder);
    // Five nodes have blocks, and two can receive the two lost ones.
    try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(7).build();
        DistributedFileSystem fs = client(cluster, writer)) {
      cluster.waitActive();
      byte[] data = randomBytes(REBUILT_FILE_BYTES);
      Path file = write(fs, "/rebuilt", "RS-3-2-1024k", data);
      ErasureCodingPolicy policy = fs.getErasureCodingPolicy(file);
      final List<Map<Integer, byte[]>> before = internalBlocks(cluster, fs, file, policy);

      assertDecodes(
          policy.getCodecName(),
          builder,
          () -> {
            LocatedBlock[] blocks =
                StripedBlockUtil.parseStripedBlockGroup(
                    groups(fs, file).get(0), policy.getCellSize(), 3, 2);
            for (int index : new int[] {0, 3}) {
              DatanodeInfo node = blocks[index].getLocations()[0];
              cluster.stopDataNode(node.getXferAddr());
              cluster.setDataNodeDead(node);
            }
            StripedFileTestUtil.waitForReconstructionFinished(file, fs, 5);
          });

      List<Map<Integer, byte[]>> after = internalBlocks(cluster, fs, file, policy);
      assertEquals(5, after.get(0).size(), "internal blocks after the repair");
      assertSameBlocks(before, after);
      assertArrayEquals(data, read(fs, file));
    }
  }

  /** An action that may throw any exception. */
  private interface Action {
    void run() throws Exception;
  }

  /** Runs an action and asserts that only the given coder decoded during it. */
  private static void assertDecodes(String codec, String coder, Action action) throws Exception {
    Map<String, Long> before = CoderWitness.calls("decode");
    action.run();
    Map<String, Long> made = new HashMap<>(CoderWitness.calls("decode"));
    before.forEach((name, count) -> made.merge(name, -count, Long::sum));
    made.values().removeIf(count -> count == 0);
    assertEquals(1, made.size(), "coders that decoded: " + made);
    String decoder = made.keySet().iterator().next();
    if (coder.equals(STOCK)) {
      Map<String, String> stock = new HashMap<>();
      stock.put("rs", "RSRawDecoder");
      stock.put("rs-legacy", "RSLegacyRawDecoder");
      stock.put("xor", "XORRawDecoder");
      assertEquals(stock.get(codec), decoder);
    } else {
      assertTrue(decoder.startsWith("Stripeline"), "decoder: " + decoder);
    }
  }

  private static void setCoder(Configuration conf, String coder) {
    for (String codec : new String[] {"rs", "rs-legacy", "xor"}) {
      conf.set(
          "io.erasurecode.codec." + codec + ".rawcoders",
          coder.equals(STOCK) ? codec + "_java" : coder);
    }
  }

  private static DistributedFileSystem client(MiniDFSCluster cluster, String coder)
      throws IOException {
    Configuration conf = new Configuration(cluster.getConfiguration(0));
    setCoder(conf, coder);
    return (DistributedFileSystem) FileSystem.newInstance(cluster.getURI(), conf);
  }

  private static byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private static Path write(DistributedFileSystem fs, String dir, String policy, byte[] data)
      throws Exception {
    fs.mkdirs(new Path(dir));
    fs.enableErasureCodingPolicy(policy);
    fs.setErasureCodingPolicy(new Path(dir), policy);
    Path file = new Path(dir, "file");
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(data);
    }
    StripedFileTestUtil.waitBlockGroupsReported(fs, file.toString());
    return file;
  }

  private static byte[] read(FileSystem fs, Path file) throws IOException {
    byte[] bytes = new byte[(int) fs.getFileStatus(file).getLen()];
    try (FSDataInputStream in = fs.open(file)) {
      IOUtils.readFully(in, bytes);
      assertEquals(-1, in.read());
    }
    return bytes;
  }

  private static void assertRangesRead(FileSystem fs, Path file, byte[] data) throws IOException {
    int[] edges = {0, 1, 511, 512, 65_537, 1 << 20, (1 << 20) + 1, 3 << 20, 12 << 20};
    try (FSDataInputStream in = fs.open(file)) {
      for (int start : edges) {
        byte[] range = new byte[1_500_001];
        in.readFully(start, range);
        byte[] expected = new byte[range.length];
        System.arraycopy(data, start, expected, 0, expected.length);
        assertArrayEquals(expected, range, "bytes from " + start);
      }
    }
  }

  private static List<LocatedStripedBlock> groups(DistributedFileSystem fs, Path file)
      throws IOException {
    List<LocatedStripedBlock> groups = new ArrayList<>();
    String path = file.toUri().getPath();
    for (LocatedBlock block :
        fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks()) {
      groups.add((LocatedStripedBlock) block);
    }
    assertNotEquals(0, groups.size());
    return groups;
  }

  /** Returns the bytes of each internal block on the DataNodes, for each block group. */
  private static List<Map<Integer, byte[]>> internalBlocks(
      MiniDFSCluster cluster, DistributedFileSystem fs, Path file, ErasureCodingPolicy policy)
      throws IOException {
    List<Map<Integer, byte[]>> result = new ArrayList<>();
    for (LocatedStripedBlock group : groups(fs, file)) {
      Map<Integer, byte[]> contents = new HashMap<>();
      LocatedBlock[] blocks =
          StripedBlockUtil.parseStripedBlockGroup(
              group, policy.getCellSize(), policy.getNumDataUnits(), policy.getNumParityUnits());
      for (int index = 0; index < blocks.length; index++) {
        if (blocks[index] != null) {
          DataNode node = cluster.getDataNodes().get(nodeOf(cluster, blocks[index]));
          try (InputStream in =
              node.getFSDataset().getBlockInputStream(blocks[index].getBlock(), 0)) {
            contents.put(index, IOUtils.toByteArray(in));
          }
        }
      }
      result.add(contents);
    }
    return result;
  }

  private static void assertSameBlocks(
      List<Map<Integer, byte[]>> expected, List<Map<Integer, byte[]>> actual) {
    assertEquals(expected.size(), actual.size(), "block groups");
    for (int group = 0; group < expected.size(); group++) {
      assertEquals(expected.get(group).keySet(), actual.get(group).keySet());
      for (Map.Entry<Integer, byte[]> block : expected.get(group).entrySet()) {
        assertArrayEquals(
            block.getValue(),
            actual.get(group).get(block.getKey()),
            "internal block " + block.getKey() + " of group " + group);
      }
    }
  }

  /**
   * Deletes the file's blocks from the nodes with the first data blocks of the first group, as many
   * nodes as the parity can replace. The nodes are the same for each group: for the rest of a file,
   * a stock reader avoids a node that failed once, and would otherwise have too few nodes left.
   */
  private static void loseDataBlocks(
      MiniDFSCluster cluster, DistributedFileSystem fs, Path file, ErasureCodingPolicy policy)
      throws IOException {
    Set<Integer> lost = new HashSet<>();
    for (LocatedStripedBlock group : groups(fs, file)) {
      LocatedBlock[] blocks =
          StripedBlockUtil.parseStripedBlockGroup(
              group, policy.getCellSize(), policy.getNumDataUnits(), policy.getNumParityUnits());
      for (LocatedBlock block : blocks) {
        if (block == null) {
          continue; // The last group may have fewer data blocks.
        }
        int node = nodeOf(cluster, block);
        if (lost.size() < policy.getNumParityUnits()) {
          lost.add(node);
        }
        if (lost.contains(node)) {
          cluster.getMaterializedReplica(node, block.getBlock()).deleteData();
        }
      }
    }
  }

  private static int nodeOf(MiniDFSCluster cluster, LocatedBlock block) {
    String uuid = block.getLocations()[0].getDatanodeUuid();
    for (int i = 0; i < cluster.getDataNodes().size(); i++) {
      if (cluster.getDataNodes().get(i).getDatanodeUuid().equals(uuid)) {
        return i;
      }
    }
    throw new IllegalStateException("Cannot find DataNode " + uuid + ": it is not in the cluster");
  }
}
