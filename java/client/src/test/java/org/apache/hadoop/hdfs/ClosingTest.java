// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.fuzz.BlockTaps;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.testkit.Conditions;

/**
 * Closes streams and file systems while other threads use them, and streams that were never closed.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClosingTest {
  private static final int CELL = 16 << 10;
  private static final byte[] DATA = StripedCluster.bytes(12 * 3 * CELL, 6);

  /** Shorter than any timeout of a connection. */
  private static final int PROMPT_SECONDS = 30;

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static BlockTaps taps;
  private static org.apache.hadoop.fs.Path file;

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(BlockTaps.KEY, "closing");
    conf.set("dfs.datanode.fsdataset.factory", TappedDataset.Factory.class.getName());
    taps = BlockTaps.named("closing");
    cluster = new StripedCluster(dir, 5, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    file = new org.apache.hadoop.fs.Path(cluster.directory("/ec", policy), "f");
    StripedCluster.write(cluster.ours(), file, DATA);
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

  private static DistributedFileSystem client() throws IOException {
    return cluster.client(StripelineFileSystem.class, cluster.mini().getConfiguration(0));
  }

  /** Makes every DataNode hang that reads the file; returns a latch that opens when one hangs. */
  private static CountDownLatch hangAll() throws IOException {
    CountDownLatch hanging = new CountDownLatch(1);
    taps.watch();
    for (LocatedStripedBlock group : cluster.groups(file)) {
      for (int unit = 0; unit < 5; unit++) {
        taps.set(
            group.getBlock().getBlockId() + unit,
            (position, length) -> {
              hanging.countDown();
              taps.hang();
            });
      }
    }
    return hanging;
  }

  private interface Read {
    void run(FSDataInputStream in) throws Exception;
  }

  private static CompletableFuture<Void> start(FSDataInputStream in, Read read) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                read.run(in);
                end.complete(null);
              } catch (Throwable e) {
                end.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return end;
  }

  private static final List<Read> READS =
      List.of(
          in -> in.readFully(new byte[1000]),
          in -> in.readFully(500, new byte[1000]),
          in -> {
            FileRange range = FileRange.createFileRange(500, 1000);
            in.readVectored(List.of(range), java.nio.ByteBuffer::allocate);
            try {
              range.getData().join();
            } catch (CompletionException e) {
              throw (IOException) e.getCause();
            }
          });

  @Test
  void closingAStreamWakesItsReads() throws Exception {
    for (Read read : READS) {
      CountDownLatch hanging = hangAll();
      try (DistributedFileSystem fs = client()) {
        FSDataInputStream in = fs.open(file);
        CompletableFuture<Void> end = start(in, read);
        hanging.await();
        in.close();
        assertThatThrownBy(() -> end.get(PROMPT_SECONDS, TimeUnit.SECONDS))
            .hasRootCauseInstanceOf(IOException.class)
            .hasRootCauseMessage("Stream closed");
        assertThatThrownBy(() -> in.read()).hasMessage("Stream closed");
      }
      taps.clear();
    }
    Conditions.await("buffers to come back", () -> ReadContext.usedBufferBytes() == 0);
  }

  @Test
  void closingAFileSystemWakesReads() throws Exception {
    for (Read read : READS) {
      CountDownLatch hanging = hangAll();
      DistributedFileSystem fs = client();
      FSDataInputStream in = fs.open(file);
      CompletableFuture<Void> end = start(in, read);
      hanging.await();
      fs.close();
      assertThatThrownBy(() -> end.get(PROMPT_SECONDS, TimeUnit.SECONDS))
          .hasRootCauseMessage("Filesystem closed");
      taps.clear();
    }
    Conditions.await("buffers to come back", () -> ReadContext.usedBufferBytes() == 0);
  }

  @Test
  void closingAFileSystemReleasesBuffersOfItsStreams() throws Exception {
    DistributedFileSystem fs = client();
    DistributedFileSystem other = client();
    List<FSDataInputStream> streams = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      FSDataInputStream in = fs.open(file);
      in.readFully(new byte[DATA.length / 3]);
      for (int read = 0; read < 4; read++) {
        in.readFully(100 + read * 1000, new byte[1000]);
      }
      streams.add(in);
    }
    FSDataInputStream stays = other.open(file);
    stays.readFully(new byte[1000]);
    assertThat(ReadContext.usedBufferBytes()).isPositive();

    fs.close();

    for (FSDataInputStream in : streams) {
      assertThatThrownBy(() -> in.read()).hasMessage("Filesystem closed");
      assertThatThrownBy(() -> in.readFully(0, new byte[1])).hasMessage("Filesystem closed");
    }
    byte[] rest = new byte[DATA.length - 1000];
    stays.readFully(rest);
    assertThat(rest[0]).isEqualTo(DATA[1000]);
    assertThat(rest[rest.length - 1]).isEqualTo(DATA[DATA.length - 1]);
    stays.close();
    other.close();
    Conditions.await("buffers to come back", () -> ReadContext.usedBufferBytes() == 0);
    for (FSDataInputStream in : streams) {
      // As Hadoop's own streams do.
      assertThatThrownBy(in::close).hasMessage("Filesystem closed");
    }
  }
}
