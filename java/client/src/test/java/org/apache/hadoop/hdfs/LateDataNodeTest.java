// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.client.CapturedLog;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.write.CellPool;
import org.stripeline.client.write.SharedPool;
import org.stripeline.client.write.WriteResources;
import org.stripeline.client.write.WriteStatistics;
import org.stripeline.testkit.Conditions;

/**
 * Writes to DataNodes that hang and keep their connections open. They hang until the test releases
 * them, and Hadoop waits for longer than a test may run; a test that ends has therefore continued
 * without them.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LateDataNodeTest {
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;
  private static final int STRIPE = K * CELL;
  private static final int GROUP = 4 * STRIPE;
  private static final int LIMIT_MILLIS = 1500;
  private static final String OURS = "functional-partitioned";

  @RegisterExtension
  private static final WriteCluster.Shared CLUSTER =
      new WriteCluster.Shared(
          8,
          GROUP / K,
          conf -> {
            conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
            conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 1);
            conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_TIMEOUT_KEY, 120_000);
            conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 50);
            conf.setLong(ClientKeys.WRITE_WINDOW, 1);
            conf.setLong(ClientKeys.WRITE_SLOW, LIMIT_MILLIS);
          });

  private WriteCluster cluster;
  private org.apache.hadoop.fs.Path file;
  private CellPool pool;
  private HungBlocks hung;
  private long given;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @BeforeEach
  void start() throws IOException {
    cluster = CLUSTER.get();
    file = new org.apache.hadoop.fs.Path(cluster.directory("rs", K, M, CELL), "f");
    pool = WriteResources.shared(cluster.conf()).pool();
    hung = new HungBlocks();
    given = WriteStatistics.shared().lateDataNodes();
  }

  @AfterEach
  void stop() throws IOException {
    hung.close();
    threads.shutdownNow();
    CLUSTER.giveBack();
    Conditions.await("all buffers to be back", () -> pool.taken() == 0);
  }

  @ParameterizedTest
  @Tag("full")
  @CsvSource({
    "functional-partitioned, 0",
    "functional-partitioned, 2",
    "functional-partitioned, 4",
    "non-blocking, 1",
    "blocking, 3"
  })
  void aWriteGoesOnWithoutOneThatHangs(String mode, int unit) throws Exception {
    byte[] data = WriteCluster.bytes(unit, 3 * GROUP + STRIPE + CELL + 5);
    DatanodeInfo node;
    try (FSDataOutputStream out = cluster.open(mode).create(file)) {
      out.write(data, 0, STRIPE);
      Conditions.await("a stripe to arrive", () -> acknowledged(stream(out), CELL));
      node = stream(out).getStripedDataStreamer(unit).getNodes()[0];
      silence(stream(out), unit);
      out.write(data, STRIPE, data.length - STRIPE);
    }
    assertThat(hung.isMet()).isTrue();
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    List<LocatedBlock> groups = groups();
    for (LocatedBlock group : groups.subList(1, groups.size())) {
      assertThat(group.getLocations())
          .extracting(DatanodeInfo::getDatanodeUuid)
          .doesNotContain(node.getDatanodeUuid());
    }
    isRebuilt(data);
  }

  @Test
  @Tag("full")
  void aWriteContinuesWithoutAsManyDataNodesAsThereIsParity() throws Exception {
    byte[] data = WriteCluster.bytes(11, 2 * GROUP + 1);
    try (FSDataOutputStream out = cluster.open(OURS).create(file)) {
      out.write(data, 0, STRIPE);
      silence(stream(out), 1);
      silence(stream(out), 4);
      out.write(data, STRIPE, data.length - STRIPE);
    }
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + M);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  @Test
  @Tag("full")
  void aWriteWaitsForMoreThanThereIsParity() throws Exception {
    byte[] data = WriteCluster.bytes(12, 2 * GROUP + 1);
    try (FSDataOutputStream out = cluster.open(OURS).create(file)) {
      out.write(data, 0, STRIPE);
      for (int unit = 0; unit <= M; unit++) {
        silence(stream(out), unit);
      }
      Future<?> rest =
          threads.submit(
              () -> {
                out.write(data, STRIPE, data.length - STRIPE);
                return null;
              });
      for (int unit = 0; unit <= M; unit++) {
        awaitWait(stream(out), unit, 2 * LIMIT_MILLIS);
      }
      assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given);
      for (int unit = 0; unit < K + M; unit++) {
        assertThat(stream(out).getStripedDataStreamer(unit).isHealthy()).isTrue();
      }
      hung.release();
      rest.get();
    }
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @Test
  @Tag("full")
  void aWriteThatLosesOneMoreThanParityNamesAll() throws Exception {
    byte[] data = WriteCluster.bytes(14, GROUP);
    FSDataOutputStream out = cluster.open(OURS).create(file);
    out.write(data, 0, STRIPE);
    Conditions.await("a stripe to arrive", () -> acknowledged(stream(out), CELL));
    String third = stream(out).getStripedDataStreamer(2).getNodes()[0].getXferAddr();
    silence(stream(out), 0);
    silence(stream(out), 1);
    out.write(data, STRIPE, STRIPE);
    Conditions.await(
        "two to be given up", () -> WriteStatistics.shared().lateDataNodes() == given + M);
    cluster.cluster.stopDataNode(third);
    assertThatThrownBy(
            () -> {
              out.write(data, 2 * STRIPE, data.length - 2 * STRIPE);
              out.close();
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has not acknowledged data of internal block 0")
        .hasMessageContaining("has not acknowledged data of internal block 1")
        .hasMessageContaining(third);
  }

  /** The checks run in virtual time, which does not pass while the other DataNodes acknowledge. */
  @Test
  void aDataNodeIsGivenUpOnceItIsLateAndNotBefore() throws Exception {
    byte[] data = WriteCluster.bytes(15, GROUP);
    AtomicLong nanos = new AtomicLong();
    try (SharedPool ignored = new SharedPool(Long.MAX_VALUE, nanos::get)) {
      DistributedFileSystem fs =
          cluster.open(
              OURS, conf -> conf.setTimeDuration(ClientKeys.WRITE_SLOW, 1, TimeUnit.HOURS));
      try (FSDataOutputStream out = fs.create(file)) {
        LateStreamers late = stream(out).late();
        out.write(data, 0, STRIPE);
        Conditions.await("a stripe to arrive", () -> acknowledged(stream(out), CELL));
        StripedDataStreamer streamer = stream(out).getStripedDataStreamer(1);
        silence(stream(out), 1);
        out.write(data, STRIPE, STRIPE);
        Conditions.await(
            "all others to acknowledge",
            () -> hung.isMet() && acknowledging(stream(out), 2 * CELL) == K + M - 1);
        late.run();
        // A check counts no more than two of its periods, which are a second.
        for (int second = 0; second < 3600; second += 2) {
          nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
          late.run();
          assertThat(streamer.isHealthy()).isTrue();
        }
        assertThat(late.waitNanos(1)).isEqualTo(TimeUnit.HOURS.toNanos(1));
        nanos.addAndGet(1);
        late.run();
        assertThat(streamer.isHealthy()).isFalse();
        out.write(data, 2 * STRIPE, data.length - 2 * STRIPE);
      }
    }
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  /** The hang is encountered by close, which pads and encodes a partial stripe. */
  @ParameterizedTest
  @Tag("full")
  @CsvSource({"0, 0", "1, 4", "2, 2"})
  void closeGoesOnWithoutOneThatHangs(int stripes, int unit) throws Exception {
    byte[] data = WriteCluster.bytes(20 + unit, stripes * STRIPE + 2 * CELL + 7);
    FSDataOutputStream out = cluster.notDurable(OURS).create(file);
    out.write(data);
    silence(stream(out), unit);
    out.close();
    assertThat(hung.isMet()).isTrue();
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  /** Close must not need a buffer, because near the memory limit none may be available. */
  @Test
  @Tag("full")
  void closeAllocatesNoBuffer() throws Exception {
    byte[] data = WriteCluster.bytes(25, STRIPE - 5);
    FSDataOutputStream out = cluster.notDurable(OURS).create(file);
    out.write(data);
    silence(stream(out), 1);
    Future<?> close =
        threads.submit(
            () -> {
              out.close();
              return null;
            });
    long[] most = {0};
    Conditions.await(
        "close to go on",
        () -> {
          most[0] = Math.max(most[0], pool.taken());
          return close.isDone();
        });
    close.get();
    assertThat(hung.isMet()).isTrue();
    assertThat(most[0]).as("cells and checksums of the stripe").isEqualTo(K + M + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  /** Only the empty packet that ends the block is not acknowledged. */
  @ParameterizedTest
  @Tag("full")
  @CsvSource({"0", "3"})
  void closeGoesOnWithoutOneThatDoesNotEndItsBlock(int unit) throws Exception {
    byte[] data = WriteCluster.bytes(30 + unit, 2 * STRIPE);
    FSDataOutputStream out = cluster.open(OURS).create(file);
    out.write(data);
    Conditions.await("two stripes to arrive", () -> acknowledged(stream(out), 2 * CELL));
    silence(stream(out), unit);
    out.close();
    assertThat(hung.isMet()).isTrue();
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  /** The same case at the boundary between two groups. */
  @Test
  @Tag("full")
  void theNextGroupIsOpenedWithoutADataNodeThatDoesNotFinishItsBlock() throws Exception {
    byte[] data = WriteCluster.bytes(40, 2 * GROUP);
    try (FSDataOutputStream out = cluster.open(OURS).create(file)) {
      out.write(data, 0, GROUP - STRIPE);
      Conditions.await("stripes to arrive", () -> acknowledged(stream(out), 3 * CELL));
      silence(stream(out), 1);
      out.write(data, GROUP - STRIPE, data.length - GROUP + STRIPE);
    }
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  @Test
  @Tag("full")
  void hflushWaitsForNoDataNode() throws Exception {
    byte[] data = WriteCluster.bytes(50, GROUP);
    try (FSDataOutputStream out = cluster.notDurable(OURS).create(file)) {
      out.write(data, 0, STRIPE);
      silence(stream(out), 2);
      out.write(data, STRIPE, STRIPE);
      out.hflush();
      out.hsync();
      assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given);
      out.write(data, 2 * STRIPE, data.length - 2 * STRIPE);
      out.hflush();
    }
    assertThat(hung.isMet()).isTrue();
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  /**
   * The streamer's thread blocks in a write to a full socket, where Hadoop waits for eight minutes.
   */
  @Test
  @Tag("full")
  @EnabledIf("canStopReceiving")
  void aWriteContinuesWithoutADataNodeThatReceivesNothing() throws Exception {
    int cell = 1 << 20;
    org.apache.hadoop.fs.Path large =
        new org.apache.hadoop.fs.Path(cluster.directory("rs", K, M, cell), "f");
    byte[] data = WriteCluster.bytes(60, 12 * cell * K + 9);
    DistributedFileSystem fs =
        cluster.open(
            OURS,
            conf -> {
              conf.setInt("dfs.blocksize", 8 * cell);
              conf.setInt("dfs.client.socket.send.buffer.size", 64 << 10);
              conf.setLong(ClientKeys.WRITE_WINDOW, 64L << 20);
            });
    try (FSDataOutputStream out = fs.create(large)) {
      out.write(data, 0, cell * K);
      hung.deafen(stream(out).getBlock().getBlockId() + 1);
      out.write(data, cell * K, data.length - cell * K);
    }
    assertThat(hung.isMet()).isTrue();
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(large)).isEqualTo(data);
  }

  /** The DataNode accepts the connection and does not answer on it. */
  @Test
  void aGroupIsWrittenWithoutADataNodeThatDoesNotAnswer() throws Exception {
    byte[] data = WriteCluster.bytes(70, 2 * GROUP + 1);
    try (ServerSocket mute = new ServerSocket();
        FSDataOutputStream out = cluster.notDurable(OURS).create(file)) {
      out.write(data, 0, STRIPE / 2);
      // The group is open now; connections are made when the first stripe is full.
      assertThat(stream(out).getBlock()).isNotNull();
      DatanodeInfo node =
          stream(out).getStripedDataStreamer(3).peekFollowingBlock().getLocations()[0];
      mute.bind(new InetSocketAddress("127.0.0.99", node.getXferPort()));
      node.setIpAddr("127.0.0.99");
      out.write(data, STRIPE / 2, data.length - STRIPE / 2);
    }
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  static boolean canStopReceiving() {
    return Arrays.stream(DataNodeFaultInjector.class.getMethods())
        .anyMatch(method -> method.getName().equals("delayWriteToDisk"));
  }

  /** The streamer ends a block and does not take the next one. */
  @Test
  @Tag("full")
  void aGroupIsWrittenWithoutAStreamerThatHangsBetweenBlocks() throws Exception {
    byte[] data = WriteCluster.bytes(80, 3 * GROUP + 1);
    BetweenBlocks hangs =
        new BetweenBlocks(
            () -> {
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                // The streamer was given up.
              }
            });
    try (FSDataOutputStream out = cluster.open(OURS).create(file, hangs)) {
      out.write(data, 0, STRIPE);
      hangs.at(stream(out).getStripedDataStreamer(1));
      out.write(data, STRIPE, data.length - STRIPE);
    }
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  /** The streamer's report of the end of its block is dropped, because the streamer has failed. */
  @Test
  @Tag("full")
  void aStreamerThatFailsBetweenBlocksIsReplaced() throws Exception {
    byte[] data = WriteCluster.bytes(81, 3 * GROUP + 1);
    BetweenBlocks fails =
        new BetweenBlocks(
            () -> {
              throw new IllegalStateException("from the caller");
            });
    try (FSDataOutputStream out = cluster.notDurable(OURS).create(file, fails)) {
      out.write(data, 0, STRIPE);
      StripedDataStreamer streamer = stream(out).getStripedDataStreamer(1);
      fails.at(streamer);
      out.write(data, STRIPE, GROUP - STRIPE);
      Conditions.await("the streamer to fail", streamer::streamerClosed);
      out.write(data, GROUP, data.length - GROUP);
      for (int unit = 0; unit < K + M; unit++) {
        assertThat(stream(out).getStripedDataStreamer(unit).isHealthy()).isTrue();
      }
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  /**
   * Runs an action on a streamer's thread after the streamer has ended its block; streamers call it
   * after every packet.
   */
  private static final class BetweenBlocks implements Progressable {
    private final Runnable action;
    private volatile StripedDataStreamer streamer;

    BetweenBlocks(Runnable action) {
      this.action = action;
    }

    void at(StripedDataStreamer one) {
      streamer = one;
    }

    @Override
    public void progress() {
      if (Thread.currentThread() == streamer
          && streamer.getStage() == BlockConstructionStage.PIPELINE_SETUP_CREATE) {
        action.run();
      }
    }
  }

  /**
   * Hadoop lets a streamer continue when its DataNode is back with its replica, even if the
   * streamer did not receive all bytes: later bytes would then be written at the offset of the
   * missing ones.
   */
  @ParameterizedTest
  @Tag("full")
  @CsvSource({"1, false", "4, false", "0, true"})
  void aDataNodeThatIsBackGetsNoBlockThatLacksBytes(int unit, boolean endsGroup) throws Exception {
    byte[] data = WriteCluster.bytes(31, endsGroup ? GROUP + STRIPE + 5 : 3 * STRIPE + 5);
    try (FSDataOutputStream out = cluster.open(OURS).create(file)) {
      out.write(data, 0, STRIPE);
      StripedDataStreamer streamer = restart(out, unit, () -> {});
      // Hadoop sleeps before this wait, and gives up a streamer that has not taken its block.
      Conditions.await("the streamer to wait for a stamp", () -> isInTake(streamer));
      Object coordinator = coordinator(stream(out));
      CountDownLatch isHeld = new CountDownLatch(1);
      Future<?> taken =
          threads.submit(
              () -> {
                synchronized (coordinator) {
                  isHeld.countDown();
                  Conditions.await("it to be taken", () -> !isInTake(streamer));
                }
              });
      isHeld.await();
      out.write(data, STRIPE, data.length - STRIPE);
      taken.get();
    }
    byte[] stripe = new byte[STRIPE];
    try (FSDataInputStream in = cluster.cluster.getFileSystem().open(file)) {
      // A read of the whole block would detect that it is too short.
      in.readFully(STRIPE, stripe);
    }
    assertThat(stripe).isEqualTo(Arrays.copyOfRange(data, STRIPE, 2 * STRIPE));
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  @Test
  @Tag("full")
  void aDataNodeThatIsNotBackInTimeGetsNoBlockThatLacksBytes() throws Exception {
    byte[] data = WriteCluster.bytes(32, 3 * STRIPE + 5);
    try (FSDataOutputStream out = cluster.open(OURS).create(file)) {
      out.write(data, 0, STRIPE);
      restart(out, 2, () -> out.write(data, STRIPE, STRIPE + 5));
      out.write(data, 2 * STRIPE + 5, data.length - 2 * STRIPE - 5);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
    isRebuilt(data);
  }

  private interface StreamAction {
    void run() throws IOException;
  }

  /**
   * Restarts the DataNode of a unit and runs an action while it is stopped; it keeps its ports and
   * replicas.
   */
  private StripedDataStreamer restart(FSDataOutputStream out, int unit, StreamAction whileItIsGone)
      throws Exception {
    Conditions.await("a stripe to arrive", () -> acknowledged(stream(out), CELL));
    StripedDataStreamer streamer = stream(out).getStripedDataStreamer(unit);
    DatanodeInfo node = streamer.getNodes()[0];
    MiniDFSCluster.DataNodeProperties stopped =
        cluster.cluster.stopDataNodeForUpgrade(indexOf(node));
    Conditions.await("the client to know", () -> streamer.getErrorState().isRestartingNode());
    whileItIsGone.run();
    for (int port : new int[] {node.getXferPort(), node.getIpcPort(), node.getInfoPort()}) {
      Conditions.await("port " + port + " to be free", () -> isFree(port));
    }
    assertThat(cluster.cluster.restartDataNode(stopped, true)).isTrue();
    cluster.cluster.waitActive();
    return streamer;
  }

  /** Returns whether the streamer waits for its block with a new generation stamp. */
  private static boolean isInTake(StripedDataStreamer streamer) {
    return Arrays.stream(streamer.getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().endsWith("MultipleBlockingQueue")
                    && frame.getMethodName().equals("take"));
  }

  private static Object coordinator(StripelineOutputStream stream) throws Exception {
    Field field = DFSStripedOutputStream.class.getDeclaredField("coordinator");
    field.setAccessible(true);
    return field.get(stream);
  }

  /** The streamer has the whole window and has acknowledged nothing, so no stripe can follow. */
  @ParameterizedTest
  @Tag("full")
  @EnabledIf("canStopReceiving")
  @CsvSource({"4000, 6\\.\\d s", "0, 7\\.\\d s"})
  void aWriteContinuesWithoutADataNodeThatRestartsWhileTheWindowIsFull(long slowMillis, String time)
      throws Exception {
    byte[] data = WriteCluster.bytes(90, 2 * GROUP + 5);
    DistributedFileSystem fs =
        cluster.open(
            OURS,
            conf -> {
              conf.set(ClientKeys.WRITE_SYNC, "warn");
              conf.setLong(ClientKeys.WRITE_SLOW, slowMillis);
              conf.setInt("dfs.client.datanode-restart.timeout", 1);
            });
    try (CapturedLog log = new CapturedLog(StripelineOutputStream.class);
        FSDataOutputStream out = fs.create(file)) {
      out.write(data, 0, CELL);
      hung.deafen(stream(out).getBlock().getBlockId() + 1);
      out.write(data, CELL, 3 * STRIPE - CELL);
      StripedDataStreamer streamer = stream(out).getStripedDataStreamer(1);
      Conditions.await("three packets", () -> streamer.getLastQueuedSeqno() == 2);
      Conditions.await("a hang", hung::isMet);
      cluster.cluster.stopDataNodeForUpgrade(indexOf(streamer.getNodes()[0]));
      Conditions.await("the client to know", () -> streamer.getErrorState().isRestartingNode());
      out.write(data, 3 * STRIPE, data.length - 3 * STRIPE);
      assertThat(log.text()).containsPattern("not received data of .* block 1 .* " + time);
    }
    assertThat(WriteStatistics.shared().lateDataNodes()).isEqualTo(given + 1);
    // The rebuild is not checked: the NameNode may choose the stopped DataNode, still live to it.
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress("127.0.0.1", port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private int indexOf(DatanodeInfo node) {
    for (int i = 0; i < cluster.cluster.getDataNodes().size(); i++) {
      if (cluster.cluster.getDataNodes().get(i).getDatanodeUuid().equals(node.getDatanodeUuid())) {
        return i;
      }
    }
    throw new AssertionError(node + " does not run");
  }

  private void silence(StripelineOutputStream stream, int unit) {
    hung.silence(stream.getBlock().getBlockId() + unit);
  }

  private List<LocatedBlock> groups() throws IOException {
    return cluster
        .cluster
        .getFileSystem()
        .getClient()
        .getLocatedBlocks(file.toUri().getPath(), 0)
        .getLocatedBlocks();
  }

  /** Checks that HDFS reconstructs the file, with the bytes that Hadoop's stream writes. */
  private void isRebuilt(byte[] data) throws IOException {
    hung.release();
    org.apache.hadoop.fs.Path other = new org.apache.hadoop.fs.Path(file.getParent(), "stock");
    try (FSDataOutputStream out = cluster.stock().create(other)) {
      out.write(data);
    }
    List<WriteCluster.Replica> found = cluster.replicas(file);
    List<WriteCluster.Replica> wanted = cluster.replicas(other);
    assertThat(found).hasSameSizeAs(wanted);
    for (int i = 0; i < wanted.size(); i++) {
      assertThat(found.get(i).data).as("internal block %d", i).isEqualTo(wanted.get(i).data);
    }
  }

  private static boolean acknowledged(StripelineOutputStream stream, long bytes) {
    return acknowledging(stream, bytes) == K + M;
  }

  /** Returns the number of internal blocks of which {@code bytes} bytes are acknowledged. */
  private static long acknowledging(StripelineOutputStream stream, long bytes) {
    return IntStream.range(0, K + M)
        .mapToObj(unit -> stream.getStripedDataStreamer(unit).getBlock())
        .filter(block -> block != null && block.getNumBytes() == bytes)
        .count();
  }

  private static void awaitWait(StripelineOutputStream stream, int unit, long millis) {
    Conditions.await(
        "unit " + unit + " to be late",
        () -> stream.late().waitNanos(unit) > TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static StripelineOutputStream stream(FSDataOutputStream out) {
    return (StripelineOutputStream) out.getWrappedStream();
  }
}
