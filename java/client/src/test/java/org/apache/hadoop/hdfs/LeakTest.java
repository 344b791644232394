// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.write.WriteResources;
import org.stripeline.testkit.Conditions;

/**
 * Checks that streams that are opened, used, failed and closed leak no thread, descriptor, buffer
 * or native memory. Resources that are kept for reuse are bounded, so they exist after the first
 * cycles and do not grow. {@code -Dstripeline.leak.cycles=1000} selects the long run.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("full")
class LeakTest {
  private static final int CYCLES = Integer.getInteger("stripeline.leak.cycles", 120);
  private static final int WARM_UP = 40;
  private static final int CELL = 16 << 10;

  /** Twelve stripes in three block groups, the last one partial. */
  private static final byte[] DATA = StripedCluster.bytes(12 * 3 * CELL + 777, 3);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path whole;
  private static org.apache.hadoop.fs.Path degraded;
  private static org.apache.hadoop.fs.Path broken;

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 5 * CELL);
    conf.setInt("dfs.client.retry.window.base", 1);
    // Cached connections expire soon, so that only leaked connections accumulate.
    conf.setInt("dfs.client.socketcache.expiryMsec", 500);
    conf.setInt("dfs.datanode.socket.reuse.keepalive", 1000);
    cluster = new StripedCluster(dir, 5, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    org.apache.hadoop.fs.Path folder = cluster.directory("/ec", policy);
    whole = new org.apache.hadoop.fs.Path(folder, "whole");
    degraded = new org.apache.hadoop.fs.Path(folder, "degraded");
    broken = new org.apache.hadoop.fs.Path(folder, "broken");
    for (org.apache.hadoop.fs.Path file : List.of(whole, degraded, broken)) {
      StripedCluster.write(cluster.ours(), file, DATA);
    }
    lose(degraded, 1, 3);
    lose(broken, 0, 1, 2);
  }

  private static void lose(org.apache.hadoop.fs.Path file, int... units) throws IOException {
    for (LocatedStripedBlock group : cluster.groups(file)) {
      for (int unit : units) {
        if (StripedCluster.location(group, unit) != null) {
          Files.delete(cluster.blockFile(group, unit).toPath());
        }
      }
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void streamsReleaseAllResources() throws Exception {
    cycles(WARM_UP);
    ProcessUsage before = ProcessUsage.settled();
    cycles(CYCLES);
    Conditions.await("buffers to come back", LeakTest::areBuffersBack);
    ProcessUsage after = ProcessUsage.settled();
    System.out.println("before " + CYCLES + " cycles " + before + ", after " + after);
    assertThat(after.threads).as("threads").isLessThanOrEqualTo(before.threads + 10);
    assertThat(after.descriptors).as("descriptors").isLessThanOrEqualTo(before.descriptors + 20);
    assertThat(after.directBytes)
        .as("bytes of direct buffers")
        .isLessThanOrEqualTo(before.directBytes + (8 << 20));
    assertThat(after.nativeBytes)
        .as("resident bytes outside of what the JVM accounts for")
        .isLessThanOrEqualTo(before.nativeBytes + (64L << 20));
    Conditions.await("our threads to end", () -> ProcessUsage.ourThreads() <= 4);
  }

  private static boolean areBuffersBack() {
    WriteResources resources = WriteResources.shared(cluster.ours().getConf());
    return ReadContext.usedBufferBytes() == 0 && resources.pool().taken() == 0;
  }

  private static void cycles(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      if (i % 10 == 0) {
        // A client that is created and closed.
        try (DistributedFileSystem fs =
            cluster.client(StripelineFileSystem.class, cluster.ours().getConf())) {
          read(fs, whole, i);
          read(fs, degraded, i);
        }
      }
      read(cluster.ours(), i % 2 == 0 ? whole : degraded, i);
      fail();
      if (i % 4 == 0) {
        write(i);
      }
    }
  }

  private static void read(DistributedFileSystem fs, org.apache.hadoop.fs.Path file, int cycle)
      throws Exception {
    try (FSDataInputStream in = fs.open(file)) {
      byte[] bytes = new byte[DATA.length / 2 + cycle];
      in.readFully(bytes); // Leaves data that was read ahead.
      assertThat(bytes[cycle]).isEqualTo(DATA[cycle]);
      in.readFully(DATA.length / 3, bytes);
      assertThat(bytes[0]).isEqualTo(DATA[DATA.length / 3]);
      ByteBuffer buffer = ByteBuffer.allocate(5 * CELL);
      in.readFully(7, buffer);
      assertThat(buffer.get(0)).isEqualTo(DATA[7]);
      List<FileRange> ranges = new ArrayList<>();
      ranges.add(FileRange.createFileRange(1, 3 * CELL));
      ranges.add(FileRange.createFileRange(4 * CELL, CELL));
      in.readVectored(ranges, ByteBuffer::allocate);
      for (FileRange range : ranges) {
        assertThat(range.getData().get().get(0)).isEqualTo(DATA[(int) range.getOffset()]);
      }
      if (cycle % 3 == 0) {
        in.unbuffer();
      }
    }
  }

  private static void fail() throws IOException {
    try (FSDataInputStream in = cluster.ours().open(broken)) {
      byte[] bytes = new byte[4 * CELL];
      assertThatThrownBy(() -> in.readFully(bytes)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> in.readFully(CELL, bytes)).isInstanceOf(IOException.class);
    }
  }

  private static void write(int cycle) throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(whole.getParent(), "written");
    try (FSDataOutputStream out = cluster.ours().create(file, true)) {
      out.write(DATA, 0, DATA.length - cycle);
    }
    FSDataOutputStream given = cluster.ours().create(file, true);
    given.write(DATA, 0, 4 * CELL + cycle);
    ((DFSOutputStream) given.getWrappedStream()).abort();
    cluster.ours().delete(file, false);
  }

  /** Programs keep many streams open that they do not read for a long time. */
  @Test
  void anIdleStreamKeepsNoMemoryOfTheProgram() throws Exception {
    try (FSDataInputStream in = cluster.ours().open(whole)) {
      WeakReference<byte[]> last = new WeakReference<>(readInTurn(in));
      Conditions.await(
          "the buffer of the last read to be freed",
          () -> {
            System.gc();
            return last.get() == null;
          });
    }
  }

  /** Reads adjacent ranges, so that the stream keeps a reader open; returns the last buffer. */
  private static byte[] readInTurn(FSDataInputStream in) throws IOException {
    byte[] buffer = null;
    for (int i = 0; i < 100; i++) {
      buffer = new byte[2 << 10];
      in.readFully((long) i * buffer.length, buffer);
    }
    return buffer;
  }
}
