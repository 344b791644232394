// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What others do between the steps of a recovery of a lease, and DataNodes that are gone. */
@Tag("full")
class UnrecoverableGroupRacesTest extends SealedGroupsCase {
  private static final int GROUP = 3 * (int) BLOCK;

  /** Ends a writer when it has allocated a second group and written nothing of it. */
  private static void endWithEmptyGroup(Path file) throws IOException {
    DistributedFileSystem ours = sealing();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(STRIPE));
    endAt(SealedGroups.Step.FORGET_NODES, ours, out);
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** The writer gets other DataNodes for the group when another client has asked the first ones. */
  @Test
  void aGroupThatIsWrittenToOtherDataNodesStays() throws Exception {
    Path file = file("other-nodes");
    DistributedFileSystem writer = sealing();
    FSDataOutputStream out = writer.create(file);
    byte[] all = bytes(GROUP);
    out.write(all, 0, STRIPE);
    DistributedFileSystem fencer = sealing();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    FutureTask<Boolean> fence = new FutureTask<>(() -> fencer.recoverLease(file));
    try (HungNameNode nameNode = new HungNameNode(fencer)) {
      nameNode.fail(
          (called, isDone) -> {
            if (!isDone && called.equals("checkAccess")) {
              asked.countDown();
              await(written);
            }
          });
      DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
      stream
          .seals()
          .setListener(
              step -> {
                if (step == SealedGroups.Step.FORGET_NODES && asked.getCount() > 0) {
                  new Thread(fence).start();
                  await(asked);
                }
              });
      out.hsync();
      out.write(all, STRIPE, GROUP - STRIPE);
      awaitAcknowledged(out);
      written.countDown();
      fence.get();
    }
    recover(ours(), file);
    WriteCluster.assertPrefix("what is left", read(file), all, GROUP - GROUP % STRIPE);
    writer.getClient().closeAllFilesBeingWritten(true);
  }

  /** A writer whose NameNode was replaced can take the group before for complete too early. */
  @Test
  void noRecoveryBeginsIfTheGroupBeforeOneWithoutDataNodesIsNotReported() throws Exception {
    Path file = file("no-nodes");
    DistributedFileSystem stock = cluster.stock();
    FSDataOutputStream out = stock.create(file);
    UnrecoverableGroupTest.pauseReports(true);
    try {
      out.write(bytes(GROUP));
      out.write(bytes(CELL));
      UnrecoverableGroup.forgetNodes(
          stock.getClient(),
          blocks(file).getLastLocatedBlock().getBlock(),
          stock.getClient().getClientName(),
          5);
      stock.getClient().closeAllFilesBeingWritten(true);
      assertThat(ours().recoverLease(file)).isFalse();
    } finally {
      UnrecoverableGroupTest.pauseReports(false);
    }
    recover(ours(), file);
    assertThat(read(file)).isEqualTo(bytes(GROUP));
  }

  /** Connections to machines that are gone time out: so they do if too many are not accepted. */
  @Test
  void machinesThatAreGoneDelayARecoveryForSeconds() throws Exception {
    Path file = file("gone");
    endWithEmptyGroup(file);
    DistributedFileSystem fencer = sealing();
    List<Socket> waiting = new ArrayList<>();
    try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HungNameNode nameNode = new HungNameNode(fencer)) {
      fill(gone, waiting);
      nameNode.locate(blocks -> atPort(blocks, gone.getLocalPort()));
      long start = System.nanoTime();
      recover(fencer, file);
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(15));
    } finally {
      for (Socket socket : waiting) {
        socket.close();
      }
    }
    assertThat(read(file)).isEqualTo(bytes(STRIPE));
  }

  private static void fill(ServerSocket server, List<Socket> waiting) throws IOException {
    while (waiting.size() < 50) {
      Socket socket = new Socket();
      waiting.add(socket);
      try {
        socket.connect(server.getLocalSocketAddress(), 500);
      } catch (SocketTimeoutException e) {
        return;
      }
    }
    throw new IOException("All connections are accepted");
  }

  /** Moves two DataNodes of the last group to a port. */
  private static LocatedBlocks atPort(LocatedBlocks blocks, int port) {
    LocatedBlock last = blocks.getLastLocatedBlock();
    DatanodeInfo[] nodes = last.getLocations();
    for (int i = 0; i < Math.min(2, nodes.length); i++) {
      nodes[i] =
          new DatanodeInfoWithStorage(
              new DatanodeInfo.DatanodeInfoBuilder().setNodeID(nodes[i]).setIpcPort(port).build(),
              last.getStorageIDs()[i],
              last.getStorageTypes()[i]);
    }
    return blocks;
  }

  @Test
  void whoAppendsToAFileThatIsBeingFencedKeepsItsLease() throws Exception {
    Path file = file("appended");
    endWithEmptyGroup(file);
    DistributedFileSystem fencer = sealing();
    DistributedFileSystem other = cluster.stock();
    List<FSDataOutputStream> appended = new ArrayList<>();
    try (HungNameNode nameNode = new HungNameNode(fencer)) {
      nameNode.fail(
          (called, isDone) -> {
            if (isDone && called.equals("recoverLease") && appended.isEmpty()) {
              EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
              appended.add(other.append(file, flags, 4096, null));
            }
          });
      assertThat(fencer.recoverLease(file)).isTrue();
    }
    appended.get(0).write(bytes(STRIPE));
    appended.get(0).close();
    assertThat(read(file)).hasSize(2 * STRIPE);
  }

  /** As the end of a try-with-resources does. */
  @Test
  void aFencedWriterThatClosesTwiceGetsTwoExceptions() throws Exception {
    Path file = file("closed-twice");
    FSDataOutputStream out = sealing().create(file);
    out.write(bytes(STRIPE));
    out.hsync();
    recover(ours(), file);
    IOException first = catchThrowableOfType(out::close, IOException.class);
    IOException second = catchThrowableOfType(out::close, IOException.class);
    assertThat(first).hasMessageContaining("is not open for writing");
    assertThat(second).isNotSameAs(first).hasMessageContaining("is not open for writing");
  }
}
