// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.write.SharedPool;
import org.stripeline.testkit.Conditions;

/** Tests streamers whose DataNodes restart and are back between two steps of the stream. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnhealthyStreamerTest {
  private static final int K = 3;
  private static final int M = 2;
  private static final int CELL = 64 << 10;
  private static final int STRIPE = K * CELL;

  private static org.apache.hadoop.fs.Path file(WriteCluster cluster) throws IOException {
    return new org.apache.hadoop.fs.Path(cluster.directory("rs", K, M, CELL), "f");
  }

  private static FSDataOutputStream create(WriteCluster cluster, org.apache.hadoop.fs.Path file)
      throws IOException {
    return cluster.open("functional-partitioned").create(file);
  }

  /**
   * The DataNode is back when its bytes have just been left out, either those of a full stripe or
   * those of a part that is sent early. Later bytes would be written in their place.
   */
  @ParameterizedTest
  @ValueSource(strings = {"queue", "queueCopy"})
  void aStreamerThatIsHealthyAgainAfterItMissedBytesIsGivenUp(String step, @TempDir Path temporary)
      throws Exception {
    byte[] data = WriteCluster.bytes(1, 3 * STRIPE);
    try (WriteCluster cluster = new WriteCluster(temporary, K + M, 4 * CELL, conf -> {})) {
      org.apache.hadoop.fs.Path file = file(cluster);
      try (FSDataOutputStream out = create(cluster, file)) {
        StripelineOutputStream stream = (StripelineOutputStream) out.getWrappedStream();
        out.write(data, 0, STRIPE);
        stream.flushAllInternals();
        StripedDataStreamer streamer = stream.getStripedDataStreamer(1);
        restartAt(step, streamer);
        out.write(data, STRIPE, 2 * CELL);
        stream.enqueueAllCurrentPackets();
        out.write(data, STRIPE + 2 * CELL, STRIPE - 2 * CELL);
        out.write(data, 2 * STRIPE, STRIPE);
        stream.flushAllInternals();
        assertThat(streamer.streamerClosed()).isTrue();
      }
      assertThat(cluster.readByStock(file)).isEqualTo(data);
    }
  }

  /** It would wait for ever, and take a generation stamp that is meant for its successor. */
  @Test
  void aStreamerThatIsReplacedWhileItsDataNodeRestartsEnds(@TempDir Path temporary)
      throws Exception {
    int group = 4 * STRIPE;
    byte[] data = WriteCluster.bytes(2, group + STRIPE);
    ExecutorService threads = Executors.newCachedThreadPool();
    try (HungBlocks hung = new HungBlocks();
        WriteCluster cluster =
            new WriteCluster(
                temporary,
                K + M,
                4 * CELL,
                conf -> conf.setInt("dfs.client.datanode-restart.timeout", 1))) {
      org.apache.hadoop.fs.Path file = file(cluster);
      try (FSDataOutputStream out = create(cluster, file)) {
        StripelineOutputStream stream = (StripelineOutputStream) out.getWrappedStream();
        out.write(data, 0, group);
        stream.flushAllInternals();
        StripedDataStreamer streamer = stream.getStripedDataStreamer(1);
        hung.silence(stream.getBlock().getBlockId() + 1);
        Future<?> rest =
            threads.submit(
                () -> {
                  out.write(data, group, STRIPE);
                  stream.flushAllInternals();
                  return null;
                });
        Conditions.await("the end of the block to be sent", hung::isMet);
        // As when the DataNode says that it is being restarted.
        streamer.getErrorState().initRestartingNode(0, "restarts", true);
        streamer.getErrorState().setInternalError();
        rest.get();
        assertThat(stream.getStripedDataStreamer(1)).isNotSameAs(streamer);
        Conditions.await("the streamer to end", () -> !streamer.isAlive());
      }
      assertThat(cluster.readByStock(file)).isEqualTo(data);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void noDataNodeIsGivenUpIfThatIsDisabled(@TempDir Path temporary) throws Exception {
    byte[] data = WriteCluster.bytes(13, 2 * STRIPE);
    AtomicLong nanos = new AtomicLong();
    try (HungBlocks hung = new HungBlocks();
        SharedPool ignored = new SharedPool(Long.MAX_VALUE, nanos::get);
        WriteCluster cluster =
            new WriteCluster(
                temporary, K + M, 4 * CELL, conf -> conf.setLong(ClientKeys.WRITE_SLOW, 0))) {
      org.apache.hadoop.fs.Path file = file(cluster);
      try (FSDataOutputStream out = create(cluster, file)) {
        StripelineOutputStream stream = (StripelineOutputStream) out.getWrappedStream();
        out.write(data, 0, STRIPE);
        stream.flushAllInternals();
        hung.silence(stream.getBlock().getBlockId() + 1);
        out.write(data, STRIPE, STRIPE);
        Conditions.await("a hang", hung::isMet);
        for (int day = 0; day < 10; day++) {
          nanos.addAndGet(TimeUnit.DAYS.toNanos(1));
          stream.late().run();
        }
        assertThat(stream.getStripedDataStreamer(1).isHealthy()).isTrue();
        hung.release();
      }
      assertThat(cluster.readByStock(file)).isEqualTo(data);
    }
  }

  /** Lets a streamer look unhealthy once, when a method of the sender asks it. */
  private static void restartAt(String method, StripedDataStreamer streamer) throws IOException {
    try {
      Field field = DataStreamer.class.getDeclaredField("errorState");
      field.setAccessible(true);
      field.set(streamer, new Restart(method));
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  private static final class Restart extends DataStreamer.ErrorState {
    private final String method;
    private final AtomicBoolean isOver = new AtomicBoolean();

    Restart(String method) {
      super(1_000);
      this.method = method;
    }

    @Override
    synchronized boolean hasInternalError() {
      // The first two are this method and isHealthy.
      StackTraceElement[] calls = new Throwable().getStackTrace();
      boolean isAsked =
          calls.length > 2
              && calls[2].getClassName().equals(StripeSender.class.getName())
              && calls[2].getMethodName().equals(method);
      return isAsked && isOver.compareAndSet(false, true) || super.hasInternalError();
    }
  }
}
