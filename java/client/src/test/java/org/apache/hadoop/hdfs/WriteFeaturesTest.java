// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoOutputStream;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.StripelineHdfs;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.CapturedLog;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.write.WriteStatistics;

/** Tests further features of files that are written: append, encryption, favored nodes, flush. */
@Tag("full")
class WriteFeaturesTest {
  private static final String OURS = "functional-partitioned";
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;
  private static final int STRIPE = K * CELL;

  @TempDir private Path temporary;
  private WriteCluster cluster;
  private org.apache.hadoop.fs.Path dir;

  private void start(Consumer<Configuration> more) throws IOException {
    cluster = new WriteCluster(temporary, 7, 4 * CELL, more);
    dir = cluster.directory("rs", K, M, CELL);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @CsvSource({OURS + ", " + OURS, OURS + ", stock", "stock, " + OURS, "stock, blocking"})
  void appendsBlockGroups(String first, String second) throws IOException {
    start(any -> {});
    int[] sizes = {100, STRIPE, 5 * STRIPE + 777, 0, 1};
    byte[] data = WriteCluster.bytes(1, Arrays.stream(sizes).sum());
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    int done = 0;
    for (int i = 0; i < sizes.length; i++) {
      DistributedFileSystem fs = cluster.open(i % 2 == 0 ? first : second);
      try (FSDataOutputStream out =
          i == 0
              ? fs.create(file)
              : fs.append(file, EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK), 4096, null)) {
        assertThat(out.getPos()).isEqualTo(done);
        out.write(data, done, sizes[i]);
      }
      done += sizes[i];
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @Test
  void refusesToAppendToAGroupAsHadoopDoes() throws IOException {
    start(any -> {});
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    DistributedFileSystem fs = cluster.open(OURS);
    fs.create(file).close();
    assertThatThrownBy(() -> fs.append(file).close()).hasMessageContaining("NEW_BLOCK");
  }

  @Test
  void encryptsDataTransfer() throws IOException {
    start(
        conf -> {
          conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
          conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        });
    byte[] data = WriteCluster.bytes(2, 6 * STRIPE + 5);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    try (FSDataOutputStream out = cluster.open(OURS).create(file)) {
      out.write(data);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @Test
  void encryptsFilesOfAnEncryptionZone() throws Exception {
    start(WriteCluster.keys(temporary));
    cluster.zone(dir);
    byte[] data = WriteCluster.bytes(3, 4 * STRIPE + 5);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    try (FSDataOutputStream out = cluster.open(OURS).create(file)) {
      assertThat(out.getWrappedStream()).isInstanceOf(CryptoOutputStream.class);
      out.write(data);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @Test
  void fileContextUsesTheSameStream() throws Exception {
    start(any -> {});
    Configuration conf = new Configuration(cluster.conf());
    conf.set("fs.AbstractFileSystem.hdfs.impl", StripelineHdfs.class.getName());
    FileContext context = FileContext.getFileContext(cluster.cluster.getURI(0), conf);
    byte[] data = WriteCluster.bytes(4, STRIPE + 5);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    try (FSDataOutputStream out =
        context.create(file, EnumSet.of(CreateFlag.CREATE), CreateOpts.createParent())) {
      assertThat(out.getWrappedStream()).isInstanceOf(StripelineOutputStream.class);
      out.write(data);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @Test
  void honoursFavoredNodesAndReportsProgress() throws Exception {
    start(any -> {});
    InetSocketAddress[] favored = new InetSocketAddress[K + M];
    for (int i = 0; i < favored.length; i++) {
      DataNode node = cluster.cluster.getDataNodes().get(i);
      favored[i] = node.getXferAddress();
    }
    DistributedFileSystem fs = cluster.open(OURS);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    AtomicInteger calls = new AtomicInteger();
    try (HdfsDataOutputStream out =
        fs.create(
            file,
            org.apache.hadoop.fs.permission.FsPermission.getFileDefault(),
            true,
            4096,
            (short) 1,
            4 * CELL,
            calls::incrementAndGet,
            favored)) {
      out.setDropBehind(true);
      out.write(new byte[STRIPE]);
    }
    assertThat(calls).hasPositiveValue();
    LocatedBlock group =
        cluster.cluster.getFileSystem().getClient().getLocatedBlocks(dir + "/f", 0).get(0);
    assertThat(group.getLocations())
        .extracting(node -> node.getXferPort())
        .isSubsetOf(Arrays.stream(favored).map(InetSocketAddress::getPort).toArray(Integer[]::new));
  }

  @Test
  void flushingWarnsOrIsRefused() throws Exception {
    start(any -> {});
    DistributedFileSystem warning = cluster.notDurable(OURS);
    try (CapturedLog log = new CapturedLog(StripelineOutputStream.class)) {
      for (int file = 0; file < 3; file++) {
        try (FSDataOutputStream out =
            warning.create(new org.apache.hadoop.fs.Path(dir, "warns" + file))) {
          assertThat(out.hasCapability(StreamCapabilities.HSYNC)).isFalse();
          assertThat(out.hasCapability(StreamCapabilities.HFLUSH)).isFalse();
          assertThatCode(out::hflush).doesNotThrowAnyException();
          assertThatCode(out::hsync).doesNotThrowAnyException();
        }
      }
      assertThat(log.text()).containsOnlyOnce("Cannot h").contains("/warns0: an erasure-coded");
    }
    DistributedFileSystem refusing =
        cluster.open(OURS, conf -> conf.set(ClientKeys.WRITE_SYNC, "refuse"));
    try (FSDataOutputStream out = refusing.create(new org.apache.hadoop.fs.Path(dir, "refuses"))) {
      assertThatThrownBy(out::hflush)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining(ClientKeys.WRITE_SYNC);
      assertThatThrownBy(out::hsync).isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {OURS, "blocking"})
  void countsWhatItDoes(String mode) throws Exception {
    start(any -> {});
    WriteStatistics statistics = WriteStatistics.shared();
    long stripes = statistics.stripes();
    long bytes = statistics.bytes();
    long streams = statistics.streamsOpened();
    try (FSDataOutputStream out =
        cluster.open(mode).create(new org.apache.hadoop.fs.Path(dir, "f"))) {
      out.write(new byte[2 * STRIPE + 1]);
    }
    assertThat(statistics.stripes() - stripes).isEqualTo(3);
    assertThat(statistics.bytes() - bytes).isEqualTo(2 * STRIPE + 1);
    assertThat(statistics.streamsOpened() - streams).isEqualTo(1);
    assertThat(statistics.meanOccupancy()).isPositive();
  }

  @Test
  void theClassOfTheClientHasTheMethodThatHbaseLooksFor() throws Exception {
    start(any -> {});
    DFSClient client = cluster.open(OURS).getClient();
    Method metrics = client.getClass().getDeclaredMethod("getHedgedReadMetrics");
    assertThat(metrics.invoke(client)).isSameAs(client.getHedgedReadMetrics());
  }

  @Test
  void blocksEndAtTheirLastWholeCell() throws Exception {
    start(any -> {});
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    byte[] data = WriteCluster.bytes(5, 2 * STRIPE + 1);
    try (FSDataOutputStream out =
        cluster.open(OURS).create(file, true, 4096, (short) 1, CELL + 512)) {
      out.write(data);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    assertThat(cluster.cluster.getFileSystem().getFileBlockLocations(file, 0, data.length))
        .extracting(group -> group.getLength())
        .containsExactly((long) STRIPE, (long) STRIPE, 1L);
  }
}
