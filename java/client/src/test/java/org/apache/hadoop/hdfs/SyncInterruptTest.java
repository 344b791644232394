// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** The thread that syncs is interrupted while it waits for DataNodes, and the stream is used on. */
@Tag("full")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SyncInterruptTest extends SyncCase {
  private static DistributedFileSystem writer(long switchMax) throws IOException {
    return ours(
        conf -> {
          conf.setInt(ClientKeys.WRITE_SYNC_GROUPS_MAX, 100);
          conf.setLong(ClientKeys.WRITE_SYNC_SWITCH_MAX, switchMax);
          conf.set(ClientKeys.WRITE_SLOW, "0");
        });
  }

  /** A sync on a thread of its own. */
  private static final class Sync {
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final Thread thread;

    Sync(FSDataOutputStream out) {
      thread =
          new Thread(
              () -> {
                try {
                  out.hsync();
                } catch (IOException | RuntimeException | Error e) {
                  failure.set(e);
                }
              });
      thread.start();
    }

    private boolean isWaiting() {
      return thread.getState() == Thread.State.WAITING
          && Arrays.stream(thread.getStackTrace())
              .anyMatch(frame -> frame.getMethodName().equals("flushAllInternals"));
    }

    /** Waits until the thread waits for acknowledgements, or has ended. */
    boolean awaitWaiting() {
      Conditions.await("the flush", () -> isWaiting() || !thread.isAlive());
      return thread.isAlive();
    }

    Throwable awaitEnd() throws InterruptedException {
      thread.join();
      return failure.get();
    }
  }

  private static long firstBlock(Path file) throws IOException {
    String name = file.toUri().getPath();
    return fs.getClient().getLocatedBlocks(name, 0).getLastLocatedBlock().getBlock().getBlockId();
  }

  private static void assertInterrupted(FSDataOutputStream out) throws InterruptedException {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(out::hsync).isInstanceOf(InterruptedIOException.class);
    } finally {
      Thread.interrupted();
    }
  }

  private static void assertWritten(FSDataOutputStream out, Path file, byte[] all)
      throws IOException {
    assertThat(read(file)).isEqualTo(all);
    out.close();
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(read(file)).isEqualTo(all);
  }

  /** The second sync ends the group, or replaces the file. */
  @ParameterizedTest
  @ValueSource(ints = {STRIPE, 4 * STRIPE})
  void aSyncAfterAnInterruptedOneWaitsForItsOwnBytes(int switchMax) throws Exception {
    Path file = file("own" + switchMax);
    byte[] all = bytes(3 * STRIPE);
    FSDataOutputStream out = writer(switchMax).create(file);
    out.write(all, 0, STRIPE);
    awaitAcknowledged(out);
    assertInterrupted(out);
    try (HungBlocks hung = new HungBlocks()) {
      hung.silence(firstBlock(file));
      out.write(all, STRIPE, 2 * STRIPE);
      Sync sync = new Sync(out);
      assertThat(sync.awaitWaiting()).as("%s", sync.failure).isTrue();
      hung.release();
      assertThat(sync.awaitEnd()).isNull();
    }
    assertWritten(out, file, all);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStreamerThatFailsAfterAnInterruptedSyncLosesNothing(boolean isClosed) throws Exception {
    Path file = file("fails" + isClosed);
    byte[] all = bytes(2 * STRIPE);
    FSDataOutputStream out = writer(4 * STRIPE).create(file);
    out.write(all, 0, STRIPE);
    awaitAcknowledged(out);
    try (HungBlocks hung = new HungBlocks()) {
      hung.silence(firstBlock(file));
      out.write(all, STRIPE, STRIPE);
      Sync sync = new Sync(out);
      assertThat(sync.awaitWaiting()).as("%s", sync.failure).isTrue();
      sync.thread.interrupt();
      assertThat(sync.awaitEnd()).isInstanceOf(InterruptedIOException.class);
      DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
      stream.getStripedDataStreamer(0).close(true);
    }
    if (!isClosed) {
      out.hsync();
    }
    out.close();
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(isStriped(file)).isEqualTo(isClosed);
    assertThat(read(file)).isEqualTo(all);
  }

  /** The streamers wait for the rest of the calls that raise the generation stamp. */
  @ParameterizedTest
  @ValueSource(strings = {"updateBlockForPipeline", "updatePipeline"})
  void aSyncThatIsInterruptedWhileAFailureIsHandledFailsTheStream(String method) throws Exception {
    Path file = file("stamp-" + method);
    byte[] all = bytes(3 * STRIPE);
    DistributedFileSystem ours = writer(4 * STRIPE);
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      FSDataOutputStream out = ours.create(file);
      out.write(all, 0, STRIPE);
      awaitAcknowledged(out);
      ((DurableOutputStream) out.getWrappedStream()).getStripedDataStreamer(0).close(true);
      nameNode.fail(
          (called, isDone) -> {
            if (called.equals(method) && isDone) {
              nameNode.fail((any, done) -> {});
              throw new InterruptedIOException("injected");
            }
          });
      assertThatThrownBy(out::hsync).isInstanceOf(InterruptedIOException.class);
      assertThatThrownBy(() -> out.write(all, STRIPE, STRIPE)).isInstanceOf(IOException.class);
      assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    }
    recover(fs, file);
    byte[] left = read(file);
    WriteCluster.assertPrefix(file.toString(), left, all, 0);
  }

  @Test
  void syncsGoOnAfterManyInterruptedOnes() throws Exception {
    Path file = file("many");
    byte[] all = bytes(8 * STRIPE + 9);
    FSDataOutputStream out = writer(STRIPE).create(file);
    for (int i = 0; i < 20; i++) {
      out.write(all, i, 1);
      assertInterrupted(out);
    }
    out.write(all, 20, all.length - 20);
    out.hsync();
    assertWritten(out, file, all);
  }
}
