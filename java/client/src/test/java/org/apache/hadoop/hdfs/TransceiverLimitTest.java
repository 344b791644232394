// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.read.Refusals;

/**
 * More sequential readers than DataNodes have transceivers ({@code
 * dfs.datanode.max.transfer.threads}): a DataNode at its limit closes new connections without an
 * answer.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("full")
class TransceiverLimitTest {
  private static final int STREAMS = 60;
  private static final int THREADS = 12;
  private static final int TRANSCEIVERS = 24;

  /** After this many bytes, readers are open to the end of the group. */
  private static final int PART = 10 << 20;

  private static final byte[] DATA = StripedCluster.bytes(60 << 20, 3);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path file;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 30 << 20);
    conf.setInt("dfs.datanode.max.transfer.threads", TRANSCEIVERS);
    conf.setInt("dfs.client.retry.window.base", 1);
    // Idle readers are closed only to make room.
    conf.setInt("dfs.client.socketcache.expiryMsec", 3_600_000);
    cluster = new StripedCluster(dir, 5, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), 64 << 10);
    file = new org.apache.hadoop.fs.Path(cluster.directory("/ec", policy), "file");
    StripedCluster.write(cluster.stock(), file, DATA);
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
  }

  /** Reads the next part of each stream; returns how many streams failed. */
  private static int readOn(ExecutorService threads, List<FSDataInputStream> streams)
      throws Exception {
    List<Future<Boolean>> reads = new ArrayList<>();
    for (FSDataInputStream in : streams) {
      reads.add(threads.submit(() -> readOn(in)));
    }
    int failed = 0;
    for (Future<Boolean> read : reads) {
      failed += read.get() ? 0 : 1;
    }
    return failed;
  }

  private static boolean readOn(FSDataInputStream in) throws IOException {
    int from = (int) in.getPos();
    try {
      StripedCluster.checkNext(in, DATA, from, from + PART);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns how many streams failed in their first and in their second part. */
  private static List<Integer> failures(DistributedFileSystem fs) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<FSDataInputStream> streams = new ArrayList<>();
    try {
      for (int i = 0; i < STREAMS; i++) {
        streams.add(fs.open(file));
      }
      return List.of(readOn(threads, streams), readOn(threads, streams));
    } finally {
      threads.shutdownNow();
      for (FSDataInputStream in : streams) {
        in.close();
      }
    }
  }

  @Test
  void whatAClosedConnectionThrowsIsARefusal() {
    assertThat(Refusals.isRefusal(new IOException("a", new EOFException()))).isTrue();
    assertThat(Refusals.isRefusal(new IOException("Broken pipe"))).isTrue();
    assertThat(Refusals.isRefusal(new IOException("Connection reset by peer"))).isTrue();
    assertThat(Refusals.isRefusal(new ConnectException("Connection refused"))).isFalse();
    assertThat(Refusals.isRefusal(new IOException("no message", null))).isFalse();
  }

  @Test
  void readersMakeRoomForEachOther() throws Exception {
    List<Integer> ours = failures(cluster.ours());
    List<Integer> stock = failures(cluster.stock());
    System.out.println("failed streams of " + STREAMS + ": ours " + ours + ", stock " + stock);
    assertThat(ours).containsExactly(0, 0);
    assertThat(stock.get(1)).as("streams of Hadoop's client that failed").isPositive();
  }
}
