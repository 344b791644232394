// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases of files whose last block group is on too few DataNodes to be recovered. */
@Tag("full")
class UnrecoverableGroupTest extends SealedGroupsCase {
  private static final int GROUP = 3 * (int) BLOCK;

  /** Ends a writer when it has allocated a group and written nothing of it. */
  private static void endWithEmptyGroup(Path file, String user) throws Exception {
    DistributedFileSystem ours = oursAs(user, SealedGroupsCase::seal);
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(STRIPE));
    endAt(SealedGroups.Step.FORGET_NODES, ours, out);
  }

  @Test
  void aGroupWithoutDataIsRemovedWhileDataNodesDoNotAnswer() throws Exception {
    Path folder = folder("unanswered");
    fs.setPermission(folder, new FsPermission((short) 0777));
    Path file = in(folder, "log");
    endWithEmptyGroup(file, "ann");
    MiniDFSCluster.DataNodeProperties stopped = stopFirstDataNode(blocks(file).get(0));
    try {
      recover(ours(), file);
    } finally {
      cluster.cluster.restartDataNode(stopped, true);
      cluster.cluster.waitActive();
    }
    assertThat(read(file)).isEqualTo(bytes(STRIPE));
  }

  @Test
  void aGroupOfTooFewBlocksIsRemoved() throws Exception {
    Path file = file("few-blocks");
    DistributedFileSystem ours = sealing();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(STRIPE));
    out.hsync();
    out.write(bytes(CELL + 1));
    endAt(SealedGroups.Step.END, ours, out);
    recover(sealing(), file);
    assertThat(read(file)).isEqualTo(bytes(STRIPE));
  }

  @Test
  void whoMayNotRecoverALeaseChangesNoGroup() throws Exception {
    Path folder = folder("not-allowed");
    fs.setPermission(folder, new FsPermission((short) 0777));
    Path file = in(folder, "log");
    endWithEmptyGroup(file, "ann");
    ExtendedBlock before = blocks(file).getLastLocatedBlock().getBlock();
    DistributedFileSystem other = oursAs("bob");
    assertThatThrownBy(() -> other.recoverLease(file)).hasMessageContaining("Permission denied");
    assertThat(blocks(file).getLastLocatedBlock().getBlock()).isEqualTo(before);
    assertThat(blocks(file).getLastLocatedBlock().getBlock().getGenerationStamp())
        .isEqualTo(before.getGenerationStamp());
    recover(oursAs("ann"), file);
    assertThat(read(file)).isEqualTo(bytes(STRIPE));
  }

  /** Ends a stock writer in its second group; from then on no DataNode reports blocks. */
  private static void endUnreported(Path file) throws IOException {
    DistributedFileSystem stock = cluster.open("stock");
    FSDataOutputStream out = stock.create(file);
    pauseReports(true);
    out.write(bytes(GROUP));
    out.write(bytes(CELL));
    stock.getClient().closeAllFilesBeingWritten(true);
  }

  static void pauseReports(boolean pauses) {
    cluster
        .cluster
        .getDataNodes()
        .forEach(pauses ? DataNodeTestUtils::pauseIBR : DataNodeTestUtils::resumeIBR);
  }

  @Test
  void noRecoveryBeginsBeforeTheGroupBeforeIsReported() throws Exception {
    Path file = file("long-unreported");
    try {
      endUnreported(file);
      assertThat(ours().recoverLease(file)).isFalse();
    } finally {
      pauseReports(false);
    }
    recover(ours(), file);
    assertThat(read(file)).isEqualTo(bytes(GROUP));
  }

  @Test
  void aGroupIsRemovedWhenTheOneBeforeIsReported() throws Exception {
    Path file = file("unreported");
    DistributedFileSystem fencer = ours();
    try (HungNameNode nameNode = new HungNameNode(fencer)) {
      endUnreported(file);
      AtomicInteger calls = new AtomicInteger();
      nameNode.fail(
          (called, isDone) -> {
            if (!isDone
                && called.equals("updateBlockForPipeline")
                && calls.incrementAndGet() == 2) {
              pauseReports(false);
            }
          });
      assertThat(fencer.recoverLease(file)).isTrue();
    } finally {
      pauseReports(false);
    }
    assertThat(read(file)).isEqualTo(bytes(GROUP));
  }

  @Test
  void aGroupOfEmptyBlocksIsRemoved() throws Exception {
    Path folder = folder("empty-blocks");
    fs.setPermission(folder, new FsPermission((short) 0777));
    Path file = in(folder, "log");
    endWithEmptyGroup(file, "ann");
    FutureTask<Void> connections =
        new FutureTask<>(
            () -> createEmptyBlocks((LocatedStripedBlock) blocks(file).getLastLocatedBlock()));
    // DataNodes interrupt the threads that have created blocks.
    Thread thread = new Thread(connections);
    thread.start();
    thread.join();
    connections.get();
    recover(ours(), file);
    assertThat(read(file)).isEqualTo(bytes(STRIPE));
  }

  /** Does what DataNodes do when a writer connects to them and ends before it sends anything. */
  private static Void createEmptyBlocks(LocatedStripedBlock group) throws IOException {
    for (int i = 0; i < group.getLocations().length; i++) {
      ExtendedBlock block = new ExtendedBlock(group.getBlock());
      block.setBlockId(block.getBlockId() + group.getBlockIndices()[i]);
      DataNode node = cluster.cluster.getDataNode(group.getLocations()[i].getIpcPort());
      DataNodeTestUtils.getFSDataset(node).createRbw(StorageType.DISK, null, block, false).close();
    }
    return null;
  }

  /** A NameNode that has just started, or an observer, names the DataNodes that have reported. */
  @Test
  void aGroupStaysIfItsDataNodesHaveNotReported() throws Exception {
    Path file = file("not-yet-reported");
    DistributedFileSystem ours = sealing();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(STRIPE));
    awaitAcknowledged(out);
    ours.getClient().closeAllFilesBeingWritten(true);
    DistributedFileSystem fencer = sealing();
    try (HungNameNode nameNode = new HungNameNode(fencer)) {
      nameNode.locate(UnrecoverableGroupTest::reportedByTwo);
      recover(fencer, file);
    }
    assertThat(read(file)).isEqualTo(bytes(STRIPE));
  }

  private static LocatedBlocks reportedByTwo(LocatedBlocks all) {
    LocatedStripedBlock last = (LocatedStripedBlock) all.getLastLocatedBlock();
    return new LocatedBlocks(
        all.getFileLength(),
        all.isUnderConstruction(),
        all.getLocatedBlocks(),
        new LocatedStripedBlock(
            last.getBlock(),
            Arrays.copyOf(last.getLocations(), 2),
            Arrays.copyOf(last.getStorageIDs(), 2),
            Arrays.copyOf(last.getStorageTypes(), 2),
            Arrays.copyOf(last.getBlockIndices(), 2),
            last.getStartOffset(),
            false,
            null),
        all.isLastBlockComplete(),
        all.getFileEncryptionInfo(),
        all.getErasureCodingPolicy());
  }
}
