// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.testkit.Conditions;

/**
 * Tests sequential readers that pause while their readers of internal blocks are open to the end of
 * the block group, so that DataNodes wait to send the rest.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("full")
class PausedReadersTest {
  private static final int NODES = 5;
  private static final int CELL = 64 << 10;

  /** After this many bytes, readers are open to the end of the group. */
  private static final int LONG_RUN = 10 << 20;

  private static final byte[] DATA = StripedCluster.bytes(100 << 20, 3);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path folder;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 30 << 20);
    conf.setInt("dfs.datanode.socket.write.timeout", 500);
    conf.setInt("dfs.client.retry.window.base", 1);
    // Only reads that fail should be decoded.
    conf.setBoolean(ClientKeys.HEDGE_ENABLED, false);
    cluster = new StripedCluster(dir, NODES, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    folder = cluster.directory("/ec", policy);
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
  }

  private static org.apache.hadoop.fs.Path write(String name) throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, name);
    StripedCluster.write(cluster.stock(), file, DATA);
    return file;
  }

  private static void read(FSDataInputStream in, int from, int to) throws IOException {
    byte[] bytes = new byte[to - from];
    in.readFully(bytes);
    assertThat(Arrays.equals(bytes, Arrays.copyOfRange(DATA, from, to)))
        .as("bytes from %d to %d", from, to)
        .isTrue();
  }

  /** Returns the number of connections of all DataNodes; each has a thread that accepts them. */
  private static int connections() {
    return cluster.mini().getDataNodes().stream().mapToInt(DataNode::getXceiverCount).sum() - NODES;
  }

  @Test
  void dataNodesThatGaveUpSendingAreReadAgain() throws Exception {
    org.apache.hadoop.fs.Path file = write("paused");
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      Conditions.await("DataNodes to close the connections", () -> connections() == 0);
      long degraded = ReadContext.counters().get(ReadCount.DEGRADED_SEGMENTS);
      read(in, LONG_RUN, DATA.length);
      assertThat(ReadContext.counters().get(ReadCount.DEGRADED_SEGMENTS)).isEqualTo(degraded);
    }
  }

  @Test
  void dataNodesThatRestartDuringAPauseAreReadAgain() throws Exception {
    org.apache.hadoop.fs.Path file = write("restarted");
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      assertThat(cluster.mini().restartDataNodes(true)).isTrue();
      cluster.mini().waitActive();
      read(in, LONG_RUN, DATA.length);
    }
  }

  /** Hadoop's client fails here if the pause is longer than the DataNodes' timeout. */
  @Test
  void aFileThatTakesThePlaceDuringAPauseIsNotRead() throws Exception {
    org.apache.hadoop.fs.Path file = write("replaced");
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      cluster.stock().rename(file, new org.apache.hadoop.fs.Path(folder, "renamed"));
      StripedCluster.write(cluster.stock(), file, StripedCluster.bytes(DATA.length, 4));
      read(in, LONG_RUN, DATA.length);
    }
  }
}
