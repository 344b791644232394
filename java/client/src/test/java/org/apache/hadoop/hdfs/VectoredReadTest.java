// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TappedDataset;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.fuzz.BlockTaps;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.testkit.Conditions;

/**
 * Checks that {@code readVectored} of an erasure-coded file returns what Hadoop's does, and
 * requests all ranges at once.
 */
class VectoredReadTest {
  private static final int CELL = 16 << 10;
  private static final int GROUP = 4 * 3 * CELL;

  /** Two block groups and a part of a third. */
  private static final byte[] DATA = StripedCluster.bytes(2 * GROUP + 5 * CELL + 777, 5);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static BlockTaps taps;
  private static org.apache.hadoop.fs.Path file;
  private static org.apache.hadoop.fs.Path degraded;

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 4 * CELL);
    conf.set(BlockTaps.KEY, "vectored");
    conf.set("dfs.datanode.fsdataset.factory", TappedDataset.Factory.class.getName());
    conf.setBoolean(ClientKeys.HEDGE_ENABLED, false);
    taps = BlockTaps.named("vectored");
    cluster = new StripedCluster(dir, 5, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    org.apache.hadoop.fs.Path folder = cluster.directory("/ec", policy);
    file = new org.apache.hadoop.fs.Path(folder, "whole");
    degraded = new org.apache.hadoop.fs.Path(folder, "degraded");
    StripedCluster.write(cluster.ours(), file, DATA);
    StripedCluster.write(cluster.ours(), degraded, DATA);
    for (LocatedStripedBlock group : cluster.groups(degraded)) {
      Files.delete(cluster.blockFile(group, 1).toPath());
    }
  }

  @AfterEach
  void clearTaps() {
    taps.clear();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void returnsTheBytesOfEachRange() throws Exception {
    Random random = new Random(7);
    for (int round = 0; round < 30; round++) {
      List<FileRange> ranges = disjointRanges(random, 1 + random.nextInt(40));
      Collections.shuffle(ranges, random);
      boolean direct = random.nextBoolean();
      try (FSDataInputStream in = cluster.ours().open(random.nextInt(3) == 0 ? degraded : file)) {
        in.readVectored(ranges, direct ? ByteBuffer::allocateDirect : ByteBuffer::allocate);
      }
      for (FileRange range : ranges) {
        // The call returns only when all ranges are done.
        assertThat(range.getData()).isDone();
        assertThat(bytes(range)).isEqualTo(expected(range));
      }
    }
    Conditions.await("buffers to come back", () -> ReadContext.usedBufferBytes() == 0);
  }

  private static List<FileRange> disjointRanges(Random random, int count) {
    int[] ends = random.ints(2L * count, 0, DATA.length + 1).sorted().toArray();
    List<FileRange> ranges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ranges.add(FileRange.createFileRange(ends[2 * i], ends[2 * i + 1] - ends[2 * i]));
    }
    return ranges;
  }

  private static byte[] expected(FileRange range) {
    int from = (int) range.getOffset();
    return Arrays.copyOfRange(DATA, from, from + range.getLength());
  }

  private static byte[] bytes(FileRange range) throws Exception {
    ByteBuffer buffer = range.getData().get();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  @Test
  void requestsAllRangesBeforeTheFirstIsComplete() throws Exception {
    // One range in each of two internal blocks of two block groups.
    List<FileRange> ranges = new ArrayList<>();
    for (int group = 0; group < 2; group++) {
      ranges.add(FileRange.createFileRange((long) group * GROUP + 100, 1000));
      ranges.add(FileRange.createFileRange((long) group * GROUP + CELL + 100, 1000));
    }
    CountDownLatch asked = new CountDownLatch(ranges.size());
    AtomicBoolean separately = new AtomicBoolean();
    taps.watch();
    for (LocatedStripedBlock group : cluster.groups(file)) {
      for (int unit = 0; unit < 2; unit++) {
        taps.set(
            group.getBlock().getBlockId() + unit,
            (position, length) -> {
              asked.countDown();
              separately.compareAndSet(false, !isReached(asked));
            });
      }
    }
    try (FSDataInputStream in = cluster.ours().open(file)) {
      in.readVectored(ranges, ByteBuffer::allocate);
    }
    for (FileRange range : ranges) {
      assertThat(bytes(range)).isEqualTo(expected(range));
    }
    assertThat(separately).isFalse();
  }

  /** Has a timeout, for the case that ranges are requested one after the other. */
  private static boolean isReached(CountDownLatch asked) throws IOException {
    try {
      return asked.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Test
  void refusesAndFailsTheSameRequestsAsHadoop() throws Exception {
    int end = DATA.length;
    List<long[][]> cases =
        List.of(
            new long[][] {{-1, 10}, {100, 10}},
            new long[][] {{10, -1}},
            new long[][] {{100, 50}, {0, 10}, {120, 50}},
            new long[][] {{5, 10}, {end - 10, 20}, {1000, 10}},
            new long[][] {{end, 1}},
            new long[][] {{end + 10, 1}, {20, 7}},
            new long[][] {{end + 10, 0}, {0, 0}},
            new long[][] {});
    for (long[][] ranges : cases) {
      assertThat(outcome(cluster.ours(), ranges, false))
          .as(Arrays.deepToString(ranges))
          .isEqualTo(outcome(cluster.stock(), ranges, false));
      assertThat(outcome(cluster.ours(), ranges, true))
          .as("closed, " + Arrays.deepToString(ranges))
          .isEqualTo(outcome(cluster.stock(), ranges, true));
    }
  }

  /** Returns the outcome of the call, and of each range. */
  private static List<String> outcome(DistributedFileSystem fs, long[][] wanted, boolean closed)
      throws Exception {
    List<FileRange> ranges = new ArrayList<>();
    for (long[] range : wanted) {
      ranges.add(FileRange.createFileRange(range[0], (int) range[1]));
    }
    List<String> outcome = new ArrayList<>();
    try (FSDataInputStream in = fs.open(file)) {
      if (closed) {
        in.close();
      }
      in.readVectored(ranges, ByteBuffer::allocate);
    } catch (IOException | RuntimeException e) {
      outcome.add(e.getClass().getName());
      return outcome;
    }
    for (FileRange range : ranges) {
      try {
        outcome.add(Arrays.toString(bytes(range)));
      } catch (ExecutionException e) {
        outcome.add(e.getCause().getClass().getName());
      }
    }
    return outcome;
  }

  @Test
  void releasesBuffersOfRangesThatFail() throws Exception {
    List<ByteBuffer> released = new ArrayList<>();
    FileRange good = FileRange.createFileRange(10, 100);
    FileRange bad = FileRange.createFileRange(DATA.length - 10, 100);
    try (FSDataInputStream in = cluster.ours().open(file)) {
      // In Hadoop 3.3 only Stripeline's streams have this method.
      StripelineInputStream ours = (StripelineInputStream) in.getWrappedStream();
      IntFunction<ByteBuffer> allocate = ByteBuffer::allocate;
      Consumer<ByteBuffer> release = released::add;
      ours.readVectored(List.of(bad, good), allocate, release);
    }
    assertThat(released).hasSize(1);
    assertThat(bytes(good)).isEqualTo(expected(good));
    assertThat(bad.getData()).isCompletedExceptionally();
  }

  @Test
  void releasesBuffersOfAllRangesIfTheReadFails() throws Exception {
    List<ByteBuffer> released = new ArrayList<>();
    assertThat(failUnexpectedly(released::add)).isInstanceOf(ReadOnlyBufferException.class);
    assertThat(released).hasSize(3);
  }

  @Test
  void allRangesEndIfTheCallersFunctionThrows() throws Exception {
    List<ByteBuffer> released = new ArrayList<>();
    IllegalStateException refusal = new IllegalStateException("injected");
    Throwable thrown =
        failUnexpectedly(
            buffer -> {
              released.add(buffer);
              throw refusal;
            });
    assertThat(thrown).isSameAs(refusal);
    assertThat(released).hasSize(1);
  }

  /**
   * Reads three ranges into buffers that cannot be written, which causes an exception that is not
   * an IOException, and expects that all ranges end.
   */
  private static Throwable failUnexpectedly(Consumer<ByteBuffer> release) throws IOException {
    List<FileRange> ranges = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ranges.add(FileRange.createFileRange(100 * i, 50));
    }
    Throwable thrown;
    try (FSDataInputStream in = cluster.ours().open(file)) {
      StripelineInputStream ours = (StripelineInputStream) in.getWrappedStream();
      IntFunction<ByteBuffer> allocate = size -> ByteBuffer.allocate(size).asReadOnlyBuffer();
      thrown = catchThrowable(() -> ours.readVectored(ranges, allocate, release));
    }
    assertThat(ranges).allMatch(range -> range.getData().isCompletedExceptionally());
    return thrown;
  }
}
