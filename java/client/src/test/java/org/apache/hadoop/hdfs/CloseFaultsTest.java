// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.HungNameNode.Fault;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.write.SharedPool;
import org.stripeline.testkit.Conditions;

/** Calls to the NameNode, DataNodes and the closing thread fail while durable streams close. */
@Tag("full")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloseFaultsTest {
  private static final int CELL = 64 << 10;
  private static final int STRIPE = 3 * CELL;
  private static final int GROUP = 4 * STRIPE;
  private static final int[] SIZES = {
    0, 100, 2 * CELL + 5, STRIPE, 2 * STRIPE + 2 * CELL + 7, GROUP, GROUP + STRIPE + CELL
  };

  private static final int STREAMS = 200;

  @TempDir static Path dir;
  private static WriteCluster cluster;
  private static org.apache.hadoop.fs.Path coded;
  private static final AtomicInteger FILES = new AtomicInteger();

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

  private static DistributedFileSystem durable() throws IOException {
    return cluster.open(
        "functional-partitioned",
        conf -> {
          conf.set(ClientKeys.WRITE_SYNC, "durable");
          conf.set(ClientKeys.WRITE_SLOW, "2s");
        });
  }

  private static org.apache.hadoop.fs.Path file() {
    return new org.apache.hadoop.fs.Path(coded, "f" + FILES.incrementAndGet());
  }

  /** A stripe without bytes must not open a block group when the file is closed. */
  @ParameterizedTest
  @ValueSource(ints = {0, GROUP})
  void aWriterInterruptedAtTheBeginningOfAGroupCanClose(int size) throws Exception {
    org.apache.hadoop.fs.Path file = file();
    byte[] all = WriteCluster.bytes(1, size);
    AtomicBoolean interrupts = new AtomicBoolean();
    FSDataOutputStream out;
    try (SharedPool ignored =
        new SharedPool(
            Long.MAX_VALUE,
            () -> {
              if (interrupts.get() && isTakingACell()) {
                SharedPool.<RuntimeException>sneak(new InterruptedIOException("no memory"));
              }
              return System.nanoTime();
            })) {
      out = durable().create(file);
    }
    out.write(all);
    interrupts.set(true);
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(InterruptedIOException.class);
    interrupts.set(false);
    out.close();
    assertWritten(file, all);
  }

  private static boolean isTakingACell() {
    return Arrays.stream(new Throwable().getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("cellToFill"));
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void anyCallMayFail(Fault fault) throws Exception {
    for (int size : SIZES) {
      int number = 1;
      while (failsAt(number, fault, WriteCluster.bytes(number, size))) {
        number++;
      }
      assertThat(number).isGreaterThan(1);
    }
  }

  /** Returns whether there was such a call. */
  private static boolean failsAt(int number, Fault fault, byte[] all) throws Exception {
    org.apache.hadoop.fs.Path file = file();
    DistributedFileSystem ours = durable();
    boolean isClosed = true;
    AtomicReference<String> failed;
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      failed =
          nameNode.failAt(
              number, fault, method -> method.equals("addBlock") || method.equals("complete"));
      try {
        out.write(all);
        out.close();
      } catch (IOException e) {
        isClosed = false;
      }
    }
    String what = all.length + " bytes, " + fault + ' ' + number + ' ' + failed;
    if (isClosed) {
      assertWritten(file, all);
    } else if (all.length == 0 || all.length >= STRIPE && "complete".equals(failed.get())) {
      // Hadoop before 3.5 cannot recover the others.
      DistributedFileSystem fs = cluster.cluster.getFileSystem();
      Conditions.await(
          "the lease of " + what, () -> fs.isFileClosed(file) || fs.recoverLease(file));
      byte[] left = cluster.readByStock(file);
      WriteCluster.assertPrefix(what, left, all, 0);
    }
    return failed.get() != null;
  }

  private static void assertWritten(org.apache.hadoop.fs.Path file, byte[] all) throws IOException {
    assertThat(cluster.cluster.getFileSystem().isFileClosed(file)).isTrue();
    assertThat(cluster.readByStock(file)).as("%s bytes", all.length).isEqualTo(all);
  }

  private static LocatedBlock lastGroup(org.apache.hadoop.fs.Path file) throws IOException {
    DFSClient client = cluster.cluster.getFileSystem().getClient();
    return client.getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE).getLastLocatedBlock();
  }

  /** A DataNode hangs from the allocation of its group on, or from the first complete call on. */
  @ParameterizedTest
  @CsvSource({"0,addBlock", "2,addBlock", "3,addBlock", "3,complete", "4,complete"})
  void aDataNodeThatHangsIsGivenUp(int unit, String call) throws Exception {
    byte[] all = WriteCluster.bytes(unit, GROUP + STRIPE + 2 * CELL + 7);
    org.apache.hadoop.fs.Path file = file();
    DistributedFileSystem ours = durable();
    try (HungNameNode nameNode = new HungNameNode(ours);
        HungBlocks hung = new HungBlocks()) {
      FSDataOutputStream out = ours.create(file);
      nameNode.fail(
          (method, isDone) -> {
            if (isDone && method.equals(call)) {
              hung.silence(lastGroup(file).getBlock().getBlockId() + unit);
            }
          });
      out.write(all);
      out.close();
      assertThat(hung.isMet()).isTrue();
      assertWritten(file, all);
    }
  }

  /** The NameNode completes the file with the parity that replaces the data. */
  @Test
  void aDataNodeThatDoesNotReportItsBlockOnlyDelaysClose() throws Exception {
    byte[] all = WriteCluster.bytes(1, STRIPE + 2 * CELL + 7);
    org.apache.hadoop.fs.Path file = file();
    DistributedFileSystem ours = durable();
    AtomicReference<DataNode> paused = new AtomicReference<>();
    AtomicInteger asked = new AtomicInteger();
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      nameNode.fail(
          (method, isDone) -> {
            if (isDone && method.equals("addBlock")) {
              paused.set(node(lastGroup(file)));
              DataNodeTestUtils.pauseIBR(paused.get());
            } else if (isDone && method.equals("complete")) {
              asked.incrementAndGet();
            }
          });
      out.write(all);
      out.close();
    } finally {
      DataNodeTestUtils.resumeIBR(paused.get());
    }
    assertThat(asked).hasValueGreaterThan(5);
    assertWritten(file, all);
  }

  /** Returns the DataNode of the first internal block. */
  private static DataNode node(LocatedBlock group) {
    return cluster.cluster.getDataNodes().stream()
        .filter(one -> one.getDatanodeUuid().equals(group.getLocations()[0].getDatanodeUuid()))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInterruptedCloseFailsOrHasClosedTheFile(boolean isAfter) throws Exception {
    int failures = 0;
    for (int size : SIZES) {
      byte[] all = WriteCluster.bytes(size, size);
      org.apache.hadoop.fs.Path file = file();
      DistributedFileSystem ours = durable();
      boolean isClosed = true;
      try (HungNameNode nameNode = new HungNameNode(ours)) {
        FSDataOutputStream out = ours.create(file);
        nameNode.fail(
            (method, isDone) -> {
              if (method.equals("complete") && isDone == isAfter) {
                Thread.currentThread().interrupt();
              }
            });
        out.write(all);
        try {
          out.close();
          // Hadoop forgets the interrupt if the last stripe is full.
          assertThat(Thread.interrupted() || size % STRIPE == 0).isTrue();
        } catch (IOException e) {
          isClosed = false;
        }
      } finally {
        Thread.interrupted();
      }
      if (isClosed) {
        assertWritten(file, all);
      } else {
        failures++;
      }
    }
    // A call whose answer comes before it waits does not notice an earlier interrupt.
    assertThat(failures > 0).isEqualTo(!isAfter);
  }

  @Test
  void manyStreamsCloseAtOnce() throws Exception {
    DistributedFileSystem ours = durable();
    List<FSDataOutputStream> outs = new ArrayList<>();
    List<org.apache.hadoop.fs.Path> files = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      files.add(file());
      outs.add(ours.create(files.get(i)));
      outs.get(i).write(WriteCluster.bytes(i, SIZES[i % SIZES.length]));
    }
    ExecutorService closers = Executors.newFixedThreadPool(STREAMS);
    try {
      List<Future<?>> closes = new ArrayList<>();
      for (FSDataOutputStream out : outs) {
        closes.add(
            closers.submit(
                () -> {
                  out.close();
                  return null;
                }));
      }
      for (Future<?> close : closes) {
        close.get();
      }
    } finally {
      closers.shutdown();
    }
    for (int i = 0; i < STREAMS; i++) {
      assertWritten(files.get(i), WriteCluster.bytes(i, SIZES[i % SIZES.length]));
    }
  }
}
