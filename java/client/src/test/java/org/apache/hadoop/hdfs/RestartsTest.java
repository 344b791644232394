// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.testkit.Conditions;

/**
 * Keeps streams open while all DataNodes are restarted in turn, some at another port. {@code
 * -Dstripeline.soak.streams=500 -Dstripeline.soak.restarts=500} selects the long run.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS)
@Tag("full")
class RestartsTest {
  private static final int STREAMS = Integer.getInteger("stripeline.soak.streams", 60);
  private static final int RESTARTS = Integer.getInteger("stripeline.soak.restarts", 3);
  private static final int NODES = 5;
  private static final int CELL = 16 << 10;
  private static final int READ_MAX = 5 * CELL;

  /** The most bytes of buffers that the client uses and keeps for later reads. */
  private static final int BUFFER_BYTES_MAX = 16 << 20;

  /** Stripes in three block groups, the last one shorter. */
  private static final byte[] DATA = StripedCluster.bytes(12 * 3 * CELL + 777, 3);

  @TempDir Path dir;
  private final List<FSDataInputStream> streams = new ArrayList<>();
  private final ExecutorService readers = Executors.newFixedThreadPool(8);
  private StripedCluster cluster;

  @BeforeEach
  void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 5 * CELL);
    conf.setInt("dfs.client.retry.window.base", 1);
    conf.setInt("dfs.client.socketcache.expiryMsec", 500);
    conf.setInt("dfs.datanode.socket.reuse.keepalive", 1000);
    conf.set(ClientKeys.SUSPECT_PERIOD, "200ms");
    conf.setInt(ClientKeys.READ_MEMORY, BUFFER_BYTES_MAX);
    // Without hedging, because reads are often late on a busy machine; only reads that fail should
    // be decoded.
    conf.setBoolean(ClientKeys.HEDGE_ENABLED, false);
    cluster = new StripedCluster(dir, NODES, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(cluster.directory("/ec", policy), "a");
    StripedCluster.write(cluster.ours(), file, DATA);
    for (int i = 0; i < STREAMS; i++) {
      streams.add(cluster.ours().open(file));
    }
  }

  @AfterEach
  void stop() throws Exception {
    readers.shutdownNow();
    for (FSDataInputStream stream : streams) {
      stream.close();
    }
    cluster.close();
  }

  @Test
  void noStreamIsDegradedAfterRestarts() throws Exception {
    // The windows of the streams grow with the first reads.
    for (int round = -10; round < 0; round++) {
      readAll(round);
    }
    restart(0);
    readAll(1);
    ProcessUsage before = ProcessUsage.settled();
    for (int i = 1; i < RESTARTS; i++) {
      MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(i % NODES);
      readAll(2 * i);
      boolean keepsPort = i % 2 == 0;
      assertThat(cluster.mini().restartDataNode(stopped, keepsPort)).isTrue();
      cluster.mini().waitActive();
      readAll(2 * i + 1);
    }

    int[] round = {2 * RESTARTS};
    Conditions.await(
        "reads without decoding",
        () -> {
          long degraded = ReadContext.counters().get(ReadCount.DEGRADED_SEGMENTS);
          readAll(round[0]++);
          return ReadContext.counters().get(ReadCount.DEGRADED_SEGMENTS) == degraded;
        });
    // Streams that do not read return their buffers after a while.
    Conditions.await("buffers to be returned", () -> ReadContext.usedBufferBytes() == 0);
    ProcessUsage[] last = {null};
    // The last reads may have used more threads than those before; idle ones end after a while.
    Conditions.await(
        "idle threads to end",
        () -> {
          last[0] = ProcessUsage.settled();
          return last[0].ourThreads <= before.ourThreads + 20;
        });
    ProcessUsage after = last[0];
    System.out.println(
        STREAMS + " streams, " + RESTARTS + " restarts: before " + before + ", after " + after);
    assertThat(after.ourThreads).as("our threads").isLessThanOrEqualTo(before.ourThreads + 20);
    assertThat(after.threads).as("threads").isLessThanOrEqualTo(before.threads + 40);
    // Hadoop keeps a selector, with two or more descriptors, for each thread that has used a
    // socket.
    assertThat(after.descriptors)
        .as("descriptors")
        .isLessThanOrEqualTo(before.descriptors + 60 + STREAMS);
    assertThat(after.directBytes)
        .as("bytes of direct buffers")
        .isLessThanOrEqualTo(before.directBytes + BUFFER_BYTES_MAX + STREAMS * (16L << 10));
  }

  private void restart(int node) throws IOException {
    assertThat(cluster.mini().restartDataNode(node)).isTrue();
    cluster.mini().waitActive();
  }

  /** Reads a random range from each stream, half of them by positional reads. */
  private void readAll(int round) throws Exception {
    List<Future<?>> reads = new ArrayList<>();
    for (int i = 0; i < streams.size(); i++) {
      int number = i;
      reads.add(
          readers.submit(
              () -> {
                SplittableRandom random = new SplittableRandom(round * 1000L + number);
                read(streams.get(number), number % 2 == 0, random);
                return null;
              }));
    }
    for (Future<?> read : reads) {
      read.get();
    }
  }

  private static void read(FSDataInputStream in, boolean isPositional, SplittableRandom random)
      throws IOException {
    byte[] bytes = new byte[1 + random.nextInt(READ_MAX)];
    int from = random.nextInt(DATA.length - bytes.length);
    if (isPositional) {
      in.readFully(from, bytes);
    } else {
      in.seek(from);
      in.readFully(bytes);
    }
    assertThat(bytes).isEqualTo(Arrays.copyOfRange(DATA, from, from + bytes.length));
  }
}
