// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileEncryptionInfo;
import org.apache.hadoop.hdfs.HungNameNode.Fault;
import org.apache.hadoop.hdfs.ReplicatedSwitch.Step;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.stubbing.Answer;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** A NameNode that refuses or loses calls of the first durable sync. */
@Tag("full")
class SyncNameNodeFaultsTest extends SyncCase {
  @ParameterizedTest
  @EnumSource(Fault.class)
  void anyCallMayFail(Fault fault) throws Exception {
    assertAnyCallMayFail(call -> failsAt(call, fault));
  }

  /** Returns whether there was such a call. */
  private static boolean failsAt(int number, Fault fault) throws Exception {
    org.apache.hadoop.fs.Path file = in(folder("call-" + fault + number), "log");
    byte[] all = bytes(2 * STRIPE + 500);
    int synced = STRIPE + 9;
    DistributedFileSystem ours = ours();
    boolean isSynced;
    boolean isLast;
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      out.write(all, 0, synced);
      awaitAcknowledged(out);
      AtomicReference<String> failed = nameNode.failAt(number, fault, method -> true);
      isSynced = isSynced(out);
      nameNode.fail((method, isDone) -> {});
      isLast = failed.get() == null;
      String what = fault + " " + number + " " + failed;
      if (isLast) {
        assertThat(isSynced).isTrue();
      }
      // A stream that has not failed goes on, and its next sync succeeds.
      isSynced = isSynced(out);
      if (isSynced) {
        assertThat(read(file)).as(what).isEqualTo(Arrays.copyOf(all, synced));
        out.write(all, synced, all.length - synced);
        out.hflush();
        assertThat(read(file)).as(what).isEqualTo(all);
        out.close();
        assertThat(fs.isFileClosed(file)).as(what).isTrue();
      } else {
        assertThatThrownBy(() -> out.write(1)).as(what).isInstanceOf(IOException.class);
        assertThatThrownBy(out::close).as(what).isInstanceOf(IOException.class);
      }
      assertThat(ours.getClient().isFilesBeingWrittenEmpty()).as(what).isTrue();
      if (fault != Fault.ALL_FROM_THEN_ON) {
        assertThat(temporaryFiles(file)).as(what).isEmpty();
      }
    }
    recover(ours(), file);
    byte[] left = read(file);
    WriteCluster.assertPrefix(file.toString(), left, all, 0);
    assertThat(left.length).isGreaterThanOrEqualTo(isSynced ? all.length : 0);
    assertThat(temporaryFiles(file).size()).isLessThanOrEqualTo(isSynced ? 1 : 0);
    return !isLast;
  }

  private static boolean isSynced(FSDataOutputStream out) {
    try {
      out.hsync();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"CREATE", "COPY", "CHECK", "END", "RENAME", "DROP"})
  void aNameNodeInSafeModeLosesNothing(Step at) throws Exception {
    org.apache.hadoop.fs.Path file = in(folder("safe-" + at), "log");
    byte[] all = bytes(2 * STRIPE);
    DistributedFileSystem ours = ours();
    FSDataOutputStream out = ours.create(file);
    out.write(all, 0, STRIPE + 1);
    at(at, ours, step -> fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_ENTER));
    try {
      if (at == Step.DROP) {
        out.hsync();
      } else {
        assertThatThrownBy(out::hsync)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("Cannot hsync " + file.toUri().getPath())
            .hasMessageContaining("safe mode");
      }
    } finally {
      fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    }
    at(at, ours, step -> {});
    if (at == Step.END || at == Step.RENAME) {
      assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
      recover(ours(), file);
      assertThat(temporaryFiles(file)).isEmpty();
    } else {
      out.hsync();
      out.write(all, STRIPE + 1, STRIPE - 1);
      out.hflush();
      assertThat(read(file)).isEqualTo(all);
      out.close();
    }
  }

  @Test
  void aClusterWithoutExtendedAttributesRefusesTheSync() throws Exception {
    org.apache.hadoop.fs.Path file = file("attributes");
    byte[] all = bytes(2 * STRIPE);
    DistributedFileSystem ours = ours();
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      out.write(all, 0, STRIPE + 1);
      nameNode.fail(
          (method, isDone) -> {
            if (method.equals("getXAttrs")) {
              throw new IOException("Support for XAttrs has been disabled");
            }
          });
      assertThatThrownBy(out::hsync).hasMessageContaining("Support for XAttrs has been disabled");
      assertThat(temporaryFiles(file)).isEmpty();
      out.write(all, STRIPE + 1, STRIPE - 1);
      out.close();
    }
    assertThat(isStriped(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
  }

  @Test
  void aReplicatedFileThatExceedsTheQuotaKeepsWhatWasAcknowledged() throws Exception {
    org.apache.hadoop.fs.Path narrow = folder("quota");
    org.apache.hadoop.fs.Path file = in(narrow, "log");
    byte[] all = bytes(3 * (int) BLOCK);
    FSDataOutputStream out = ours().create(file);
    out.write(all, 0, STRIPE);
    // A block group of an open file counts with all its blocks, the copy with three.
    fs.setQuota(narrow, Long.MAX_VALUE - 1, 6 * BLOCK);
    assertThatThrownBy(out::hsync)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Cannot hsync " + file.toUri().getPath())
        .hasMessageContaining("quota");
    assertThat(temporaryFiles(file)).isEmpty();
    fs.setQuota(narrow, Long.MAX_VALUE - 1, 9 * BLOCK);
    out.hsync();
    fs.setQuota(narrow, Long.MAX_VALUE - 1, 4 * BLOCK);
    assertThatThrownBy(
            () -> {
              out.write(all, STRIPE, all.length - STRIPE);
              out.hflush();
            })
        .hasMessageContaining("quota");
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    recover(fs, file);
    byte[] left = read(file);
    WriteCluster.assertPrefix(file.toString(), left, all, STRIPE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"refuse", "warn"})
  void blocksThatAreNotWholeCellsAreSyncedAsOtherFiles(String mode) throws IOException {
    org.apache.hadoop.fs.Path file = file("unaligned-" + mode);
    DistributedFileSystem ours = ours(conf -> conf.set(ClientKeys.WRITE_SYNC, mode));
    for (boolean appends : new boolean[] {false, true}) {
      EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
      try (FSDataOutputStream out =
          appends
              ? ours.append(file, flags, 4096, null)
              : ours.create(file, true, 4096, (short) 3, CELL + 512)) {
        out.write(bytes(100));
        for (ThrowingCallable call : new ThrowingCallable[] {out::hflush, out::hsync}) {
          if (mode.equals("warn")) {
            call.call();
          } else {
            assertThatThrownBy(call)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(ClientKeys.WRITE_SYNC);
          }
        }
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void aLeaseIsRecoveredAlthoughTheFileIsDeletedAtThatTime() throws IOException {
    org.apache.hadoop.fs.Path file = file("vanishes");
    assertRecoveredIfListingRuns(file, () -> fs.delete(file, false));
  }

  @Test
  void aLeaseIsRecoveredAlthoughTheListingFails() throws IOException {
    assertRecoveredIfListingRuns(
        file("unlucky"),
        () -> {
          throw new IllegalStateException("injected");
        });
  }

  /** Asserts that our client recovers a lease if an action runs as it lists temporary files. */
  private static void assertRecoveredIfListingRuns(
      org.apache.hadoop.fs.Path file, TemporaryFiles.Call action) throws IOException {
    fs.create(file).close();
    DistributedFileSystem fencer = ours();
    try (HungNameNode nameNode = new HungNameNode(fencer)) {
      nameNode.fail(
          (method, isDone) -> {
            if (method.equals("getListing")) {
              action.run();
            }
          });
      assertThat(fencer.recoverLease(file)).isTrue();
    }
  }

  @Test
  void aClientThatLivesLongLooksForLeftoversAgain() throws IOException {
    StripelineDFSClient client = client(ours());
    long hours = TimeUnit.HOURS.toMillis(1);
    assertThat(client.sweeps("/a/", 0)).isTrue();
    assertThat(client.sweeps("/a/", hours)).isFalse();
    assertThat(client.sweeps("/b/", hours)).isTrue();
    assertThat(client.sweeps("/a/", 3 * hours)).isTrue();
    assertThat(client.sweeps("/a/", 4 * hours)).isFalse();
  }

  private static FileEncryptionInfo encryption(String name) throws Exception {
    org.apache.hadoop.fs.Path zone = cluster.zone(file(name));
    org.apache.hadoop.fs.Path file = in(zone, "log");
    fs.create(file).close();
    return fs.getClient().getFileInfo(file.toUri().getPath()).getFileEncryptionInfo();
  }

  private static DFSOutputStream stream(FileEncryptionInfo info, Answer<?> onWrite)
      throws IOException {
    DFSOutputStream stream = mock(DFSOutputStream.class, withSettings().stubOnly());
    when(stream.getFileEncryptionInfo()).thenReturn(info);
    doAnswer(onWrite).when(stream).write(any(byte[].class), anyInt(), anyInt());
    return stream;
  }

  private static DistributedFileSystem shared;
  private static FileEncryptionInfo closes;

  @RepeatedTest(60)
  void aWriteDuringTheCloseOfAnEncryptedFileIsKeptOrFails() throws Exception {
    if (closes == null) {
      shared = ours();
      closes = encryption("closes");
    }
    AtomicInteger kept = new AtomicInteger();
    DFSOutputStream file = stream(closes, call -> kept.addAndGet(call.getArgument(2)));
    ReplicatedFile replicated = new ReplicatedFile(client(shared), file, closes);
    AtomicInteger taken = new AtomicInteger();
    Thread writer =
        new Thread(
            () -> {
              try {
                while (true) {
                  replicated.bytes().write(7);
                  taken.incrementAndGet();
                }
              } catch (IOException e) {
                // The file is closed.
              }
            });
    writer.start();
    Conditions.await("some writes", () -> taken.get() > 10_000);
    replicated.close();
    writer.join();
    assertThat(kept).hasValue(taken.get());
  }

  @Test
  void anEncryptedFileIsNotCompletedWithoutItsLastBytes() throws Exception {
    FileEncryptionInfo info = encryption("lacks");
    OutOfMemoryError refusal = new OutOfMemoryError("injected");
    DFSOutputStream file =
        stream(
            info,
            call -> {
              throw refusal;
            });
    List<String> calls = new ArrayList<>();
    doAnswer(call -> calls.add("close") ? null : call).when(file).close();
    doAnswer(call -> calls.add("abort") ? null : call).when(file).abort();
    ReplicatedFile replicated = new ReplicatedFile(client(ours()), file, info);
    replicated.bytes().write(7);
    assertThatThrownBy(replicated::close).isSameAs(refusal);
    assertThat(calls).containsExactly("abort");

    // Hadoop's abort would do nothing for a stream that has failed.
    calls.clear();
    when(file.isClosed()).thenReturn(true);
    ReplicatedFile failed = new ReplicatedFile(client(ours()), file, info);
    failed.bytes().write(7);
    assertThatThrownBy(failed::close).isSameAs(refusal);
    assertThat(calls).containsExactly("close");
  }

  @Test
  void anAbortOfAnEncryptedFileWaitsForNoWriter() throws Exception {
    FileEncryptionInfo info = encryption("aborts");
    CountDownLatch writes = new CountDownLatch(1);
    CountDownLatch aborted = new CountDownLatch(1);
    DFSOutputStream file =
        stream(
            info,
            call -> {
              writes.countDown();
              aborted.await();
              throw new IOException("aborted");
            });
    doAnswer(
            call -> {
              aborted.countDown();
              return null;
            })
        .when(file)
        .abort();
    ReplicatedFile replicated = new ReplicatedFile(client(ours()), file, info);
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () ->
                assertThatThrownBy(() -> replicated.bytes().write(new byte[1 << 20]))
                    .hasMessage("aborted"));
    writes.await();
    CompletableFuture<Void> aborter =
        CompletableFuture.runAsync(
            () -> {
              try {
                replicated.abort();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    try {
      aborter.get(60, TimeUnit.SECONDS);
    } finally {
      aborted.countDown();
    }
    writer.get(60, TimeUnit.SECONDS);
  }

  @Test
  void noSyncOfAnEncryptedFileSucceedsDuringItsAbort() throws Exception {
    FileEncryptionInfo info = encryption("ends");
    AtomicInteger kept = new AtomicInteger();
    DFSOutputStream file = stream(info, call -> kept.addAndGet(call.getArgument(2)));
    ReplicatedFile replicated = new ReplicatedFile(client(ours()), file, info);
    doAnswer(
            call -> {
              assertThatThrownBy(
                      () -> {
                        replicated.bytes().write(new byte[10]);
                        replicated.hflush();
                      })
                  .isInstanceOf(IOException.class);
              return null;
            })
        .when(file)
        .abort();
    replicated.abort();
    assertThat(kept).hasValue(0);
  }
}
