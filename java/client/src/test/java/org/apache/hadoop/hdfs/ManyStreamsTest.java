// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.when;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TappedDataset;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.fuzz.BlockTaps;
import org.stripeline.client.read.UnitReader;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.testkit.Conditions;

/**
 * Keeps many streams open for a long time, while DataNodes hang, stop and come back. {@code
 * -Dstripeline.test.streams=100 -Dstripeline.test.seconds=20} selects the long run, which compares
 * the minimum throughput of any second.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("full")
class ManyStreamsTest {
  private static final int STREAMS = Integer.getInteger("stripeline.test.streams", 20);
  private static final int SECONDS = Integer.getInteger("stripeline.test.seconds", 3);
  private static final int CELL = 256 << 10;
  private static final int STRIPE = 6 * CELL;
  private static final int BUFFER = 64 << 10;
  private static final byte[] DATA = StripedCluster.bytes(8 * STRIPE + 4_321, 3);
  private static final BlockTaps TAPS = BlockTaps.named("many streams");

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path folder;
  private static int xceiversAtRest;

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 16 * CELL);
    conf.setInt("dfs.client.retry.window.base", 1);
    conf.setInt("dfs.client.socketcache.expiryMsec", 500);
    conf.set(ClientKeys.SUSPECT_PERIOD, "2s");
    conf.set(BlockTaps.KEY, "many streams");
    conf.set("dfs.datanode.fsdataset.factory", TappedDataset.Factory.class.getName());
    cluster = new StripedCluster(dir, 9, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 6, 3), CELL);
    folder = cluster.directory("/ec", policy);
    xceiversAtRest = xceivers();
  }

  @AfterAll
  static void stop() throws Exception {
    TAPS.clear();
    if (cluster != null) {
      cluster.close();
    }
  }

  private static org.apache.hadoop.fs.Path write(String name) throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, name);
    StripedCluster.write(cluster.ours(), file, DATA);
    cluster.awaitReports(file, 9);
    return file;
  }

  private static long count(FSDataInputStream in, ReadCount what) {
    return in.getIOStatistics().counters().get(what.statisticName());
  }

  private static void check(FSDataInputStream in, long from, byte[] into) throws IOException {
    in.readFully(from, into);
    assertThat(Arrays.equals(into, Arrays.copyOfRange(DATA, (int) from, (int) from + into.length)))
        .as("bytes from %d on", from)
        .isTrue();
  }

  /** Streams read files sequentially and concurrently while one of nine DataNodes hangs. */
  @Test
  void noSecondIsLostToAHungDataNode() throws Exception {
    List<org.apache.hadoop.fs.Path> files = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      files.add(write("sequential" + i));
    }
    AtomicLong bytes = new AtomicLong();
    AtomicBoolean isOver = new AtomicBoolean();
    List<FutureTask<Void>> streams = new ArrayList<>();
    TAPS.watch();
    for (int i = 0; i < STREAMS; i++) {
      org.apache.hadoop.fs.Path file = files.get(i % files.size());
      streams.add(
          new FutureTask<>(
              () -> {
                goThrough(file, bytes, isOver);
                return null;
              }));
      new Thread(streams.get(i), "stream-" + i).start();
    }

    second(bytes);
    List<Long> healthy = seconds(bytes);
    TAPS.hangNode(cluster.mini().getDataNodes().get(4).getDatanodeUuid());
    List<Long> hung = seconds(bytes);
    isOver.set(true);
    for (FutureTask<Void> stream : streams) {
      stream.get();
    }
    TAPS.clear();

    System.out.println("MiB in each second before " + healthy + " and after " + hung);
    healthy.sort(null);
    // With few streams on a busy machine, the throughput varies more.
    int divisor = STREAMS < 100 ? 10 : 2;
    assertThat(hung.stream().min(Long::compare).get())
        .isGreaterThanOrEqualTo(healthy.get(healthy.size() / 2) / divisor);
  }

  private static List<Long> seconds(AtomicLong bytes) {
    List<Long> each = new ArrayList<>();
    for (int i = 0; i < SECONDS; i++) {
      each.add(second(bytes));
    }
    return each;
  }

  private static long second(AtomicLong bytes) {
    long before = bytes.get();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    for (long left; (left = end - System.nanoTime()) > 0; ) {
      LockSupport.parkNanos(left);
    }
    return bytes.get() - before >> 20;
  }

  private static void goThrough(
      org.apache.hadoop.fs.Path file, AtomicLong bytes, AtomicBoolean isOver) throws IOException {
    byte[] buffer = new byte[BUFFER];
    while (!isOver.get()) {
      try (FSDataInputStream in = cluster.ours().open(file)) {
        for (int at = 0; at < DATA.length && !isOver.get(); ) {
          int length = in.read(buffer, 0, Math.min(buffer.length, DATA.length - at));
          if (!Arrays.equals(buffer, 0, length, DATA, at, at + length)) {
            throw new IOException("wrong bytes at " + at);
          }
          at += length;
          bytes.addAndGet(length);
        }
      }
    }
  }

  @Test
  void idleStreamsHoldNoThreadOfADataNode() throws Exception {
    org.apache.hadoop.fs.Path file = write("idle");
    Conditions.await("connections to end", () -> xceivers() == xceiversAtRest);
    for (DistributedFileSystem client : List.of(cluster.stock(), cluster.ours())) {
      List<FSDataInputStream> idle = new ArrayList<>();
      byte[] read = new byte[40_000];
      for (int i = 0; i < 2 * STREAMS; i++) {
        FSDataInputStream in = client.open(file);
        for (int pread = 0; pread < 7; pread++) {
          check(in, i * 1_000 + pread * read.length, read);
        }
        idle.add(in);
      }
      Conditions.await("connections of idle streams to end", () -> xceivers() == xceiversAtRest);
      check(idle.get(3), STRIPE, read);
      for (FSDataInputStream in : idle) {
        in.close();
      }
    }
  }

  /** Returns the threads of all DataNodes that serve clients or listen. */
  private static int xceivers() {
    return cluster.mini().getDataNodes().stream().mapToInt(DataNode::getXceiverCount).sum();
  }

  @Test
  void aRestartedDataNodeServesOpenStreams() throws Exception {
    org.apache.hadoop.fs.Path file = write("back");
    DatanodeInfo node = StripedCluster.location(cluster.groups(file).get(0), 2);
    byte[] read = new byte[CELL];
    for (boolean isDropped : new boolean[] {false, true}) {
      try (FSDataInputStream in = cluster.ours().open(file)) {
        check(in, 2 * CELL, read);
        // A slow machine may have decoded a late cell.
        long before = count(in, ReadCount.BYTES_DECODED);

        MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(node.getXferAddr());
        if (isDropped) {
          cluster.mini().setDataNodeDead(node);
          Conditions.await(
              "the NameNode to drop the blocks",
              () -> StripedCluster.location(cluster.groups(file).get(0), 2) == null);
        }
        check(in, 2 * CELL, read);
        assertThat(count(in, ReadCount.BYTES_DECODED)).isGreaterThan(before);

        cluster.mini().restartDataNode(stopped, true);
        cluster.mini().waitActive();
        cluster.awaitReports(file, 9);
        Conditions.await(
            "reads without decoding",
            () -> {
              long decoded = count(in, ReadCount.BYTES_DECODED);
              check(in, 2 * CELL, read);
              return count(in, ReadCount.BYTES_DECODED) == decoded;
            });
      }
    }
  }

  /** Each silent connection that is tried costs a whole socket timeout. */
  @Test
  void onlyOneOfSeveralSilentCachedConnectionsIsTried() throws Exception {
    org.apache.hadoop.fs.Path file = write("silent");
    LocatedStripedBlock group = cluster.groups(file).get(0);
    DatanodeInfo node = StripedCluster.location(group, 2);
    Configuration conf = new Configuration(cluster.ours().getConf());
    conf.set("dfs.client.context", "silent");
    conf.setInt("dfs.client.socketcache.expiryMsec", 60_000);
    try (DistributedFileSystem fs = cluster.client(StripelineFileSystem.class, conf)) {
      List<Peer> silent = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        silent.add(silentPeer());
        fs.getClient().getClientContext().getPeerCache().put(node, silent.get(i));
      }
      try (FSDataInputStream in = fs.open(file)) {
        check(in, 2 * CELL, new byte[CELL]);
        assertThat(count(in, ReadCount.BYTES_DECODED)).isEqualTo(CELL);
      }
      long tried = 0;
      for (Peer peer : silent) {
        tried +=
            mockingDetails(peer).getInvocations().stream()
                .filter(call -> call.getMethod().getName().equals("getInputStream"))
                .count();
      }
      assertThat(tried).isEqualTo(1);
    }
  }

  private static Peer silentPeer() throws IOException {
    Peer peer = mock(Peer.class);
    when(peer.getInputStreamChannel()).thenReturn(mock(ReadableByteChannel.class));
    when(peer.getOutputStream()).thenReturn(new ByteArrayOutputStream());
    when(peer.getInputStream())
        .thenReturn(
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new SocketTimeoutException("60000 millis timeout");
              }
            });
    return peer;
  }

  @Test
  void theDisksOfInternalBlocksAreKnown() throws Exception {
    org.apache.hadoop.fs.Path file = write("disks");
    LocatedStripedBlock located = cluster.groups(file).get(0);
    try (FSDataInputStream in = cluster.ours().open(file)) {
      StripelineBlockGroup group =
          new StripelineBlockGroup(
              (StripelineInputStream) in.getWrappedStream(),
              cluster.ours().getErasureCodingPolicy(file),
              located);
      for (int i = 0; i < 9; i++) {
        assertThat(group.storage(located.getBlockIndices()[i]))
            .isNotNull()
            .isEqualTo(located.getStorageIDs()[i]);
      }
    }
  }

  /** The readers ask the NameNode for blocks that are no longer on their DataNodes. */
  @Test
  void aHungNameNodeBlocksNoReadAndNoThread() throws Exception {
    org.apache.hadoop.fs.Path file = write("moved");
    LocatedStripedBlock group = cluster.groups(file).get(0);
    for (int unit = 1; unit < 4; unit++) {
      assertThat(cluster.metaFile(group, unit).delete()).isTrue();
      assertThat(cluster.blockFile(group, unit).delete()).isTrue();
    }
    try (DistributedFileSystem fs = client(new Configuration(false));
        HungNameNode nameNode = new HungNameNode(fs);
        FSDataInputStream in = fs.open(file)) {
      nameNode.hang();
      List<FutureTask<Void>> reads = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        reads.add(read(in, i * CELL));
      }
      for (FutureTask<Void> read : reads) {
        read.get();
      }
      assertThat(nameNode.calls()).isPositive();
      // One read of each DataNode may continue, to find out whether the DataNode hangs.
      Conditions.await("threads to leave", () -> nameNode.waiting() <= 3);
    }
  }

  /**
   * An interrupt of a request could fail those of other threads, which use the same connection. Two
   * threads wait for one request, of which the one that began it is given up.
   */
  @Test
  void aThreadThatIsGivenUpInterruptsNoRequestToTheNameNode() throws Exception {
    org.apache.hadoop.fs.Path file = write("given-up");
    LocatedStripedBlock located = cluster.groups(file).get(0);
    assertThat(cluster.metaFile(located, 1).delete()).isTrue();
    assertThat(cluster.blockFile(located, 1).delete()).isTrue();
    try (DistributedFileSystem fs = client(new Configuration(false));
        HungNameNode nameNode = new HungNameNode(fs);
        FSDataInputStream in = fs.open(file)) {
      StripelineBlockGroup group =
          new StripelineBlockGroup(
              (StripelineInputStream) in.getWrappedStream(),
              fs.getErasureCodingPolicy(file),
              located);
      nameNode.hang();
      FutureTask<UnitReader> givenUp = new FutureTask<>(() -> group.open(1, 0, CELL));
      Thread thread = new Thread(givenUp, "given up");
      thread.start();
      Conditions.await("the request", () -> nameNode.calls() == 1);
      FutureTask<UnitReader> waiting = new FutureTask<>(() -> group.open(1, 0, CELL));
      Thread other = new Thread(waiting, "waiting");
      other.start();
      Conditions.await("another thread to wait", () -> other.getState() == Thread.State.WAITING);
      thread.interrupt();
      assertThatThrownBy(givenUp::get).hasCauseInstanceOf(InterruptedIOException.class);
      nameNode.close();
      assertThatThrownBy(waiting::get)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining(StripedCluster.location(located, 1).getXferAddr());
      assertThat(nameNode.calls()).isEqualTo(1);
      assertThat(nameNode.interrupts()).isZero();
    }
  }

  /** One thread waits for locations while another thread reads known units of the same stream. */
  @Test
  void aHungNameNodeBlocksNoReadOfKnownBlocks() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, "known");
    try (FSDataOutputStream out = cluster.ours().create(file, true, 4096, (short) 1, 2 * CELL)) {
      out.write(DATA, 0, 8 * STRIPE);
    }
    cluster.awaitReports(file, 9);
    Configuration conf = new Configuration(false);
    conf.setLong("dfs.client.read.prefetch.size", 1);
    CountDownLatch hanging = new CountDownLatch(1);
    TAPS.watch();
    TAPS.set(
        cluster.groups(file).get(0).getBlock().getBlockId(),
        (position, length) -> {
          hanging.countDown();
          TAPS.hang();
        });
    try (DistributedFileSystem fs = client(conf);
        HungNameNode nameNode = new HungNameNode(fs);
        FSDataInputStream in = fs.open(file)) {
      FutureTask<Void> known = read(in, 0);
      hanging.await();
      nameNode.hang();
      FutureTask<Void> unknown = read(in, 6 * STRIPE);
      known.get();
      nameNode.close();
      unknown.get();
    } finally {
      TAPS.clear();
    }
  }

  private static DistributedFileSystem client(Configuration more) throws IOException {
    Configuration conf = new Configuration(cluster.ours().getConf());
    more.forEach(entry -> conf.set(entry.getKey(), entry.getValue()));
    return cluster.client(StripelineFileSystem.class, conf);
  }

  private static FutureTask<Void> read(FSDataInputStream in, long from) {
    FutureTask<Void> read =
        new FutureTask<>(
            () -> {
              check(in, from, new byte[STRIPE]);
              return null;
            });
    new Thread(read, "stream").start();
    return read;
  }

  /** A decode from units of both files would produce bytes of neither. */
  @Test
  void aFileThatReplacedAnotherIsNotMixedWithIt() throws Exception {
    org.apache.hadoop.fs.Path file = write("replaced");
    try (FSDataInputStream in = cluster.ours().open(file)) {
      byte[] read = new byte[STRIPE];
      check(in, STRIPE, read);
      LocatedStripedBlock group = cluster.groups(file).get(0);
      List<File> old = new ArrayList<>();
      for (int unit = 0; unit < 9; unit++) {
        old.add(cluster.blockFile(group, unit));
      }
      DataNode first = cluster.dataNode(StripedCluster.location(group, 0));
      for (DataNode node : cluster.mini().getDataNodes()) {
        DataNodeTestUtils.setHeartbeatsDisabledForTests(node, node != first);
      }
      StripedCluster.write(cluster.ours(), file, StripedCluster.bytes(DATA.length, 4));
      cluster.awaitReports(file, 9);
      DataNodeTestUtils.triggerHeartbeat(first);
      Conditions.await("the first old block to go", () -> !old.get(0).exists());
      check(in, STRIPE, read);

      for (DataNode node : cluster.mini().getDataNodes()) {
        DataNodeTestUtils.setHeartbeatsDisabledForTests(node, false);
      }
      cluster.mini().triggerHeartbeats();
      Conditions.await("old blocks to go", () -> old.stream().noneMatch(File::exists));
      assertThatThrownBy(() -> in.readFully(STRIPE, read))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file.toUri().getPath());
    }
  }
}
