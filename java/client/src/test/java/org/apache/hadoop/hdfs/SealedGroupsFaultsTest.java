// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HungNameNode.Fault;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;

/** Faults of NameNodes and DataNodes during syncs that end block groups. */
@Tag("full")
class SealedGroupsFaultsTest extends SealedGroupsCase {
  private static final int[] SYNCS = {STRIPE + 9, 3 * STRIPE, 3 * STRIPE + 5};
  private static final int ALL = SYNCS[SYNCS.length - 1];

  /** Writes and syncs a file, and goes on after failures. */
  private static final class Writer {
    final FSDataOutputStream out;
    final byte[] all = bytes(ALL);
    final List<String> said = new ArrayList<>();
    int acknowledged;
    boolean isClosed;

    Writer(FSDataOutputStream out) {
      this.out = out;
    }

    void run(Runnable afterFailure) {
      int done = 0;
      for (int size : SYNCS) {
        try {
          out.write(all, done, size - done);
          done = size;
          out.hsync();
          acknowledged = size;
        } catch (IOException e) {
          said.add(size + ": " + e);
          afterFailure.run();
        }
      }
      try {
        out.close();
        isClosed = true;
      } catch (IOException e) {
        said.add("close: " + e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void anyCallMayFail(Fault fault) throws Exception {
    assertAnyCallMayFail(call -> failsAt(call, fault));
  }

  /** Returns whether there was such a call. */
  private static boolean failsAt(int number, Fault fault) throws Exception {
    Path file = in(folder("call-" + fault + number), "log");
    DistributedFileSystem ours = sealing();
    AtomicReference<String> failed;
    Writer writer;
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      writer = new Writer(ours.create(file));
      failed = nameNode.failAt(number, fault, method -> !method.equals("getServerDefaults"));
      writer.run(() -> nameNode.fail((method, isDone) -> {}));
    }
    String what = fault + " " + number + " " + failed + ": " + writer.said;
    assertThat(ours.getClient().isFilesBeingWrittenEmpty()).as(what).isTrue();
    // Hadoop 3.3 and 3.4 do not close a file whose last group has DataNodes and too few blocks.
    boolean isOver = fs.recoverLease(file);
    byte[] left = read(file);
    WriteCluster.assertPrefix(what, left, writer.all, writer.acknowledged);
    if (writer.isClosed) {
      assertThat(isOver).as(what).isTrue();
      assertThat(left).as(what).hasSize(ALL);
    }
    return failed.get() != null;
  }

  private static void assertRefusedAndGoesOn(FSDataOutputStream out, Path file, String why)
      throws IOException {
    out.write(bytes(ALL), 0, STRIPE);
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class).hasMessageContaining(why);
    out.write(bytes(ALL), STRIPE, ALL - STRIPE);
    out.close();
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(read(file)).isEqualTo(bytes(ALL));
  }

  @ParameterizedTest
  @ValueSource(ints = {0444, 0222})
  void aFileThatItsWriterMayNotReadOrWriteIsNotSynced(int mode) throws Exception {
    Path folder = folder("mode" + mode);
    fs.setPermission(folder, new FsPermission((short) 0777));
    Path file = in(folder, "log");
    FSDataOutputStream out = oursAs("ann", SealedGroupsCase::seal).create(file);
    fs.setPermission(file, new FsPermission((short) mode));
    assertRefusedAndGoesOn(out, file, "Permission denied");
  }

  private static void at(HungNameNode nameNode, String method, Consumer<String> action) {
    AtomicInteger calls = new AtomicInteger();
    nameNode.fail(
        (called, isDone) -> {
          if (isDone && called.equals(method) && calls.incrementAndGet() == 1) {
            action.accept(called);
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "getBlockLocations, 1",
    "addBlock, 1",
    "getBlockLocations, 2",
    "updateBlockForPipeline, 1"
  })
  void aFileWhoseWriterIsInterruptedCanBeClosed(String method, int call) throws Exception {
    Path file = file("interrupted-" + method + call);
    byte[] all = bytes(STRIPE + 11);
    Thread writer = Thread.currentThread();
    DistributedFileSystem ours = sealing();
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      out.write(all, 0, STRIPE);
      out.hsync();
      AtomicInteger calls = new AtomicInteger();
      nameNode.fail(
          (called, isDone) -> {
            if (isDone
                && called.equals(method)
                && Thread.currentThread() == writer
                && calls.incrementAndGet() == call) {
              writer.interrupt();
              nameNode.fail((any, done) -> {});
            }
          });
      out.write(all, STRIPE, 11);
      assertThatThrownBy(out::hsync).isInstanceOf(InterruptedIOException.class);
      Thread.interrupted();
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    }
    boolean hasEnded = !(method + call).equals("getBlockLocations1");
    // Hadoop before 3.5 does not close a file whose last group has fewer blocks than data units.
    recover(hasEnded ? fs : ours, file);
    assertThat(read(file)).isEqualTo(hasEnded ? all : Arrays.copyOf(all, STRIPE));
  }

  private static void restart(String at) {
    try {
      cluster.cluster.restartNameNode(0);
      cluster.cluster.waitActive();
    } catch (IOException e) {
      throw new AssertionError(at, e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"getBlockLocations", "updateBlockForPipeline", "updatePipeline"})
  void aSyncGoesOnWhenTheNameNodeRestarts(String method) throws Exception {
    Path file = file("forgets-" + method);
    DistributedFileSystem ours = sealing();
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      Writer writer = new Writer(ours.create(file));
      at(nameNode, method, SealedGroupsFaultsTest::restart);
      writer.run(() -> {});
      assertThat(writer.said).isEmpty();
    }
    assertThat(read(file)).isEqualTo(bytes(ALL));
  }

  @Test
  void aSmallGroupIsSyncedWithoutTheDataNodeOfItsData() throws Exception {
    Path file = file("small");
    DistributedFileSystem ours = sealing();
    AtomicReference<MiniDFSCluster.DataNodeProperties> stopped = new AtomicReference<>();
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      out.write(bytes(ALL), 0, STRIPE);
      out.hsync();
      at(
          nameNode,
          "addBlock",
          call -> {
            try {
              stopped.set(stopFirstDataNode(blocks(file).getLastLocatedBlock()));
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      out.write(bytes(ALL), STRIPE, 11);
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(bytes(ALL), STRIPE + 11));
      out.write(bytes(ALL), STRIPE + 11, ALL - STRIPE - 11);
      out.close();
    } finally {
      cluster.cluster.restartDataNode(stopped.get(), true);
      cluster.cluster.waitActive();
    }
    assertThat(read(file)).isEqualTo(bytes(ALL));
  }

  /** A NameNode that restarts names the DataNodes of parity that has not ended, too. */
  @Test
  void parityThatHasNotEndedReportsNoGroup() throws Exception {
    Path file = file("forgets-data");
    byte[] all = bytes(STRIPE);
    DistributedFileSystem ours = sealing();
    List<MiniDFSCluster.DataNodeProperties> stopped = new ArrayList<>();
    AtomicInteger calls = new AtomicInteger();
    List<Byte> reported = new ArrayList<>();
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      out.write(all);
      ((DurableOutputStream) out.getWrappedStream())
          .seals()
          .setListener(
              begun -> {
                if (begun == SealedGroups.Step.JOURNAL) {
                  LocatedStripedBlock group = (LocatedStripedBlock) blocks(file).get(0);
                  for (int unit : new int[] {0, 4}) {
                    String node = StripedCluster.location(group, unit).getXferAddr();
                    stopped.add(cluster.cluster.stopDataNode(node));
                  }
                  cluster.cluster.restartNameNode(0, false);
                  // Blocks of other files may be on the stopped DataNodes only.
                  NameNodeAdapter.leaveSafeMode(cluster.cluster.getNameNode());
                  cluster.cluster.waitActive();
                  nameNode.fail(
                      (called, isDone) -> {
                        if (called.equals("getBlockLocations")
                            && isDone
                            && calls.incrementAndGet() == 3) {
                          cluster.cluster.restartDataNode(stopped.remove(0), true);
                        }
                      });
                } else if (begun == SealedGroups.Step.FORGET_NODES) {
                  for (byte unit : ((LocatedStripedBlock) blocks(file).get(0)).getBlockIndices()) {
                    reported.add(unit);
                  }
                }
              });
      out.hsync();
      assertThat(reported).containsExactlyInAnyOrder((byte) 0, (byte) 1, (byte) 2);
      assertThat(read(file)).isEqualTo(all);
      out.close();
    } finally {
      for (MiniDFSCluster.DataNodeProperties node : stopped) {
        cluster.cluster.restartDataNode(node, true);
      }
      cluster.cluster.waitActive();
    }
    assertThat(read(file)).isEqualTo(all);
  }

  @Test
  void aNameNodeThatClosesFilesEarlyLosesNothing(@TempDir java.nio.file.Path folder)
      throws Exception {
    try (WriteCluster early =
        new WriteCluster(
            folder,
            5,
            BLOCK,
            conf -> {
              conf.setInt("dfs.namenode.file.close.num-committed-allowed", 1);
              conf.set(ClientKeys.WRITE_SYNC, "durable");
              seal(conf);
            })) {
      Path file = new Path(early.directory("rs", 3, 2, CELL), "log");
      Writer writer = new Writer(early.open("functional-partitioned").create(file));
      writer.run(() -> {});
      byte[] left = read(early.stock(), file);
      int synced = Math.max(writer.acknowledged, SYNCS[0]);
      WriteCluster.assertPrefix(file.toString(), left, bytes(ALL), synced);
      if (writer.isClosed) {
        assertThat(left).hasSize(ALL);
      }
    }
  }
}
