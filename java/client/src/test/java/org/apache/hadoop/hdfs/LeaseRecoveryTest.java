// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** Writers end within close, and a stock client recovers the lease: no byte appears in the file. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeaseRecoveryTest {
  private static final int CELL = 64 << 10;
  private static final int STRIPE = 3 * CELL;
  private static final int GROUP = 4 * STRIPE;

  /** The bytes in the last stripe of a file. */
  private static final int[] PARTS = {
    1, CELL, CELL + 1, 2 * CELL, 2 * CELL + 7, STRIPE - 1, STRIPE
  };

  @TempDir static Path dir;
  private static WriteCluster cluster;
  private static org.apache.hadoop.fs.Path coded;
  private static int files;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        new WriteCluster(
            dir, 6, GROUP / 3, conf -> conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1));
    coded = cluster.directory("rs", 3, 2, CELL);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static DistributedFileSystem durable(String mode) throws IOException {
    return cluster.open(mode, conf -> conf.set(ClientKeys.WRITE_SYNC, "durable"));
  }

  /** Returns what is read of a file whose writer ended before or after its first complete call. */
  private static byte[] recovered(String mode, byte[] data, boolean isCommitted) throws Exception {
    return recovered(mode, data, isCommitted, stream -> {});
  }

  /** An action while a file is open whose full stripes the DataNodes have. */
  private interface Action {
    void run(DFSStripedOutputStream stream) throws IOException;
  }

  private static byte[] recovered(String mode, byte[] data, boolean isCommitted, Action action)
      throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(coded, "f" + files++);
    DistributedFileSystem writer = durable(mode);
    DistributedFileSystem fs = cluster.cluster.getFileSystem();
    try (HungNameNode nameNode = new HungNameNode(writer)) {
      FSDataOutputStream out = writer.create(file);
      out.write(data);
      DFSStripedOutputStream stream = (DFSStripedOutputStream) out.getWrappedStream();
      action.run(stream);
      nameNode.fail(
          (method, isDone) -> {
            if (method.equals("complete") && isDone == isCommitted) {
              throw new IOException("injected");
            }
          });
      assertThatThrownBy(out::close).hasMessageContaining("injected");
    }
    Conditions.await("the lease of " + file, () -> fs.isFileClosed(file) || fs.recoverLease(file));
    return cluster.readByStock(file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"functional-partitioned", "non-blocking", "blocking"})
  void noZerosAreAppended(String mode) throws Exception {
    for (int part : PARTS) {
      for (boolean isCommitted : new boolean[] {false, true}) {
        byte[] data = WriteCluster.bytes(part, 2 * STRIPE + part);
        byte[] read = recovered(mode, data, isCommitted);
        WriteCluster.assertPrefix(data.length + " bytes", read, data, 2 * STRIPE);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aFileIsCompletedWithoutADataNode(int unit) throws Exception {
    for (int part : PARTS) {
      if (part >= CELL) {
        completeWithout(unit, WriteCluster.bytes(part, part));
      }
    }
  }

  private static void completeWithout(int unit, byte[] data) throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(coded, "f" + files++);
    FSDataOutputStream out = durable("functional-partitioned").create(file);
    out.write(data);
    DFSStripedOutputStream stream = (DFSStripedOutputStream) out.getWrappedStream();
    stream.enqueueAllCurrentPackets();
    stream.flushAllInternals();
    MiniDFSCluster.DataNodeProperties stopped = stopDataNode(stream, unit);
    try {
      out.close();
      assertThat(cluster.readByStock(file)).as("%s bytes", data.length).isEqualTo(data);
    } finally {
      start(stopped);
    }
  }

  /** Stops the DataNode that has an internal block of the first group. */
  private static MiniDFSCluster.DataNodeProperties stopDataNode(
      DFSStripedOutputStream stream, int unit) throws IOException {
    LocatedBlock group =
        cluster.cluster.getFileSystem().getClient().getLocatedBlocks(stream.getSrc(), 0).get(0);
    byte[] units = ((LocatedStripedBlock) group).getBlockIndices();
    int at = IntStream.range(0, units.length).filter(i -> units[i] == unit).findFirst().getAsInt();
    return cluster.cluster.stopDataNode(group.getLocations()[at].getXferAddr());
  }

  private static void start(MiniDFSCluster.DataNodeProperties stopped) throws IOException {
    cluster.cluster.restartDataNode(stopped, true);
    cluster.cluster.waitActive();
  }

  /** Returns a file whose writer died in close, when a DataNode of its group had stopped. */
  private static byte[] recoveredWithout(int unit, byte[] data) throws Exception {
    AtomicReference<MiniDFSCluster.DataNodeProperties> stopped = new AtomicReference<>();
    byte[] read =
        recovered(
            "functional-partitioned",
            data,
            false,
            stream -> {
              stream.flushAllInternals();
              stopped.set(stopDataNode(stream, unit));
            });
    start(stopped.get());
    return read;
  }

  @Test
  void noZerosAreAppendedWithoutAParityDataNode() throws Exception {
    byte[] data = WriteCluster.bytes(4, 2 * STRIPE + 2 * CELL + 7);
    assertThat(recoveredWithout(3, data)).isEqualTo(Arrays.copyOf(data, 2 * STRIPE));
  }

  /** What is left: parity must replace lost data before the NameNode completes the file. */
  @Test
  void zerosMayBeAppendedIfADataNodeWithDataIsLost() throws Exception {
    byte[] data = WriteCluster.bytes(5, 2 * STRIPE + 2 * CELL + 7);
    assertThat(recoveredWithout(0, data)).isEqualTo(Arrays.copyOf(data, 3 * STRIPE));
  }

  /** What the order of close avoids; this test tells if a release of Hadoop no longer does it. */
  @Test
  void zerosAreAppendedToFilesOfStockClients() throws Exception {
    byte[] data = WriteCluster.bytes(3, STRIPE + 2 * CELL);
    assertThat(recovered("stock", data, false)).isEqualTo(Arrays.copyOf(data, 2 * STRIPE));
  }
}
