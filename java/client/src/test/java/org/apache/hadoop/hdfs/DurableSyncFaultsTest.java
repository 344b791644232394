// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.ReplicatedSwitch.Step;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.write.WriteStatistics;
import org.stripeline.testkit.Conditions;

/** Faults, other clients and unusual files during the first durable sync. */
@Tag("full")
class DurableSyncFaultsTest extends SyncCase {
  private static final String RANDOM = ".0123456789abcdef" + TemporaryFiles.SUFFIX;

  private static String byInode(org.apache.hadoop.fs.Path file) throws IOException {
    long inode = fs.getClient().getFileInfo(file.toUri().getPath()).getFileId();
    return TemporaryFiles.INODES + inode;
  }

  @Test
  void twoWritersOfAPathKeepTheirBytes() throws Exception {
    org.apache.hadoop.fs.Path file = file("twice");
    DistributedFileSystem first = ours();
    DistributedFileSystem second = ours();
    FSDataOutputStream old = first.create(file);
    old.write(bytes(1000));
    CountDownLatch renames = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    at(
        Step.RENAME,
        second,
        step -> {
          renames.countDown();
          Conditions.await("the other writer", () -> goesOn.getCount() == 0);
        });
    CompletableFuture<?>[] syncing = new CompletableFuture<?>[1];
    FSDataOutputStream[] young = new FSDataOutputStream[1];
    at(
        Step.CREATE,
        first,
        step -> {
          fs.delete(file, false);
          young[0] = second.create(file);
          young[0].write(bytes(77));
          syncing[0] = CompletableFuture.runAsync(() -> sync(young[0]));
          Conditions.await("the rename", () -> renames.getCount() == 0);
        });
    assertThatThrownBy(old::hsync).isInstanceOf(IOException.class);
    goesOn.countDown();
    syncing[0].get(60, TimeUnit.SECONDS);
    young[0].close();
    assertThat(isStriped(file)).isFalse();
    assertThat(read(file)).isEqualTo(bytes(77));
    assertThat(temporaryFiles(file)).isEmpty();
    assertThatThrownBy(old::close).isInstanceOf(IOException.class);
  }

  private static void sync(FSDataOutputStream out) {
    try {
      out.hsync();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFencerRemovesOnlyTheTemporaryFilesOfItsFile() throws IOException {
    org.apache.hadoop.fs.Path folder = folder("mine");
    org.apache.hadoop.fs.Path file = in(folder, "a");
    fs.create(file).close();
    org.apache.hadoop.fs.Path own = in(folder, ".a.7" + RANDOM);
    org.apache.hadoop.fs.Path open = in(folder, ".a.8" + RANDOM);
    org.apache.hadoop.fs.Path directory = in(folder, ".a.9" + RANDOM);
    org.apache.hadoop.fs.Path others = in(folder, ".a.5.7" + RANDOM);
    org.apache.hadoop.fs.Path users = in(folder, ".a.b" + TemporaryFiles.SUFFIX);
    fs.create(own).close();
    FSDataOutputStream writer = ours().create(open);
    fs.mkdirs(directory);
    fs.create(others).close();
    fs.create(users).close();
    assertThat(ours().recoverLease(file)).isTrue();
    assertThat(fs.exists(own)).isFalse();
    assertThat(fs.exists(open)).isFalse();
    assertThat(fs.exists(directory)).isTrue();
    assertThat(fs.exists(others)).isTrue();
    assertThat(fs.exists(users)).isTrue();
    assertThatThrownBy(writer::close).isInstanceOf(IOException.class);
  }

  @Test
  void leftoversOfDeadWritersAreDeleted() throws IOException {
    org.apache.hadoop.fs.Path folder = folder("leftovers");
    org.apache.hadoop.fs.Path old = in(folder, ".old.7" + RANDOM);
    org.apache.hadoop.fs.Path young = in(folder, ".young.8" + RANDOM);
    org.apache.hadoop.fs.Path hidden = in(folder, ".old");
    org.apache.hadoop.fs.Path directory = in(folder, ".directory.9" + RANDOM);
    for (org.apache.hadoop.fs.Path path : Arrays.asList(old, young, hidden)) {
      fs.create(path).close();
    }
    fs.mkdirs(directory);
    long longAgo = fs.getFileStatus(old).getModificationTime() - TimeUnit.HOURS.toMillis(3);
    for (org.apache.hadoop.fs.Path path : Arrays.asList(old, hidden, directory)) {
      fs.setTimes(path, longAgo, -1);
    }
    try (FSDataOutputStream out = ours().create(in(folder, "log"))) {
      out.hsync();
    }
    assertThat(fs.exists(old)).isFalse();
    assertThat(fs.exists(young)).isTrue();
    assertThat(fs.exists(hidden)).isTrue();
    assertThat(fs.exists(directory)).isTrue();
  }

  @Test
  void namesThatWouldBeTooLongHoldADigest() throws IOException {
    assertThat(TemporaryFiles.newPath("/a/log", 12))
        .matches("/a/\\.log\\.12\\.[0-9a-f]{16}\\.stripeline-sync")
        .isNotEqualTo(TemporaryFiles.newPath("/a/log", 12));
    org.apache.hadoop.fs.Path file = file(String.join("", Collections.nCopies(250, "n")));
    try (FSDataOutputStream out = ours().create(file)) {
      out.write(bytes(100));
      out.hsync();
    }
    assertThat(isStriped(file)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFencerThatPollsFencesAWriterBeforeTheRename(boolean named) throws IOException {
    org.apache.hadoop.fs.Path file = file("polled" + named);
    DistributedFileSystem ours = ours();
    DistributedFileSystem fencer = ours();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(4 * STRIPE + 9));
    at(
        Step.RENAME,
        ours,
        step -> {
          String path = named ? file.toUri().getPath() : byInode(file);
          assertThat(fencer.getClient().recoverLease(path)).isFalse();
          Conditions.await("the end of the recovery", () -> fs.isFileClosed(file));
          assertThat(temporaryFiles(file)).isEmpty();
        });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(isStriped(file)).isTrue();
  }

  @Test
  void aFencerWithoutPermissionForTheDirectoryFencesAWriter() throws Exception {
    org.apache.hadoop.fs.Path file = in(folder("guarded"), "log");
    DistributedFileSystem ours = ours();
    DistributedFileSystem fencer = oursAs("bob");
    FSDataOutputStream out = ours.create(file);
    fs.setPermission(file, new FsPermission((short) 0666));
    out.write(bytes(1000));
    at(Step.RENAME, ours, step -> assertThat(fencer.recoverLease(file)).isFalse());
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    recover(fencer, file);
    assertThat(temporaryFiles(file)).isEmpty();
  }

  @Test
  void aFencerThatCannotListTheDirectoryRecoversTheLease() throws Exception {
    org.apache.hadoop.fs.Path folder = folder("unlisted");
    org.apache.hadoop.fs.Path file = in(folder, "log");
    FSDataOutputStream out = ours().create(file);
    fs.setPermission(file, new FsPermission((short) 0666));
    fs.setPermission(folder, new FsPermission((short) 0711));
    out.write(bytes(STRIPE));
    recover(oursAs("bob"), file);
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
  }

  @Test
  void aFileThatIsNoLongerAtItsPathIsRefusedAndGoesOn() throws IOException {
    org.apache.hadoop.fs.Path file = file("moved");
    org.apache.hadoop.fs.Path other = file("moved-away");
    DistributedFileSystem ours = ours();
    byte[] all = bytes(2 * STRIPE);
    FSDataOutputStream out = ours.create(file);
    out.write(all, 0, STRIPE + 1);
    fs.rename(file, other);
    fs.create(file).close();
    at(
        Step.CREATE,
        ours,
        step -> {
          throw new AssertionError("A temporary file is created");
        });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class).hasMessageContaining("renamed");
    out.write(all, STRIPE + 1, STRIPE - 1);
    out.close();
    assertThat(read(other)).isEqualTo(all);
    assertThat(read(file)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ONE_SSD", "WARM"})
  void storagePoliciesThatErasureCodedFilesIgnoreApplyToTheReplicatedFile(String policy)
      throws IOException {
    org.apache.hadoop.fs.Path folder = folder(policy);
    fs.setStoragePolicy(folder, policy);
    org.apache.hadoop.fs.Path file = in(folder, "log");
    try (FSDataOutputStream out = ours().create(file)) {
      out.write(bytes(1000));
      out.hsync();
      assertThat(isStriped(file)).isFalse();
      assertThat(fs.getStoragePolicy(file).getName()).isEqualTo(policy);
    }
  }

  @Test
  void theReplicatedFileIsWrittenAsTheCallerAsked() throws IOException {
    org.apache.hadoop.fs.Path file = file("asked");
    int[] calls = new int[1];
    DataNode favored = cluster.cluster.getDataNodes().get(4);
    try (FSDataOutputStream out =
        ours()
            .createFile(file)
            .create()
            .favoredNodes(new InetSocketAddress[] {favored.getXferAddress()})
            .checksumOpt(new ChecksumOpt(DataChecksum.Type.CRC32, 1024))
            .progress(() -> calls[0]++)
            .build()) {
      out.write(bytes(1000));
      out.hsync();
      calls[0] = 0;
      DFSOutputStream replicated =
          ((DurableOutputStream) out.getWrappedStream()).replicated().file();
      assertThat(replicated.shouldSyncBlock).isTrue();
      assertThat(Arrays.stream(replicated.getPipeline()).map(DatanodeInfo::getDatanodeUuid))
          .contains(favored.getDatanodeUuid());
      out.write(bytes(3 * STRIPE));
      out.hsync();
      assertThat(calls[0]).isPositive();
    }
    ChecksumOpt checksum = fs.getFileChecksum(file).getChecksumOpt();
    assertThat(checksum.getChecksumType()).isEqualTo(DataChecksum.Type.CRC32);
    assertThat(checksum.getBytesPerChecksum()).isEqualTo(1024);
  }

  @Test
  void aFileThatIgnoresTheWritersNodeDoesSoAfterTheSwitch() throws IOException {
    try (FSDataOutputStream out =
        ours()
            .create(
                file("elsewhere"),
                FsPermission.getFileDefault(),
                EnumSet.of(CreateFlag.CREATE, CreateFlag.IGNORE_CLIENT_LOCALITY),
                4096,
                (short) 2,
                BLOCK,
                null,
                null)) {
      out.hsync();
      DFSOutputStream replicated =
          ((DurableOutputStream) out.getWrappedStream()).replicated().file();
      assertThat(replicated.getAddBlockFlags()).contains(AddBlockFlag.IGNORE_CLIENT_LOCALITY);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void aStreamerThatFailsAfterItsGroupLosesNothing(int more) throws IOException {
    org.apache.hadoop.fs.Path file = file("end" + more);
    byte[] all = bytes(8 * STRIPE + more);
    FSDataOutputStream out = ours().create(file);
    out.write(all, 0, 8 * STRIPE);
    DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
    awaitAcknowledged(out);
    stream.getStripedDataStreamer(1).close(true);
    out.write(all, 8 * STRIPE, more);
    out.hsync();
    assertThat(isStriped(file)).isFalse();
    assertThat(read(file)).isEqualTo(all);
    out.close();
  }

  @Test
  void aStreamThatLosesTooManyDataNodesBeforeASyncCannotBeClosed() throws IOException {
    org.apache.hadoop.fs.Path file = file("lost");
    FSDataOutputStream out = ours().create(file);
    out.write(bytes(STRIPE));
    awaitAcknowledged(out);
    DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
    for (int unit = 0; unit < 3; unit++) {
      stream.getStripedDataStreamer(unit).close(true);
    }
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertThat(fs.isFileClosed(file)).isFalse();
  }

  @Test
  void aSwitchIsNoFailureOfAStreamAndLeavesNoLease() throws IOException {
    DistributedFileSystem ours = ours();
    FSDataOutputStream out = ours.create(file("counted"));
    out.write(bytes(STRIPE + 1));
    DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
    at(
        Step.DROP,
        ours,
        step -> {
          // A stream whose streamers have ended counts as closed.
          for (int i = 0; i < 5; i++) {
            stream.getStripedDataStreamer(i).close(true);
          }
        });
    long failed = WriteStatistics.shared().streamsFailed();
    out.hsync();
    assertThat(WriteStatistics.shared().streamsFailed()).isEqualTo(failed);
    out.close();
    assertThat(ours.getClient().isFilesBeingWrittenEmpty()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"OPEN", "COPY", "CHECK"})
  void aSwitchThatFailsLeavesNoLeaseAndNoFile(Step at) throws IOException {
    org.apache.hadoop.fs.Path file = file("fails-" + at);
    DistributedFileSystem ours = ours();
    byte[] all = bytes(2 * STRIPE);
    FSDataOutputStream out = ours.create(file);
    out.write(all, 0, STRIPE + 1);
    at(
        at,
        ours,
        step -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    assertThatThrownBy(out::hsync).isInstanceOf(OutOfMemoryError.class);
    assertThat(temporaryFiles(file)).isEmpty();
    out.write(all, STRIPE + 1, STRIPE - 1);
    out.close();
    assertThat(ours.getClient().isFilesBeingWrittenEmpty()).isTrue();
    assertThat(isStriped(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
  }

  @Test
  void anErrorAfterTheRenameLeavesTheReplicatedFileOpen() throws IOException {
    org.apache.hadoop.fs.Path file = file("error");
    DistributedFileSystem ours = ours();
    byte[] all = bytes(2 * STRIPE);
    FSDataOutputStream out = ours.create(file);
    out.write(all, 0, STRIPE + 1);
    at(
        Step.DROP,
        ours,
        step -> {
          throw new StackOverflowError();
        });
    assertThatThrownBy(out::hsync).isInstanceOf(StackOverflowError.class);
    out.write(all, STRIPE + 1, STRIPE - 1);
    out.hsync();
    assertThat(read(file)).isEqualTo(all);
    out.close();
    assertThat(fs.isFileClosed(file)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"END", "RENAME", "DROP"})
  void anInterruptDoesNotEndTheReplacementHalfWay(Step at) throws IOException {
    org.apache.hadoop.fs.Path file = file("interrupted-" + at);
    DistributedFileSystem ours = ours();
    byte[] all = bytes(2 * STRIPE);
    FSDataOutputStream out = ours.create(file);
    out.write(all, 0, STRIPE + 1);
    at(at, ours, step -> Thread.currentThread().interrupt());
    boolean isReported = false;
    try {
      out.hsync();
    } catch (InterruptedIOException e) {
      // Unless all bytes were acknowledged before the stream had to wait for them.
      isReported = true;
    }
    assertThat(Thread.interrupted() || isReported).isTrue();
    assertThat(isStriped(file)).isFalse();
    assertThat(temporaryFiles(file)).isEmpty();
    out.write(all, STRIPE + 1, STRIPE - 1);
    out.hsync();
    assertThat(read(file)).isEqualTo(all);
    out.close();
  }

  @Test
  void anInterruptOfTheCopyLeavesTheErasureCodedFile() throws IOException {
    org.apache.hadoop.fs.Path file = file("interrupted");
    DistributedFileSystem ours = ours();
    byte[] all = bytes(2 * STRIPE);
    FSDataOutputStream out = ours.create(file);
    out.write(all, 0, STRIPE + 1);
    at(Step.COPY, ours, step -> Thread.currentThread().interrupt());
    assertThatThrownBy(out::hsync).isInstanceOf(InterruptedIOException.class);
    Thread.interrupted();
    assertThat(temporaryFiles(file)).isEmpty();
    out.write(all, STRIPE + 1, STRIPE - 1);
    out.close();
    assertThat(isStriped(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
  }
}
