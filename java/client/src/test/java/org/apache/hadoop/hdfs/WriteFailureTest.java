// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.write.CellPool;
import org.stripeline.client.write.WriteResources;
import org.stripeline.testkit.Conditions;

/** Tests failures of DataNodes, the NameNode or the client while a file is being written. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriteFailureTest {
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;
  private static final int STRIPE = K * CELL;
  private static final int GROUP = 4 * STRIPE;

  @RegisterExtension
  private static final WriteCluster.Shared CLUSTER =
      new WriteCluster.Shared(
          8,
          GROUP / K,
          conf -> {
            conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
            // A lost DataNode can block the others for half of this time.
            conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_TIMEOUT_KEY, 20_000);
            conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_MAX_STREAMS_KEY, 0);
            conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 50);
            conf.setLong("stripeline.client.write.window", 1);
          });

  private WriteCluster cluster;
  private org.apache.hadoop.fs.Path dir;
  private CellPool pool;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @BeforeEach
  void start() throws IOException {
    cluster = CLUSTER.get();
    dir = cluster.directory("rs", K, M, CELL);
    pool = WriteResources.shared(cluster.conf()).pool();
  }

  @AfterEach
  void stop() throws IOException {
    threads.shutdownNow();
    CLUSTER.giveBack();
    Conditions.await("all buffers to be back", () -> pool.taken() == 0);
  }

  @ParameterizedTest
  @Tag("full")
  @CsvSource({
    "functional-partitioned, 1",
    "functional-partitioned, 2",
    "functional-partitioned, 3",
    "functional-partitioned, 4",
    "functional-partitioned, 5",
    "functional-partitioned, 6",
    "non-blocking, 7",
    "blocking, 8"
  })
  void survivesTheLossOfAsManyDataNodesAsThereIsParity(String mode, long seed) throws Exception {
    Random random = new Random(seed);
    byte[] data = WriteCluster.bytes(seed, 2 * GROUP + random.nextInt(GROUP));
    int[] moments = random.ints(1 + (int) (seed % M), STRIPE, data.length).sorted().toArray();
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    try (FSDataOutputStream out = cluster.open(mode).create(file)) {
      int at = 0;
      for (int moment : moments) {
        out.write(data, at, moment - at);
        at = moment;
        stopDataNodeOf(stream(out), random.nextInt(K + M));
      }
      out.write(data, at, data.length - at);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(longs = {11, 12, 13, 14})
  void survivesLossesThatNoWriteWaitsFor(long seed) throws Exception {
    Random random = new Random(seed);
    byte[] data = WriteCluster.bytes(seed, 6 * GROUP + random.nextInt(GROUP));
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    try (FSDataOutputStream out = cluster.open("functional-partitioned").create(file)) {
      out.write(data, 0, 1);
      StripelineOutputStream stream = stream(out);
      Future<?> killer =
          threads.submit(
              () -> {
                for (int i = 0; i < M; i++) {
                  stopDataNodeOf(stream, (random.nextInt(K + M)));
                }
                return null;
              });
      out.write(data, 1, data.length - 1);
      killer.get();
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"functional-partitioned", "non-blocking", "blocking"})
  void failsAfterOneLossMoreThanThereIsParity(String mode) throws Exception {
    byte[] data = WriteCluster.bytes(1, 3 * GROUP);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    FSDataOutputStream out = cluster.open(mode).create(file);
    out.write(data, 0, 2 * STRIPE);
    for (int unit = 0; unit <= M; unit++) {
      stopDataNodeOf(stream(out), unit);
    }
    assertThatThrownBy(
            () -> {
              out.write(data, 2 * STRIPE, STRIPE);
              out.close();
            })
        .isInstanceOf(IOException.class)
        // Hadoop's messages: the first if the last loss affects a running pipeline, the second if
        // it affects one that is being rebuilt.
        .hasMessageFindingMatch("number of failed blocks|not enough healthy streamers");
    try {
      out.close();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("f");
    }
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
    awaitNoSender(file);
  }

  /**
   * Hadoop 3.5 can be configured to give a write up while it still has more internal blocks than
   * data units.
   */
  @ParameterizedTest
  @Tag("full")
  @CsvSource({
    "functional-partitioned, 0, 1",
    "functional-partitioned, 1, 1",
    "functional-partitioned, 1, 2",
    "stock, 0, 1",
    "stock, 1, 2"
  })
  @EnabledIf("canBeToldHowManyLosses")
  void toleratesAsManyLossesAsItIsTold(String mode, int tolerated, int losses) throws Exception {
    byte[] data = WriteCluster.bytes(9, GROUP + STRIPE);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    DistributedFileSystem fs =
        cluster.open(
            mode, conf -> conf.setInt("dfs.client.ec.write.failed.blocks.tolerated", tolerated));
    FSDataOutputStream out = fs.create(file);
    out.write(data, 0, 2 * STRIPE);
    for (int unit = 0; unit < losses; unit++) {
      stopDataNodeOf((DFSStripedOutputStream) out.getWrappedStream(), unit);
    }
    Callable<Void> rest =
        () -> {
          out.write(data, 2 * STRIPE, data.length - 2 * STRIPE);
          out.close();
          return null;
        };
    if (losses <= tolerated) {
      rest.call();
      assertThat(cluster.readByStock(file)).isEqualTo(data);
    } else {
      assertThatThrownBy(rest::call)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("number of failed blocks tolerated = " + tolerated);
    }
  }

  /** A buffering stream writes its whole buffer again after an exception. */
  @Test
  void aWriteInterruptedAfterAPartEndsTheStream() throws Exception {
    byte[] data = WriteCluster.bytes(2, 2 * GROUP);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    FSDataOutputStream out = cluster.open("functional-partitioned").create(file);
    StripelineOutputStream stream = stream(out);
    BufferedOutputStream buffered = new BufferedOutputStream(out, data.length + 1);
    buffered.write(data);
    slow(stream, 300);
    Thread writer = Thread.currentThread();
    Future<?> interrupter =
        threads.submit(
            () -> {
              Conditions.await("a stall", () -> isStalled(writer));
              writer.interrupt();
            });
    assertThatThrownBy(buffered::flush)
        .isInstanceOfSatisfying(
            InterruptedIOException.class,
            e -> assertThat(e.bytesTransferred).isBetween(1, data.length - 1));
    interrupter.get();
    slow(stream, 0);
    assertThatThrownBy(buffered::flush)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
    awaitNoSender(file);
  }

  @Test
  void abortWakesAStalledWriterAndReleasesAll() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    FSDataOutputStream out = cluster.open("functional-partitioned").create(file);
    StripelineOutputStream stream = stream(out);
    slow(stream, 200);
    Thread writer = Thread.currentThread();
    Future<?> aborter =
        threads.submit(
            () -> {
              Conditions.await("a stall", () -> isStalled(writer));
              stream.abort();
              return null;
            });
    assertThatThrownBy(() -> out.write(WriteCluster.bytes(3, 4 * GROUP)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("aborted");
    aborter.get();
    Conditions.await("all buffers to be back", () -> pool.taken() == 0);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    awaitNoSender(file);
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(longs = {21, 22, 23, 24, 25, 26})
  void closeRacesAbort(long seed) throws Exception {
    Random random = new Random(seed);
    byte[] data = WriteCluster.bytes(seed, GROUP + random.nextInt(GROUP));
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    FSDataOutputStream out = cluster.open("functional-partitioned").create(file);
    out.write(data);
    long pause = random.nextInt(3_000_000);
    Future<?> aborter =
        threads.submit(
            () -> {
              TimeUnit.NANOSECONDS.sleep(pause);
              stream(out).abort();
              return null;
            });
    boolean closed = false;
    try {
      out.close();
      closed = true;
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotNull();
    }
    aborter.get(60, TimeUnit.SECONDS);
    if (closed) {
      assertThat(cluster.readByStock(file)).isEqualTo(data);
    }
    awaitNoSender(file);
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"functional-partitioned", "non-blocking", "blocking"})
  void tellsThatTheQuotaIsExceeded(String mode) throws Exception {
    cluster
        .cluster
        .getFileSystem()
        .setQuota(dir, HdfsConstants.QUOTA_DONT_SET, (long) GROUP * (K + M) / K);
    FSDataOutputStream out = cluster.open(mode).create(new org.apache.hadoop.fs.Path(dir, "f"));
    assertThatThrownBy(
            () -> {
              out.write(new byte[3 * GROUP]);
              out.close();
            })
        .isInstanceOf(DSQuotaExceededException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
  }

  @Test
  @Tag("full")
  void survivesARestartOfTheNameNode() throws Exception {
    byte[] data = WriteCluster.bytes(4, 3 * GROUP + 100);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    DistributedFileSystem fs =
        cluster.open(
            "functional-partitioned",
            conf -> conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, true));
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(data, 0, GROUP + STRIPE);
      // A NameNode that is stopping answers a request for a block group with an AssertionError,
      // after which Hadoop does not retry; the group must therefore be allocated before the
      // restart.
      assertThat(stream(out).getBlock()).isNotNull();
      cluster.cluster.restartNameNode(0);
      out.write(data, GROUP + STRIPE, data.length - GROUP - STRIPE);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @Test
  void leaseRecoveryKeepsWholeStripesOfADeadClient() throws Exception {
    byte[] data = WriteCluster.bytes(5, GROUP + 2 * STRIPE + CELL + 5);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    FSDataOutputStream out = cluster.open("functional-partitioned").create(file);
    out.write(data);
    StripelineOutputStream stream = stream(out);
    Conditions.await("two stripes to arrive", () -> acknowledged(stream, 2 * CELL));
    stream.abort();
    DistributedFileSystem other = cluster.stock();
    Conditions.await("the lease", () -> other.recoverLease(file));
    byte[] back = cluster.readByStock(file);
    assertThat(back).isEqualTo(Arrays.copyOf(data, GROUP + 2 * STRIPE));
  }

  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"functional-partitioned", "non-blocking", "blocking"})
  void parityOfAnIdleWriterGoesOut(String mode) throws Exception {
    byte[] data = WriteCluster.bytes(6, 2 * STRIPE + 7);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    try (FSDataOutputStream out = cluster.open(mode).create(file)) {
      out.write(data);
      Conditions.await("parity to arrive", () -> acknowledged(stream(out), 2 * CELL));
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  @Test
  void anInterruptedCloseDoesNotCompleteTheFile() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    FSDataOutputStream out = cluster.open("functional-partitioned").create(file);
    out.write(WriteCluster.bytes(7, GROUP));
    slow(stream(out), 300);
    Thread.currentThread().interrupt();
    assertThatThrownBy(out::close).isInstanceOf(InterruptedIOException.class);
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
    assertThatThrownBy(() -> stream(out).write(1)).isInstanceOf(IOException.class);
    awaitNoSender(file);
  }

  @Test
  @Tag("full")
  void closingTheFileSystemCompletesItsFiles() throws Exception {
    byte[] data = WriteCluster.bytes(8, GROUP + 1000);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    DistributedFileSystem fs = cluster.open("functional-partitioned");
    fs.create(file).write(data);
    fs.close();
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isTrue();
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  /** Starting a started thread throws, which simulates that no thread can be created. */
  @Test
  @Tag("full")
  void aStreamThatCannotStartLeavesNoThread() throws Exception {
    FSDataOutputStream out =
        cluster.open("functional-partitioned").create(new org.apache.hadoop.fs.Path(dir, "f"));
    out.write(1);
    assertThatThrownBy(() -> stream(out).start()).isInstanceOf(IllegalThreadStateException.class);
    for (int unit = 0; unit < K + M; unit++) {
      assertThat(stream(out).getStripedDataStreamer(unit).isAlive()).isFalse();
    }
    assertThat(pool.taken()).isZero();
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
  }

  @Test
  @Tag("full")
  void writingAfterCloseIsRefused() throws Exception {
    FSDataOutputStream out =
        cluster.open("functional-partitioned").create(new org.apache.hadoop.fs.Path(dir, "f"));
    out.write(1);
    StripelineOutputStream stream = stream(out);
    out.close();
    out.close();
    assertThatThrownBy(() -> stream.write(1)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void smallWritesDetectAFailureSoon() throws Exception {
    FSDataOutputStream out =
        cluster.open("functional-partitioned").create(new org.apache.hadoop.fs.Path(dir, "f"));
    out.write(1);
    stream(out).abort();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i <= 512; i++) {
                out.write(1);
              }
            })
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
  }

  /** Nothing is sent, and so nothing fails, until the stripe is full. */
  @Test
  @Tag("full")
  void smallWritesDetectTheLossOfAllDataNodes() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f");
    FSDataOutputStream out = cluster.open("functional-partitioned").create(file);
    out.write(new byte[STRIPE]);
    stream(out).flushAllInternals();
    out.write(1);
    for (int unit = 0; unit < K + M; unit++) {
      stopDataNodeOf(stream(out), unit);
    }
    Conditions.await("all streamers to end", () -> stream(out).isClosed());
    assertThatThrownBy(
            () -> {
              for (int i = 0; i <= 512; i++) {
                out.write(1);
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Cannot write /")
        .hasMessageContaining("Failed internal blocks: 0 at 127.0.0.1");
    assertThatThrownBy(() -> out.write(new byte[1])).isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isFalse();
    awaitNoSender(file);
  }

  @Test
  @Tag("full")
  void manyStreamsLeaveNoThreadAndNoBuffer() throws Exception {
    DistributedFileSystem fs = cluster.open("functional-partitioned");
    int done = 0;
    for (int cycle = 0; cycle < 200; cycle++) {
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir, "f" + cycle % 10);
      FSDataOutputStream out = fs.create(file, true);
      out.write(new byte[1 + cycle % 7 * CELL]);
      if (cycle % 4 == 3) {
        stream(out).abort();
        assertThatThrownBy(out::close).isInstanceOf(IOException.class);
      } else {
        out.close();
        done++;
      }
    }
    assertThat(done).isEqualTo(150);
    Conditions.await("threads to end", () -> threadsOfStreams().isEmpty());
    Conditions.await("encoders to end", () -> threadsNamed("stripeline-encoder-").isEmpty());
    assertThat(pool.taken()).isZero();
  }

  static boolean canBeToldHowManyLosses() {
    return Arrays.stream(HdfsClientConfigKeys.Write.class.getClasses())
        .anyMatch(keys -> keys.getSimpleName().equals("ECRedundancy"));
  }

  private static List<String> threadsOfStreams() {
    List<String> found = new ArrayList<>(threadsNamed("stripeline-sender"));
    found.addAll(threadsNamed("DataStreamer for file"));
    found.addAll(threadsNamed("ResponseProcessor for block"));
    return found;
  }

  private static List<String> threadsNamed(String start) {
    List<String> found = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith(start)) {
        found.add(thread.getName());
      }
    }
    return found;
  }

  private static void awaitNoSender(org.apache.hadoop.fs.Path file) {
    String name = "stripeline-sender for " + file.toUri().getPath();
    Conditions.await(name + " to end", () -> threadsNamed(name).isEmpty());
  }

  private static StripelineOutputStream stream(FSDataOutputStream out) {
    return (StripelineOutputStream) out.getWrappedStream();
  }

  private static boolean acknowledged(StripelineOutputStream stream, long bytes) {
    for (int unit = 0; unit < K + M; unit++) {
      if (stream.getStripedDataStreamer(unit).getBlock() == null
          || stream.getStripedDataStreamer(unit).getBlock().getNumBytes() != bytes) {
        return false;
      }
    }
    return true;
  }

  private static void slow(StripelineOutputStream stream, long millis) {
    for (int unit = 0; unit < K + M; unit++) {
      stream.getStripedDataStreamer(unit).setArtificialSlowdown(millis);
    }
  }

  /** Returns whether the thread waits for room in the window. */
  private static boolean isStalled(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("waitForRoom"));
  }

  /** Stops the DataNode of a unit of the current group, after waiting until it is known. */
  private void stopDataNodeOf(DFSStripedOutputStream stream, int unit) throws Exception {
    Callable<DatanodeInfo> known =
        () -> {
          StripedDataStreamer streamer = stream.getStripedDataStreamer(unit);
          DatanodeInfo[] nodes = streamer.getNodes();
          if (nodes == null && streamer.peekFollowingBlock() != null) {
            nodes = streamer.peekFollowingBlock().getLocations();
          }
          return nodes == null || nodes.length == 0 ? null : nodes[0];
        };
    DatanodeInfo[] found = new DatanodeInfo[1];
    Conditions.await(
        "a DataNode of unit " + unit,
        () -> {
          found[0] = known.call();
          return found[0] != null || !stream.getStripedDataStreamer(unit).isHealthy();
        });
    if (found[0] == null) {
      return;
    }
    for (DataNode node : new ArrayList<>(cluster.cluster.getDataNodes())) {
      if (node.getDatanodeUuid().equals(found[0].getDatanodeUuid())) {
        cluster.cluster.stopDataNode(found[0].getXferAddr());
      }
    }
  }
}
