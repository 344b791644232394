// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.apache.hadoop.hdfs.DFSConfigKeys.DFS_DATANODE_MAX_RECEIVER_THREADS_KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.read.Refusals;
import org.stripeline.testkit.Conditions;
import org.stripeline.testkit.ForkedJvm;
import org.stripeline.testkit.Kerberos;

/**
 * More sequential readers than DataNodes have transceivers ({@code
 * dfs.datanode.max.transfer.threads}): a DataNode at its limit closes new connections without an
 * answer.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("full")
class TransceiverLimitTest {
  private static final int STREAMS = 60;
  private static final int THREADS = 12;
  private static final int TRANSCEIVERS = 24;

  /** After this many bytes, readers are open to the end of the group. */
  private static final int PART = 10 << 20;

  private static final byte[] DATA = StripedCluster.bytes(60 << 20, 3);

  @TempDir Path dir;
  private StripedCluster cluster;
  private org.apache.hadoop.fs.Path folder;

  private void start(int dataNodes, Configuration conf) throws IOException {
    conf.setInt("dfs.blocksize", 30 << 20);
    conf.setInt(DFS_DATANODE_MAX_RECEIVER_THREADS_KEY, TRANSCEIVERS);
    conf.setInt("dfs.client.retry.window.base", 1);
    // Idle readers are closed only to make room.
    conf.setInt("dfs.client.socketcache.expiryMsec", 3_600_000);
    cluster = new StripedCluster(dir.resolve("dfs"), dataNodes, conf);
  }

  private org.apache.hadoop.fs.Path write(String name) throws IOException {
    if (folder == null) {
      folder =
          cluster.directory("/ec", new ErasureCodingPolicy(new ECSchema("rs", 3, 2), 64 << 10));
    }
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, name);
    StripedCluster.write(cluster.stock(), file, DATA);
    return file;
  }

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** Reads the next part of each stream; returns how many streams failed. */
  private static int readOn(ExecutorService threads, List<FSDataInputStream> streams)
      throws Exception {
    List<Future<Boolean>> reads = new ArrayList<>();
    for (FSDataInputStream in : streams) {
      reads.add(threads.submit(() -> readOn(in)));
    }
    int failed = 0;
    for (Future<Boolean> read : reads) {
      failed += read.get() ? 0 : 1;
    }
    return failed;
  }

  private static boolean readOn(FSDataInputStream in) throws IOException {
    int from = (int) in.getPos();
    try {
      StripedCluster.checkNext(in, DATA, from, from + PART);
      return true;
    } catch (IOException | RuntimeException e) {
      // After a failure, Hadoop 3.5's stream has no decoder, and its next read dereferences null.
      return false;
    }
  }

  /** What happens between two parts. */
  private interface Event {
    void happen() throws Exception;
  }

  /** Returns how many streams failed in their first and in their second part. */
  private List<Integer> failures(
      DistributedFileSystem fs, org.apache.hadoop.fs.Path file, Event between) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<FSDataInputStream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < STREAMS; i++) {
        streams.add(fs.open(file));
      }
      int first = readOn(threads, streams);
      between.happen();
      return List.of(first, readOn(threads, streams));
    } finally {
      threads.shutdownNow();
      for (FSDataInputStream in : streams) {
        in.close();
      }
    }
  }

  @Test
  void whatAClosedConnectionThrowsIsARefusal() {
    assertThat(Refusals.isRefusal(new IOException("a", new EOFException()))).isTrue();
    assertThat(Refusals.isRefusal(new IOException("Broken pipe"))).isTrue();
    assertThat(Refusals.isRefusal(new IOException("Connection reset by peer"))).isTrue();
    assertThat(Refusals.isRefusal(new ConnectException("Connection refused"))).isFalse();
    assertThat(Refusals.isRefusal(new IOException("no message", null))).isFalse();
  }

  /** With Kerberos, a DataNode at its limit closes connections before the exchange of SASL. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readersMakeRoomForEachOther(boolean isSecure) throws Exception {
    Configuration conf = new Configuration(false);
    Kerberos kerberos = isSecure ? new Kerberos(Files.createDirectory(dir.resolve("kdc"))) : null;
    try {
      if (isSecure) {
        kerberos.secure(conf);
        conf.set("dfs.data.transfer.protection", "authentication");
      }
      start(5, conf);
      org.apache.hadoop.fs.Path file = write("file");
      List<Integer> ours = failures(cluster.ours(), file, () -> {});
      List<Integer> stock = failures(cluster.stock(), file, () -> {});
      System.out.println("failed streams of " + STREAMS + ": ours " + ours + ", stock " + stock);
      assertThat(ours).containsExactly(0, 0);
      assertThat(stock.get(1)).as("streams of Hadoop's client that failed").isPositive();
    } finally {
      if (isSecure) {
        kerberos.close();
      }
    }
  }

  /** The connections of other processes, which ours cannot close, occupy every transceiver. */
  @Test
  void dataNodesOccupiedByOthersAreLikeLostOnes() throws Exception {
    start(5, new Configuration(false));
    org.apache.hadoop.fs.Path file = write("file");
    LocatedStripedBlock group = cluster.groups(file).get(0);
    List<Socket> others = new ArrayList<>();
    List<Socket> oneTooMany = new ArrayList<>();
    try {
      for (int unit = 0; unit < 3; unit++) {
        occupy(StripedCluster.location(group, unit), unit == 2 ? oneTooMany : others);
      }
      assertThatThrownBy(() -> StripedCluster.checkReads(cluster.ours(), file, DATA, 1 << 20))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file.toUri().getPath());

      release(oneTooMany, 2);
      StripedCluster.checkReads(cluster.ours(), file, DATA, 1 << 20);
      org.apache.hadoop.fs.Path written = new org.apache.hadoop.fs.Path(folder, "written");
      StripedCluster.write(cluster.ours(), written, DATA);
      StripedCluster.checkReads(cluster.stock(), written, DATA, 1 << 20);
    } finally {
      others.addAll(oneTooMany);
      release(others, 0);
    }
    StripedCluster.checkReads(cluster.ours(), file, DATA, 1 << 20);
  }

  /** Closes connections; then at most a number of DataNodes are at their limit. */
  private void release(List<Socket> connections, int atLimit) throws IOException {
    for (Socket connection : connections) {
      connection.close();
    }
    Conditions.await(
        "the DataNodes to end the connections",
        () ->
            cluster.mini().getDataNodes().stream()
                    .filter(node -> node.getXceiverCount() > TRANSCEIVERS)
                    .count()
                <= atLimit);
  }

  /** Connects until no transceiver is left: a connection has one before it asks for anything. */
  private void occupy(DatanodeInfo info, List<Socket> connections) throws IOException {
    DataNode node = cluster.dataNode(info);
    while (node.getXceiverCount() <= TRANSCEIVERS) {
      int before = node.getXceiverCount();
      connections.add(new Socket(info.getIpAddr(), info.getXferPort()));
      Conditions.await("a transceiver", () -> node.getXceiverCount() > before);
    }
  }

  /** The kernel of a stopped DataNode goes on accepting connections. */
  @Test
  void aDataNodeThatIsStoppedAtItsLimitIsDecodedAround() throws Exception {
    start(4, new Configuration(false));
    Path log = dir.resolve("datanode.log");
    Process process = startDataNode(log);
    try {
      Conditions.await(
          "a DataNode in another process to be used: " + log,
          () ->
              Arrays.stream(cluster.stock().getDataNodeStats(DatanodeReportType.LIVE))
                      .filter(node -> node.getCapacity() > 0)
                      .count()
                  == 5);
      // Until its internal block has data.
      org.apache.hadoop.fs.Path file;
      int number = 0;
      do {
        file = write("file" + number++);
      } while (elsewhere(file) == null);
      String uuid = elsewhere(file).getDatanodeUuid();
      List<Integer> failed =
          failures(
              cluster.ours(),
              file,
              () -> {
                Conditions.await(
                    "the DataNode to report its limit", () -> xceivers(uuid) >= TRANSCEIVERS);
                SyncWriters.signal(process, "STOP");
              });
      assertThat(failed).containsExactly(0, 0);
      SyncWriters.signal(process, "CONT");
      StripedCluster.checkReads(cluster.ours(), file, DATA, 1 << 20);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private Process startDataNode(Path log) throws IOException {
    Path data = Files.createDirectory(dir.resolve("data"));
    return ForkedJvm.of(
            DataNode.class,
            "-Dfs.defaultFS=" + cluster.mini().getURI(),
            "-Ddfs.datanode.data.dir=" + data.toUri(),
            "-Ddfs.datanode.address=127.0.0.1:0",
            "-Ddfs.datanode.ipc.address=127.0.0.1:0",
            "-Ddfs.datanode.http.address=127.0.0.1:0",
            "-D" + DFS_DATANODE_MAX_RECEIVER_THREADS_KEY + "=" + TRANSCEIVERS)
        .logging(dir, "WARN")
        .start(log);
  }

  /** Returns the DataNode in another process, or null if it has no data of a file. */
  private DatanodeInfo elsewhere(org.apache.hadoop.fs.Path file) throws IOException {
    cluster.awaitReports(file, 5);
    LocatedStripedBlock group = cluster.groups(file).get(0);
    for (int unit = 0; unit < 3; unit++) {
      DatanodeInfo info = StripedCluster.location(group, unit);
      if (cluster.mini().getDataNodes().stream()
          .noneMatch(node -> node.getDatanodeUuid().equals(info.getDatanodeUuid()))) {
        return info;
      }
    }
    return null;
  }

  private int xceivers(String uuid) throws IOException {
    return Arrays.stream(cluster.stock().getDataNodeStats(DatanodeReportType.LIVE))
        .filter(node -> node.getDatanodeUuid().equals(uuid))
        .mapToInt(DatanodeInfo::getXceiverCount)
        .sum();
  }
}
