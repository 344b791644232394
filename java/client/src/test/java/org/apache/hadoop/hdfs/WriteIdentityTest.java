// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that the files that Stripeline's stream leaves on DataNodes are identical to those of
 * Hadoop's stream.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WriteIdentityTest {
  private static final int CELL = 64 << 10;
  private static final int STRIPES_OF_GROUP = 3;
  private WriteCluster cluster;
  private int files;

  @BeforeAll
  void start(@TempDir Path dir) throws IOException {
    cluster = new WriteCluster(dir, 14, (long) STRIPES_OF_GROUP * CELL, any -> {});
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @Tag("full")
  @CsvSource({
    "rs, 3, 2, functional-partitioned",
    "rs, 6, 3, functional-partitioned",
    "rs, 10, 4, functional-partitioned",
    "rs-legacy, 6, 3, functional-partitioned",
    "xor, 2, 1, functional-partitioned",
    "rs, 3, 2, blocking",
    "rs, 3, 2, non-blocking",
    "rs, 6, 3, non-blocking"
  })
  void sizesAroundEveryBoundary(String codec, int k, int m, String mode) throws IOException {
    org.apache.hadoop.fs.Path dir = cluster.directory(codec, k, m, CELL);
    int stripe = k * CELL;
    int group = STRIPES_OF_GROUP * stripe;
    int[] sizes = {
      0,
      1,
      511,
      512,
      513,
      CELL - 1,
      CELL,
      CELL + 1,
      stripe - 1,
      stripe,
      stripe + 1,
      stripe + CELL + 777,
      2 * stripe - CELL / 2,
      group - 1,
      group,
      group + 1,
      2 * group + stripe + 5 * CELL / 4,
      3 * group
    };
    DistributedFileSystem ours = cluster.open(mode);
    for (int size : sizes) {
      check(ours, cluster.stock(), dir, size);
    }
  }

  /** Tests the cell size of Hadoop's own policies. */
  @ParameterizedTest
  @CsvSource({"rs, 6, 3", "rs, 3, 2"})
  void largeCells(String codec, int k, int m) throws IOException {
    int cell = 1 << 20;
    org.apache.hadoop.fs.Path dir = cluster.directory(codec, k, m, cell);
    Consumer<Configuration> twoCells = conf -> conf.setLong("dfs.blocksize", 2 * cell);
    DistributedFileSystem ours = cluster.open("functional-partitioned", twoCells);
    DistributedFileSystem stock = cluster.open("stock", twoCells);
    int stripe = k * cell;
    for (int size : new int[] {700_001, stripe - 1, stripe, 2 * stripe, 3 * stripe + cell + 1}) {
      check(ours, stock, dir, size);
    }
  }

  @ParameterizedTest
  @Tag("full")
  @CsvSource({"CRC32, 512", "CRC32C, 4096", "CRC32C, 65536", "CRC32, 1024", "NULL, 512"})
  void checksumOptions(String type, int chunk) throws IOException {
    org.apache.hadoop.fs.Path dir = cluster.directory("rs", 3, 2, CELL);
    DistributedFileSystem ours =
        cluster.open("functional-partitioned", WriteCluster.checksum(type, chunk));
    DistributedFileSystem stock = cluster.open("stock", WriteCluster.checksum(type, chunk));
    for (int size : new int[] {1, 1000, CELL, 3 * CELL + 700, 9 * CELL, 10 * CELL + 5000}) {
      check(ours, stock, dir, size);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rs_java", "stripeline"})
  void anyConfiguredCoder(String coder) throws IOException {
    org.apache.hadoop.fs.Path dir = cluster.directory("rs", 6, 3, CELL);
    DistributedFileSystem ours =
        cluster.open(
            "functional-partitioned", conf -> conf.set("io.erasurecode.codec.rs.rawcoders", coder));
    for (int size : new int[] {1, CELL + 1, 6 * CELL, 20 * CELL + 12345}) {
      check(ours, cluster.stock(), dir, size);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "512, 1", "7777, 300000", "65536, 1", "16777216, 100000000"})
  void packetSizesAndWindows(long packet, long window) throws IOException {
    org.apache.hadoop.fs.Path dir = cluster.directory("rs", 3, 2, CELL);
    DistributedFileSystem ours =
        cluster.open(
            "functional-partitioned",
            conf -> {
              conf.setLong("stripeline.client.write.packet.size", packet);
              conf.setLong("stripeline.client.write.window", window);
            });
    for (int size : new int[] {100, 4 * CELL + 100, 15 * CELL}) {
      check(ours, cluster.stock(), dir, size);
    }
  }

  @ParameterizedTest
  @Tag("full")
  @CsvSource({"functional-partitioned", "non-blocking", "blocking"})
  void partsOfStripesMayGoOutEarly(String mode) throws IOException {
    org.apache.hadoop.fs.Path dir = cluster.directory("rs", 3, 2, CELL);
    byte[] data = WriteCluster.bytes(9, 14 * CELL + 700);
    org.apache.hadoop.fs.Path byOurs = new org.apache.hadoop.fs.Path(dir, "parts-" + mode);
    org.apache.hadoop.fs.Path byStock = new org.apache.hadoop.fs.Path(dir, "whole-" + mode);
    Random random = new Random(9);
    try (FSDataOutputStream out = cluster.open(mode).create(byOurs)) {
      int done = 0;
      while (done < data.length) {
        int count = Math.min(data.length - done, 1 + random.nextInt(2 * CELL));
        out.write(data, done, count);
        ((StripelineOutputStream) out.getWrappedStream()).enqueueAllCurrentPackets();
        done += count;
      }
    }
    try (FSDataOutputStream out = cluster.stock().create(byStock)) {
      out.write(data);
    }
    compare(byOurs, byStock, data);
  }

  @ParameterizedTest
  @CsvSource({"functional-partitioned, 1", "blocking, 1", "functional-partitioned, 700"})
  void smallWrites(String mode, int most) throws IOException {
    org.apache.hadoop.fs.Path dir = cluster.directory("rs", 3, 2, CELL);
    byte[] data = WriteCluster.bytes(10, 14 * CELL + 700);
    org.apache.hadoop.fs.Path byOurs = new org.apache.hadoop.fs.Path(dir, mode + "-" + most);
    org.apache.hadoop.fs.Path byStock = new org.apache.hadoop.fs.Path(dir, "stock" + mode + most);
    Random random = new Random(10);
    try (FSDataOutputStream out = cluster.open(mode).create(byOurs)) {
      int done = 0;
      while (done < data.length) {
        int count = Math.min(data.length - done, 1 + random.nextInt(most));
        if (random.nextBoolean()) {
          out.write(data, done, count);
          done += count;
        } else {
          for (int end = done + count; done < end; done++) {
            out.write(data[done]);
          }
        }
      }
      assertThat(out.getPos()).isEqualTo(data.length);
    }
    try (FSDataOutputStream out = cluster.stock().create(byStock)) {
      out.write(data);
    }
    compare(byOurs, byStock, data);
  }

  @Test
  @Tag("full")
  void replicatedFilesUseHadoopsStream() throws IOException {
    DistributedFileSystem ours = cluster.open("functional-partitioned");
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/replicated");
    byte[] data = WriteCluster.bytes(7, 300_000);
    try (FSDataOutputStream out = ours.create(file)) {
      assertThat(out.getWrappedStream()).isExactlyInstanceOf(DFSOutputStream.class);
      out.write(data);
    }
    assertThat(cluster.readByStock(file)).isEqualTo(data);
  }

  private void check(
      DistributedFileSystem ours,
      DistributedFileSystem stock,
      org.apache.hadoop.fs.Path dir,
      int size)
      throws IOException {
    byte[] data = WriteCluster.bytes(size, size);
    int number = files++;
    org.apache.hadoop.fs.Path byOurs = new org.apache.hadoop.fs.Path(dir, "ours-" + number);
    org.apache.hadoop.fs.Path byStock = new org.apache.hadoop.fs.Path(dir, "stock-" + number);
    try (FSDataOutputStream out = ours.create(byOurs)) {
      assertThat(out.getWrappedStream()).isInstanceOf(StripelineOutputStream.class);
      WriteCluster.writeInPieces(out, data, new Random(size));
      assertThat(out.getPos()).isEqualTo(size);
    }
    try (FSDataOutputStream out = stock.create(byStock)) {
      assertThat(out.getWrappedStream()).isExactlyInstanceOf(DFSStripedOutputStream.class);
      out.write(data);
    }
    compare(byOurs, byStock, data);
  }

  private void compare(
      org.apache.hadoop.fs.Path byOurs, org.apache.hadoop.fs.Path byStock, byte[] data)
      throws IOException {
    DistributedFileSystem stock = cluster.cluster.getFileSystem();
    assertThat(cluster.readByStock(byOurs)).isEqualTo(data);
    assertThat(stock.getFileChecksum(byOurs)).isEqualTo(stock.getFileChecksum(byStock));
    List<WriteCluster.Replica> expected = cluster.replicas(byStock);
    List<WriteCluster.Replica> actual = cluster.replicas(byOurs);
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      WriteCluster.Replica ours = actual.get(i);
      WriteCluster.Replica theirs = expected.get(i);
      assertThat(ours.data).as("data of %s, %s", byOurs, i).isEqualTo(theirs.data);
      assertThat(ours.meta).as("meta of %s, %s", byOurs, i).isEqualTo(theirs.meta);
    }
  }
}
