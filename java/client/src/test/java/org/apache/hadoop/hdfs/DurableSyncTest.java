// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.crypto.JceAesCtrCryptoCodec;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.ReplicatedSwitch.Step;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** hflush and hsync of erasure-coded files: acknowledged bytes survive, and writers are fenced. */
class DurableSyncTest extends SyncCase {
  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, CELL, STRIPE - 1, STRIPE, 5 * STRIPE + 7, 8 * STRIPE, 17 * STRIPE + CELL + 1})
  void syncedBytesAreReadByOthersAndTheFileGoesOn(int size) throws IOException {
    org.apache.hadoop.fs.Path file = file("sizes" + size);
    byte[] all = bytes(size + 3 * (int) BLOCK);
    FSDataOutputStream out = ours().create(file);
    out.write(all, 0, size);
    out.hsync();
    assertThat(isStriped(file)).isFalse();
    assertThat(fs.getFileStatus(file).getLen()).isEqualTo(size);
    assertThat(read(file)).isEqualTo(Arrays.copyOf(all, size));
    assertThat(temporaryFiles(file)).isEmpty();

    out.write(all, size, 100);
    out.hflush();
    assertThat(read(file)).isEqualTo(Arrays.copyOf(all, size + 100));
    out.write(all[size + 100]);
    ((HdfsDataOutputStream) out).hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH, SyncFlag.END_BLOCK));
    assertThat(fs.getFileStatus(file).getLen()).isEqualTo(size + 101);
    out.write(all, size + 101, all.length - size - 101);
    out.close();
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
    assertThat(fs.getFileStatus(file).getReplication()).isEqualTo((short) 3);
  }

  @Test
  void aSyncedFileHasAtLeastTheReplicasOfOtherFiles() throws IOException {
    for (short requested : new short[] {1, 4}) {
      org.apache.hadoop.fs.Path file = file("replicas" + requested);
      try (FSDataOutputStream out = ours().create(file, true, 4096, requested, BLOCK)) {
        out.write(1);
        out.hsync();
      }
      assertThat((int) fs.getFileStatus(file).getReplication()).isEqualTo(Math.max(3, requested));
    }
  }

  @Test
  void aStreamThatIsNeverSyncedWritesAnErasureCodedFile() throws IOException {
    org.apache.hadoop.fs.Path file = file("never");
    byte[] all = bytes(2 * STRIPE + 5);
    try (FSDataOutputStream out = ours().create(file)) {
      assertThat(out.hasCapability(StreamCapabilities.HSYNC)).isTrue();
      assertThat(out.hasCapability(StreamCapabilities.HFLUSH)).isTrue();
      out.write(all);
    }
    assertThat(isStriped(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 8 * STRIPE - 1, 30 * STRIPE + 7})
  void blocksThatAreNotWholeCellsAreSynced(int size) throws IOException {
    org.apache.hadoop.fs.Path file = file("unaligned" + size);
    byte[] all = bytes(size + STRIPE);
    try (FSDataOutputStream out = ours().create(file, true, 4096, (short) 3, BLOCK + 512)) {
      assertThat(out.hasCapability(StreamCapabilities.HSYNC)).isTrue();
      out.write(all, 0, size);
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, size));
      out.write(all, size, STRIPE);
    }
    assertThat(read(file)).isEqualTo(all);
    assertThat(fs.getFileStatus(file).getBlockSize()).isEqualTo(BLOCK + 512);
  }

  @Test
  void blocksThatAreNotWholeChecksumsAreSynced() throws IOException {
    org.apache.hadoop.fs.Path file = file("odd");
    byte[] all = bytes(2 * STRIPE);
    try (FSDataOutputStream out = ours().create(file, true, 4096, (short) 3, BLOCK + 100)) {
      out.write(all, 0, STRIPE);
      out.hsync();
      out.write(all, STRIPE, STRIPE);
    }
    assertThat(read(file)).isEqualTo(all);
  }

  @Test
  void blocksThatAreNotWholeCellsAreErasureCodedIfNotSynced() throws Exception {
    org.apache.hadoop.fs.Path file = file("unaligned-striped");
    byte[] all = bytes(50 * STRIPE + 7);
    int first = 20 * STRIPE + CELL + 5;
    try (FSDataOutputStream out = ours().create(file, true, 4096, (short) 3, BLOCK + 512)) {
      out.write(all, 0, first);
    }
    EnumSet<org.apache.hadoop.fs.CreateFlag> flags =
        EnumSet.of(
            org.apache.hadoop.fs.CreateFlag.APPEND, org.apache.hadoop.fs.CreateFlag.NEW_BLOCK);
    try (FSDataOutputStream out = ours().append(file, flags, 4096, null)) {
      out.write(all, first, all.length - first);
    }
    assertThat(isStriped(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
    cluster.cluster.restartNameNode(true);
    assertThat(read(file)).isEqualTo(all);
  }

  @Test
  void appendedBytesAreDurable() throws IOException {
    org.apache.hadoop.fs.Path file = file("append");
    byte[] all = bytes(10 * STRIPE);
    DistributedFileSystem ours = ours();
    try (FSDataOutputStream out = ours.create(file)) {
      out.write(all, 0, 4 * STRIPE + 11);
    }
    try (FSDataOutputStream out =
        ours.append(
            file,
            EnumSet.of(
                org.apache.hadoop.fs.CreateFlag.APPEND, org.apache.hadoop.fs.CreateFlag.NEW_BLOCK),
            4096,
            null)) {
      out.write(all, 4 * STRIPE + 11, 3 * STRIPE);
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, 7 * STRIPE + 11));
      out.write(all, 7 * STRIPE + 11, 3 * STRIPE - 11);
    }
    assertThat(read(file)).isEqualTo(all);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3 * STRIPE + 12_345})
  void filesOfAnEncryptionZoneAreRight(int size) throws Exception {
    org.apache.hadoop.fs.Path zone = cluster.zone(file("zone" + size));
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(zone, "log");
    byte[] all = bytes(size + (int) BLOCK + 5);
    try (FSDataOutputStream out = ours().create(file)) {
      out.write(all, 0, size);
      out.hsync();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, size));
      out.write(all, size, 5);
      out.hflush();
      assertThat(read(file)).isEqualTo(Arrays.copyOf(all, size + 5));
      out.write(all, size + 5, (int) BLOCK);
    }
    assertThat(read(file)).isEqualTo(all);
    assertThat(fs.getFileStatus(file).isEncrypted()).isTrue();
  }

  @Test
  void anOrdinaryUserKeepsPermissionAclAndAttributes() throws Exception {
    org.apache.hadoop.fs.Path home = file("alice");
    fs.mkdirs(home);
    fs.setOwner(home, "alice", "users");
    DistributedFileSystem own = oursAs("alice");
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(home, "log");
    FSDataOutputStream out = own.create(file);
    own.setPermission(file, new FsPermission((short) 0640));
    own.setOwner(file, null, "staff");
    own.modifyAclEntries(file, AclEntry.parseAclSpec("user:bob:r--", true));
    own.setXAttr(file, "user.origin", new byte[] {1, 2});
    own.setStoragePolicy(file, "ALL_SSD");
    FileStatus before = own.getFileStatus(file);
    out.write(bytes(1000));
    out.hsync();
    FileStatus after = own.getFileStatus(file);
    assertThat(after.isErasureCoded()).isFalse();
    assertThat(after.getOwner()).isEqualTo("alice");
    assertThat(after.getGroup()).isEqualTo("staff");
    assertThat(after.getPermission()).isEqualTo(before.getPermission());
    assertThat(own.getAclStatus(file).getEntries()).hasSize(2);
    assertThat(own.getXAttrs(file)).containsOnlyKeys("user.origin");
    assertThat(own.getStoragePolicy(file).getName()).isEqualTo("ALL_SSD");
    out.close();
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void aWriterThatDiesLosesNothingAcknowledged(Step step) throws IOException {
    org.apache.hadoop.fs.Path file = file("dies-" + step);
    DistributedFileSystem ours = ours();
    byte[] all = bytes(4 * STRIPE + 9);
    FSDataOutputStream out = ours.create(file);
    out.write(all);
    client(ours)
        .setSwitchListener(
            begun -> {
              if (begun == step) {
                ours.getClient().closeAllFilesBeingWritten(true);
                ours.getClient().clientRunning = false;
                throw new AssertionError("The process ends here");
              }
            });
    assertThatThrownBy(out::hsync).hasMessageContaining("The process ends here");
    DistributedFileSystem other = ours();
    recover(other, file);
    assertThat(temporaryFiles(file)).isEmpty();
    byte[] left = read(file);
    WriteCluster.assertPrefix(file.toString(), left, all, 0);
    if (step == Step.DROP) {
      assertThat(left).isEqualTo(all);
    }
  }

  @Test
  void aWriterThatStopsBeforeTheRenameIsFencedByOurClient() throws IOException {
    org.apache.hadoop.fs.Path file = file("stopped");
    DistributedFileSystem ours = ours();
    DistributedFileSystem fencer = ours();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(4 * STRIPE + 9));
    client(ours)
        .setSwitchListener(
            step -> {
              if (step == Step.RENAME) {
                recover(fencer, file);
              }
            });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class).hasMessageContaining("Cannot");
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(isStriped(file)).isTrue();
  }

  @Test
  void aFileThatTookThePathIsLeftAlone() throws IOException {
    org.apache.hadoop.fs.Path file = file("taken");
    DistributedFileSystem ours = ours();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(1000));
    byte[] others = bytes(77);
    client(ours)
        .setSwitchListener(
            step -> {
              if (step == Step.RENAME) {
                fs.delete(file, false);
                try (FSDataOutputStream other = fs.create(file)) {
                  other.write(others);
                }
              }
            });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThat(read(file)).isEqualTo(others);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertThat(read(file)).isEqualTo(others);
    assertThat(temporaryFiles(file)).isEmpty();
  }

  @Test
  void aFencedWriterFailsAfterTheSwitch() throws IOException {
    org.apache.hadoop.fs.Path file = file("fenced");
    FSDataOutputStream out = ours().create(file);
    out.write(bytes(500));
    out.hsync();
    recover(fs, file);
    assertThatThrownBy(
            () -> {
              out.write(1);
              out.hsync();
            })
        .isInstanceOf(IOException.class);
    assertThat(fs.getFileStatus(file).getLen()).isEqualTo(500);
  }

  @Test
  void aSwitchWithoutRoomFailsAndTheErasureCodedFileGoesOn() throws IOException {
    org.apache.hadoop.fs.Path narrow = file("narrow");
    fs.mkdirs(narrow);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(narrow, "log");
    byte[] all = bytes(3 * STRIPE + 1);
    FSDataOutputStream out = ours().create(file);
    out.write(all, 0, 2 * STRIPE);
    // The directory and the file use both names.
    fs.setQuota(narrow, 2, Long.MAX_VALUE);
    assertThatThrownBy(out::hsync)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Cannot hsync " + file.toUri().getPath());
    out.write(all, 2 * STRIPE, STRIPE + 1);
    out.close();
    assertThat(isStriped(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
    assertThat(fs.listStatus(narrow)).hasSize(1);
  }

  @Test
  void theCopyIsRightWithADeadDataNode() throws IOException {
    org.apache.hadoop.fs.Path file = file("dead");
    byte[] all = bytes(6 * STRIPE + 3);
    FSDataOutputStream out = ours().create(file);
    out.write(all, 0, 3 * STRIPE);
    StripelineOutputStream stream = (StripelineOutputStream) out.getWrappedStream();
    Conditions.await(
        "the streamers to have their blocks",
        () -> stream.getStripedDataStreamer(1).getNodes() != null);
    String address = stream.getStripedDataStreamer(1).getNodes()[0].getXferAddr();
    MiniDFSCluster.DataNodeProperties stopped = cluster.cluster.stopDataNode(address);
    try {
      out.write(all, 3 * STRIPE, 3 * STRIPE + 3);
      out.hsync();
      assertThat(read(file)).isEqualTo(all);
      out.close();
    } finally {
      cluster.cluster.restartDataNode(stopped, true);
      cluster.cluster.waitActive();
    }
  }

  @Test
  void theStripedFilesStreamersEndAlsoIfTheReplicatedFileHasEnded() throws IOException {
    DistributedFileSystem ours = ours();
    FSDataOutputStream out = ours.create(file("ended"));
    out.write(bytes(2 * STRIPE));
    at(Step.DROP, ours, step -> ours.getClient().closeAllFilesBeingWritten(true));
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    DFSStripedOutputStream stream = (DFSStripedOutputStream) out.getWrappedStream();
    for (int unit = 0; unit < 5; unit++) {
      assertThat(stream.getStripedDataStreamer(unit).isAlive()).as("streamer %d", unit).isFalse();
    }
  }

  @Test
  void bytesThatAThreadWritesWhileAnotherSyncsAreKept() throws Exception {
    org.apache.hadoop.fs.Path file = file("threads");
    byte[] all = bytes(200_000);
    FSDataOutputStream out = ours().create(file);
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (int i = 0; i < all.length; i += 100) {
                  out.write(all, i, 100);
                }
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    for (int i = 0; i < 20 || !writer.isDone(); i++) {
      out.hflush();
    }
    writer.get(60, TimeUnit.SECONDS);
    out.close();
    assertThat(read(file)).isEqualTo(all);
  }

  @Test
  void filesInConfiguredDirectoriesAreReplicatedFromTheirFirstByte() throws IOException {
    DistributedFileSystem own =
        ours(
            conf -> conf.set(ClientKeys.WRITE_REPLICATED_FIRST, coded.toUri().getPath() + "/wal/"));
    fs.mkdirs(file("wal"));
    try (FSDataOutputStream out = own.create(file("wal/one"))) {
      assertThat(isStriped(file("wal/one"))).isFalse();
    }
    try (FSDataOutputStream out = own.create(file("walter"))) {
      assertThat(isStriped(file("walter"))).isTrue();
    }
  }

  @Test
  void ciphersAreClosed() throws Exception {
    org.apache.hadoop.fs.Path zone = cluster.zone(file("ciphers"));
    DistributedFileSystem ours =
        ours(
            conf ->
                conf.set(
                    CommonConfigurationKeysPublic
                        .HADOOP_SECURITY_CRYPTO_CODEC_CLASSES_AES_CTR_NOPADDING_KEY,
                    CountedCodec.class.getName()));
    FSDataOutputStream out = ours.create(in(zone, "closed"));
    out.write(bytes(100));
    out.hsync();
    out.close();
    assertThat(CountedCodec.OPEN).hasValue(0);

    FSDataOutputStream aborted = ours.create(in(zone, "aborted"));
    aborted.hsync();
    aborted.write(bytes(100));
    ours.getClient().closeAllFilesBeingWritten(true);
    assertThatThrownBy(aborted::close).isInstanceOf(IOException.class);
    assertThat(CountedCodec.OPEN.get()).as("Hadoop's own cipher").isLessThanOrEqualTo(1);
    CountedCodec.OPEN.set(0);

    FSDataOutputStream failed = ours.create(in(zone, "failed"));
    failed.write(bytes(100));
    at(
        Step.CHECK,
        ours,
        step -> {
          throw new IOException("injected");
        });
    assertThatThrownBy(failed::hsync).hasMessageContaining("injected");
    assertThat(CountedCodec.OPEN).hasValue(1);
    failed.close();
    assertThat(CountedCodec.OPEN).hasValue(0);
  }

  @Test
  void aFileOfLessThanAStripeKeepsNoSpaceForOtherBlocks() throws Exception {
    int before = scheduledBlocks();
    for (int i = 0; i < 5; i++) {
      try (FSDataOutputStream out = ours().create(file("scheduled" + i))) {
        out.write(bytes(STRIPE - 1));
        out.hsync();
      }
    }
    Conditions.await("all blocks to arrive", () -> scheduledBlocks() <= before);
  }

  /** Returns how many blocks the NameNode expects that no DataNode has reported. */
  private static int scheduledBlocks() {
    return cluster
        .cluster
        .getNamesystem()
        .getBlockManager()
        .getDatanodeManager()
        .getDatanodeListForReport(HdfsConstants.DatanodeReportType.LIVE)
        .stream()
        .mapToInt(DatanodeDescriptor::getBlocksScheduled)
        .sum();
  }

  /** Counts the codecs that are not closed. */
  public static final class CountedCodec extends JceAesCtrCryptoCodec {
    static final AtomicInteger OPEN = new AtomicInteger();

    /** Counts the new codec. */
    public CountedCodec() {
      OPEN.incrementAndGet();
    }

    @Override
    public void close() throws IOException {
      super.close();
      OPEN.decrementAndGet();
    }
  }
}
