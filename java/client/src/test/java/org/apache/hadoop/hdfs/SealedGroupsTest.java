// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** hflush and hsync of files that are too large to become replicated. */
@Tag("full")
class SealedGroupsTest extends SyncCase {
  private static final int GROUP = 3 * (int) BLOCK;

  /** Where the file is synced, in bytes. */
  private static final int[] SYNCS = {
    1,
    100,
    CELL,
    CELL + 1,
    STRIPE,
    2 * STRIPE,
    3 * STRIPE + CELL + 700,
    3 * STRIPE + CELL + 700 + GROUP,
    3 * STRIPE + CELL + 700 + 2 * GROUP + 5,
  };

  private static DistributedFileSystem sealing() throws IOException {
    return sealing("functional-partitioned");
  }

  private static DistributedFileSystem sealing(String mode) throws IOException {
    return sealing(mode, 100);
  }

  private static DistributedFileSystem sealing(String mode, int groupsMax) throws IOException {
    return cluster.open(
        mode,
        conf -> {
          conf.setInt(ClientKeys.WRITE_SYNC_SWITCH_MAX, 0);
          conf.setInt(ClientKeys.WRITE_SYNC_GROUPS_MAX, groupsMax);
        });
  }

  private static SealedGroups seals(FSDataOutputStream out) {
    return ((DurableOutputStream) out.getWrappedStream()).seals();
  }

  /** Returns what our own client reads of a file that may be open. */
  private static byte[] readByOurs(Path file) throws IOException {
    try (DistributedFileSystem ours =
        ours(conf -> conf.setBoolean(ClientKeys.READ_ENABLED, true))) {
      return read(ours, file);
    }
  }

  private static void assertSound(Path file, byte[] all) throws Exception {
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(isStriped(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
    assertThat(readByOurs(file)).isEqualTo(all);
    cluster.replicas(file);
    String[] verify = {"verifyEC", "-file", file.toString()};
    assertThat(ToolRunner.run(new DebugAdmin(cluster.conf()), verify)).isZero();
  }

  @Test
  void groupsOfBlocksThatAreNotWholeCellsEndAtSyncs() throws Exception {
    Path file = file("unaligned");
    byte[] all = bytes(GROUP + STRIPE + CELL + 5);
    try (FSDataOutputStream out = sealing().create(file, true, 4096, (short) 3, BLOCK + 512)) {
      out.write(all, 0, GROUP + 7);
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, GROUP + 7));
      out.write(all, GROUP + 7, all.length - GROUP - 7);
    }
    assertSound(file, all);
  }

  /** The edit log of all that the other tests did can be read. */
  @AfterAll
  static void theNameNodeStartsAgain() throws Exception {
    cluster.cluster.restartNameNode(0);
    cluster.cluster.waitActive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"functional-partitioned", "non-blocking", "blocking"})
  void syncedBytesAreReadByOthersAndTheFileGoesOn(String mode) throws Exception {
    Path file = file("sealed-" + mode);
    byte[] all = bytes(SYNCS[SYNCS.length - 1] + 2 * GROUP + 17);
    FSDataOutputStream out = sealing(mode).create(file);
    int done = 0;
    for (int size : SYNCS) {
      WriteCluster.writeInPieces(out, Arrays.copyOfRange(all, done, size), new Random(size));
      if (size % 2 == 0) {
        out.hsync();
      } else {
        out.hflush();
      }
      done = size;
      assertThat(fs.getFileStatus(file).getLen()).isEqualTo(size);
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, size));
      out.hflush();
    }
    assertThat(readByOurs(file)).isEqualTo(Arrays.copyOf(all, done));
    out.write(all, done, all.length - done);
    out.close();
    assertSound(file, all);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, CELL, STRIPE, STRIPE + 9, GROUP, GROUP + 1})
  void aFileIsClosedRightAfterASync(int size) throws Exception {
    Path file = file("closed" + size);
    byte[] all = bytes(size);
    FSDataOutputStream out = sealing().create(file);
    out.write(all);
    out.hsync();
    assertThat(fs.isFileClosed(file)).isFalse();
    out.close();
    out.close();
    assertSound(file, all);
    assertThat(fs.getClient().getLocatedBlocks(file.toUri().getPath(), 0).locatedBlockCount())
        .isEqualTo((size + GROUP - 1) / GROUP);
  }

  @Test
  void appendedBytesAreDurable() throws Exception {
    Path file = file("sealed-append");
    byte[] all = bytes(3 * STRIPE + 30);
    DistributedFileSystem ours = sealing();
    EnumSet<CreateFlag> append = EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
    try (FSDataOutputStream out = ours.create(file)) {
      out.write(all, 0, STRIPE + 10);
      out.hsync();
    }
    try (FSDataOutputStream out = ours.append(file, append, 4096, null)) {
      out.hsync();
      out.write(all, STRIPE + 10, STRIPE + 10);
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, 2 * STRIPE + 20));
      out.write(all, 2 * STRIPE + 20, STRIPE + 10);
    }
    assertSound(file, all);
  }

  @Test
  void filesOfAnEncryptionZoneAreRight() throws Exception {
    Path zone = cluster.zone(file("sealed-zone"));
    Path file = in(zone, "log");
    byte[] all = bytes(3 * STRIPE);
    try (FSDataOutputStream out = sealing().create(file)) {
      out.write(all, 0, STRIPE + 77);
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, STRIPE + 77));
      out.write(all, STRIPE + 77, all.length - STRIPE - 77);
    }
    assertThat(read(file)).isEqualTo(all);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1000, STRIPE + 1, GROUP + STRIPE})
  void aWriterThatDiesLosesNothingAcknowledged(int unsynced) throws Exception {
    for (int synced : new int[] {1, STRIPE + CELL + 5}) {
      Path file = file("sealed-dies-" + synced + "-" + unsynced);
      byte[] all = bytes(synced + unsynced);
      DistributedFileSystem ours = sealing();
      FSDataOutputStream out = ours.create(file);
      out.write(all, 0, synced);
      out.hsync();
      out.write(all, synced, unsynced);
      awaitAcknowledged(out);
      ours.getClient().closeAllFilesBeingWritten(true);
      recover(fs, file);
      byte[] left = read(file);
      WriteCluster.assertPrefix(file.toString(), left, all, synced);
    }
  }

  @ParameterizedTest
  @EnumSource(SealedGroups.Step.class)
  void aWriterThatDiesInASyncLosesNothingAcknowledged(SealedGroups.Step step) throws Exception {
    Path file = file("sealed-step-" + step);
    int synced = STRIPE + 5;
    byte[] all = bytes(synced + 2 * STRIPE + CELL + 9);
    DistributedFileSystem ours = sealing();
    FSDataOutputStream out = ours.create(file);
    out.write(all, 0, synced);
    out.hsync();
    out.write(all, synced, all.length - synced);
    endAt(step, ours, out);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    // Hadoop 3.3 and 3.4 cannot recover an empty group that has DataNodes.
    recover(step == SealedGroups.Step.FORGET_NODES ? ours : fs, file);
    byte[] left = read(file);
    WriteCluster.assertPrefix(file.toString(), left, all, synced);
    if (step == SealedGroups.Step.PARITY) {
      assertThat(left).isEqualTo(all);
    }
  }

  /** Parity that replaces lost data is there before the length of the group is journaled. */
  @Test
  void aWriterThatDiesWithoutADataNodeAppendsNothing() throws Exception {
    Path file = file("sealed-dies-without");
    byte[] all = bytes(STRIPE + CELL + 9);
    DistributedFileSystem ours = sealing();
    FSDataOutputStream out = ours.create(file);
    out.write(all);
    awaitAcknowledged(out);
    DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
    StripedDataStreamer streamer = stream.getStripedDataStreamer(2);
    MiniDFSCluster.DataNodeProperties stopped =
        cluster.cluster.stopDataNode(streamer.getNodes()[0].getXferAddr());
    try {
      Conditions.await("the end of a streamer", () -> !streamer.isHealthy());
      endAt(SealedGroups.Step.JOURNAL, ours, out);
      recover(fs, file);
      assertThat(read(file)).isEqualTo(all);
    } finally {
      cluster.cluster.restartDataNode(stopped, true);
      cluster.cluster.waitActive();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1000, STRIPE + 1})
  void aFencedWriterFails(int unsynced) throws Exception {
    Path file = file("sealed-fenced" + unsynced);
    byte[] all = bytes(STRIPE + 5);
    FSDataOutputStream out = sealing().create(file);
    out.write(all);
    out.hsync();
    out.write(new byte[unsynced]);
    recover(fs, file);
    byte[] left = read(file);
    assertThat(Arrays.copyOf(left, all.length)).isEqualTo(all);
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThatThrownBy(
            () -> {
              out.write(1);
              out.hsync();
            })
        .isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertThat(read(file)).isEqualTo(left);
  }

  @Test
  void aFencedWriterThatClosesLeavesTheFileAlone() throws Exception {
    Path file = file("sealed-fenced-close");
    byte[] all = bytes(STRIPE + 5);
    FSDataOutputStream out = sealing().create(file);
    out.write(all);
    out.hsync();
    recover(fs, file);
    FSDataOutputStream other =
        fs.append(file, EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK), 4096, null);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    other.write(all);
    other.close();
    assertThat(read(file)).hasSize(2 * all.length);
  }

  @Test
  void aFileThatWasRenamedIsClosed() throws Exception {
    Path file = file("sealed-renamed");
    Path to = file("sealed-renamed-to");
    byte[] all = bytes(STRIPE + 5);
    FSDataOutputStream out = sealing().create(file);
    out.write(all, 0, 10);
    out.hsync();
    assertThat(fs.rename(file, to)).isTrue();
    fs.create(file).close();
    out.write(all, 10, all.length - 10);
    out.hsync();
    out.close();
    assertSound(to, all);
    assertThat(fs.getFileStatus(file).getLen()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"rs, 3, 2, 1", "rs, 3, 2, 4", "xor, 2, 1, 1", "xor, 2, 1, 2"})
  void syncsGoOnAfterDataNodesAreLost(String codec, int data, int parity, int unit)
      throws Exception {
    Path file = in(cluster.directory(codec, data, parity, CELL), "sealed-dead" + unit);
    byte[] all = bytes(4 * STRIPE + 3);
    FSDataOutputStream out = sealing().create(file);
    out.write(all, 0, STRIPE);
    out.hsync();
    out.write(all, STRIPE, STRIPE + 1);
    DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
    awaitAcknowledged(out);
    String address = stream.getStripedDataStreamer(unit).getNodes()[0].getXferAddr();
    MiniDFSCluster.DataNodeProperties stopped = cluster.cluster.stopDataNode(address);
    try {
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, 2 * STRIPE + 1));
      out.write(all, 2 * STRIPE + 1, all.length - 2 * STRIPE - 1);
      out.hsync();
      assertThat(read(file)).isEqualTo(all);
      out.close();
    } finally {
      cluster.cluster.restartDataNode(stopped, true);
      cluster.cluster.waitActive();
    }
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
  }

  @ParameterizedTest
  @ValueSource(strings = {"functional-partitioned", "blocking"})
  void aFileThatIsTooLargeIsRefusedByDefaultAndGoesOn(String mode) throws Exception {
    Path file = file("large-" + mode);
    byte[] all = bytes(GROUP + STRIPE);
    FSDataOutputStream out = sealing(mode, 0).create(file);
    out.write(all, 0, STRIPE + 1);
    assertRefusedAndGoesOn(out, file, all, STRIPE + 1);
  }

  private static void assertRefusedAndGoesOn(
      FSDataOutputStream out, Path file, byte[] all, int written) throws Exception {
    assertThatThrownBy(out::hsync)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(ClientKeys.WRITE_SYNC_SWITCH_MAX)
        .hasMessageContaining(ClientKeys.WRITE_SYNC_GROUPS_MAX);
    out.write(all, written, all.length - written);
    out.close();
    assertSound(file, all);
  }

  @Test
  void tooManySyncsAreToldAndTheFileGoesOn() throws Exception {
    Path file = file("sealed-many");
    byte[] all = bytes(3 * STRIPE);
    FSDataOutputStream out = sealing("functional-partitioned", 2).create(file);
    out.write(all, 0, 10);
    out.hsync();
    out.write(all, 10, STRIPE);
    out.hsync();
    out.hsync();
    out.write(all, STRIPE + 10, 1);
    assertRefusedAndGoesOn(out, file, all, STRIPE + 11);
  }

  @Test
  void nothingIsLostWhenTheNameNodeRestarts() throws Exception {
    byte[] all = bytes(3 * STRIPE + 100);
    int synced = STRIPE + CELL + 3;
    List<FSDataOutputStream> outs = new ArrayList<>();
    List<DistributedFileSystem> own = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      own.add(sealing());
      outs.add(own.get(i).create(file("sealed-restart" + i)));
      outs.get(i).write(all, 0, synced);
      outs.get(i).hsync();
    }
    cluster.cluster.restartNameNode(0);
    cluster.cluster.waitActive();
    own.get(0).getClient().closeAllFilesBeingWritten(true);
    recover(fs, file("sealed-restart0"));
    assertThat(read(file("sealed-restart0"))).isEqualTo(Arrays.copyOf(all, synced));
    outs.get(1).write(all, synced, all.length - synced);
    outs.get(1).hsync();
    assertThat(read(file("sealed-restart1"))).isEqualTo(all);
    outs.get(1).close();
    assertSound(file("sealed-restart1"), all);
    outs.get(2).close();
    assertSound(file("sealed-restart2"), Arrays.copyOf(all, synced));
  }
}
