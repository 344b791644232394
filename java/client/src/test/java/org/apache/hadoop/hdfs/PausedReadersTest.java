// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
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
  /** One more than a group has internal blocks, so that lost ones can be rebuilt. */
  private static final int NODES = 6;

  private static final int CELL = 64 << 10;

  /** After this many bytes, readers are open to the end of the group. */
  private static final int LONG_RUN = 20 << 20;

  private static final byte[] DATA = StripedCluster.bytes(100 << 20, 3);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path folder;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 30 << 20);
    conf.setInt("dfs.datanode.socket.write.timeout", 2_000);
    // DataNodes that have sent everything wait as long for the client's status.
    conf.setInt("dfs.client.socket-timeout", 20_000);
    // Our client closes no idle reader before the DataNodes do.
    conf.setInt("dfs.client.socketcache.expiryMsec", 3_600_000);
    conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 5);
    conf.setInt("dfs.namenode.replication.max-streams", 4);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 4);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
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
    StripedCluster.checkNext(in, DATA, from, to);
  }

  /** Returns the number of connections of clients that DataNodes serve. */
  private static long connections() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("DataXceiver for client DFSClient_"))
        .count();
  }

  /** The internal blocks are larger than what the kernel buffers of a connection. */
  @Test
  void dataNodesThatGaveUpSendingAreReadAgain() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, "paused");
    int length = 2 * DATA.length;
    try (FSDataOutputStream out = cluster.stock().create(file, true, 4096, (short) 1, 80L << 20)) {
      out.write(DATA);
      out.write(DATA);
    }
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      Conditions.await("DataNodes to close the connections", () -> connections() == 0);
      long degraded = ReadContext.counters().get(ReadCount.DEGRADED_SEGMENTS);
      read(in, LONG_RUN, length);
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

  @Test
  void internalBlocksThatWereRebuiltDuringAPauseAreRead() throws Exception {
    for (FileStatus other : cluster.stock().listStatus(folder)) {
      cluster.stock().delete(other.getPath(), false);
    }
    org.apache.hadoop.fs.Path file = write("rebuilt");
    cluster.awaitReports(file, 5);
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      LocatedStripedBlock group = cluster.groups(file).get(0);
      String lost = StripedCluster.location(group, 0).getXferAddr();
      MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(lost);
      cluster.mini().setDataNodeDead(stopped.getDatanode().getDatanodeId());
      Conditions.await(
          "the NameNode to have unit 0 rebuilt",
          () -> {
            DatanodeInfo now = StripedCluster.location(cluster.groups(file).get(0), 0);
            return now != null && !now.getXferAddr().equals(lost);
          });
      read(in, LONG_RUN, DATA.length);
    }
  }

  @Test
  void aFileThatIsAppendedToDuringAPauseIsReadToTheEndItHad() throws Exception {
    org.apache.hadoop.fs.Path file = write("appended");
    byte[] more = StripedCluster.bytes(1 << 20, 5);
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      try (FSDataOutputStream out =
          cluster
              .stock()
              .append(file, EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK), 1 << 16, null)) {
        out.write(more);
      }
      read(in, LONG_RUN, DATA.length);
      assertThat(in.read()).isEqualTo(-1);
    }
    try (FSDataInputStream in = cluster.ours().open(file)) {
      in.seek(DATA.length);
      byte[] end = new byte[more.length];
      in.readFully(end);
      assertThat(end).isEqualTo(more);
    }
  }

  /** A snapshot keeps the bytes of a file that is deleted. */
  @Test
  void aFileInASnapshotThatIsDeletedDuringAPauseIsRead() throws Exception {
    org.apache.hadoop.fs.Path file = write("deleted");
    cluster.stock().allowSnapshot(folder);
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      cluster.stock().createSnapshot(folder, "kept");
      cluster.stock().delete(file, false);
      read(in, LONG_RUN, DATA.length);
    } finally {
      cluster.stock().deleteSnapshot(folder, "kept");
      cluster.stock().disallowSnapshot(folder);
    }
  }

  /** The blocks are removed; what is read until then is right, and the end is an error. */
  @Test
  void aFileThatIsDeletedDuringAPauseEndsWithAnError() throws Exception {
    org.apache.hadoop.fs.Path file = write("gone");
    cluster.awaitReports(file, 5);
    LocatedStripedBlock group = cluster.groups(file).get(0);
    File[] blocks = new File[5];
    for (int unit = 0; unit < blocks.length; unit++) {
      blocks[unit] = cluster.blockFile(group, unit);
    }
    try (FSDataInputStream in = cluster.ours().open(file)) {
      read(in, 0, LONG_RUN);
      cluster.stock().delete(file, false);
      Conditions.await(
          "DataNodes to remove the blocks", () -> Arrays.stream(blocks).noneMatch(File::exists));
      assertThatThrownBy(() -> read(in, LONG_RUN, DATA.length))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("gone");
    }
  }
}
