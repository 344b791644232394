// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StripelineHdfs;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;

/**
 * Files whose cells are as large as their blocks: each internal block holds a contiguous range of
 * the file.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class WideCellTest {
  private static final int CELL = 24 << 20;
  private static final int K = 3;
  private static final int M = 2;

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path file;
  private static byte[] data;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", CELL);
    conf.setInt("dfs.namenode.ec.policies.max.cellsize", CELL);
    conf.set("fs.AbstractFileSystem.hdfs.impl", StripelineHdfs.class.getName());
    // The test measures the cost of a loss, not of reads that are late on a busy machine.
    conf.setBoolean(ClientKeys.HEDGE_ENABLED, false);
    cluster = new StripedCluster(dir, K + M, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", K, M), CELL);
    String name =
        cluster
            .stock()
            .addErasureCodingPolicies(new ErasureCodingPolicy[] {policy})[0]
            .getPolicy()
            .getName();
    file = new org.apache.hadoop.fs.Path(cluster.directory("/wide", name), "file");
    // A complete group, and one whose last internal data block is short.
    data = StripedCluster.bytes((2 * K - 1) * CELL + 1_234_567, 5);
    StripedCluster.write(cluster.stock(), file, data);
    cluster.awaitReports(file, K + M);
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
  }

  @Test
  void locationsAreThoseOfTheInternalBlocks() throws Exception {
    List<String> expected = new ArrayList<>();
    for (LocatedStripedBlock group : cluster.groups(file)) {
      for (int unit = 0; (long) unit * CELL < group.getBlockSize(); unit++) {
        long length = Math.min(CELL, group.getBlockSize() - (long) unit * CELL);
        DatanodeInfo node = StripedCluster.location(group, unit);
        // A reader of a lost block reads from all others.
        DatanodeInfo[] nodes = node == null ? group.getLocations() : new DatanodeInfo[] {node};
        String names =
            Stream.of(nodes).map(DatanodeInfo::getXferAddr).collect(Collectors.joining(","));
        expected.add(group.getStartOffset() + (long) unit * CELL + "+" + length + "@" + names);
      }
    }
    assertThat(expected).hasSize(2 * K);
    assertThat(shown(cluster.ours().getFileBlockLocations(file, 0, Long.MAX_VALUE)))
        .isEqualTo(expected);
    assertThat(shown(cluster.ours().getFileBlockLocations(file, CELL + 1, CELL)))
        .isEqualTo(expected.subList(1, 3));
    assertThat(shown(cluster.ours().getFileBlockLocations(file, 3L * CELL, 1)))
        .isEqualTo(expected.subList(3, 4));
    assertThat(shown(only(cluster.ours().listLocatedStatus(file)))).isEqualTo(expected);
    assertThat(shown(only(cluster.ours().listFiles(file.getParent(), true)))).isEqualTo(expected);
    Configuration conf = new Configuration(cluster.ours().getConf());
    FileContext context = FileContext.getFileContext(cluster.mini().getURI(), conf);
    assertThat(shown(only(context.listLocatedStatus(file)))).isEqualTo(expected);
    assertThat(shown(context.getFileBlockLocations(file, 0, data.length))).isEqualTo(expected);
  }

  @Test
  void locationsOfLostBlocksAreThoseOfTheGroup() throws Exception {
    DatanodeInfo node = StripedCluster.location(cluster.groups(file).get(1), 0);
    cluster.mini().stopDataNode(node.getXferAddr());
    cluster.mini().setDataNodeDead(node);
    cluster.awaitReports(file, K + M - 1);
    locationsAreThoseOfTheInternalBlocks();
  }

  @Test
  void readsAreRightAndBoundedWithUnitsLost() throws Exception {
    check(false);
    LocatedStripedBlock group = cluster.groups(file).get(0);
    cluster.blockFile(group, 1).delete();
    check(true);
  }

  /**
   * Reads the file sequentially and by position; a lost range must cost at most k times its size.
   */
  private static void check(boolean isLost) throws IOException {
    byte[] read = new byte[data.length];
    try (FSDataInputStream in = cluster.ours().open(file)) {
      long most = 0;
      for (int at = 0; at < read.length; ) {
        at += in.read(read, at, Math.min(1 << 20, read.length - at));
        most = Math.max(most, ReadContext.usedBufferBytes());
      }
      assertThat(read).isEqualTo(data);
      assertThat(in.read()).isEqualTo(-1);
      // The window and one range, each with its k sources if it must be decoded.
      long window = ClientKeys.READ_WINDOW_DEFAULT + (1 << 20);
      assertThat(most).as("bytes of buffers").isLessThanOrEqualTo((K + 1) * window);
    }
    int from = CELL + 5_000_000;
    byte[] part = new byte[3 << 20];
    try (FSDataInputStream in = cluster.ours().open(file)) {
      in.readFully(from, part);
      assertThat(part).isEqualTo(Arrays.copyOfRange(data, from, from + part.length));
      long fetched =
          ((IOStatisticsSource) in.getWrappedStream())
              .getIOStatistics()
              .counters()
              .get(ReadCount.BYTES_FETCHED.statisticName());
      // Another test has stopped a DataNode, which may be the one of the cell read here.
      boolean isThere = StripedCluster.location(cluster.groups(file).get(0), 1) != null;
      int factor = isThere && !isLost ? 1 : K;
      // Each of the up to four ranges of the read is rounded to whole chunks.
      long most = (long) factor * (part.length + 4 * 2 * 512);
      assertThat(fetched).isBetween((long) part.length, most);
    }
  }

  private static BlockLocation[] only(RemoteIterator<LocatedFileStatus> statuses)
      throws IOException {
    BlockLocation[] locations = statuses.next().getBlockLocations();
    assertThat(statuses.hasNext()).isFalse();
    return locations;
  }

  private static List<String> shown(BlockLocation[] locations) {
    return Stream.of(locations).map(WideCellTest::shown).toList();
  }

  private static String shown(BlockLocation location) {
    try {
      String nodes = String.join(",", location.getNames());
      return location.getOffset() + "+" + location.getLength() + "@" + nodes;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
