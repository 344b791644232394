// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.apache.hadoop.test.GenericTestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;

/**
 * Tests readers that have a file open while it is replaced, and then read blocks whose locations
 * they did not have: they must get correct bytes or an exception.
 */
@Tag("full")
class StaleReaderTest {
  private static final int BLOCK = ConvertCluster.BLOCK;

  /** More blocks than any reader requests at once. */
  private static final int BLOCKS = 30;

  private static final int PIECE = 8192;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    // Hundreds of thousands of lines about reads that fail, as they may here.
    GenericTestUtils.setLogLevel(LoggerFactory.getLogger("org.apache.hadoop.hdfs"), Level.ERROR);
    cluster =
        new ConvertCluster(
            directory,
            6,
            3,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setLong("dfs.client.read.prefetch.size", BLOCK);
              conf.setInt("dfs.client.retry.window.base", 10);
              conf.setInt("dfs.client.max.block.acquire.failures", 1);
            });
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Counts the results of the reads of one open stream. */
  private static final class Reads {
    int right;
    int wrong;
    int failed;

    private void add(byte[] read, byte[] wanted) {
      if (Arrays.equals(read, wanted)) {
        right++;
      } else {
        wrong++;
      }
    }

    @Override
    public String toString() {
      return right + " right, " + wrong + " wrong, " + failed + " failed";
    }
  }

  /** Streams of both clients that have the locations of the first blocks of a file. */
  private static final class Readers implements Closeable {
    private final List<FileSystem> systems = new ArrayList<>();
    private final List<FSDataInputStream> streams = new ArrayList<>();
    private final byte[] bytes;

    Readers(String path, byte[] bytes) throws IOException {
      this.bytes = bytes;
      Configuration ours = new Configuration(cluster.conf());
      ours.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
      for (Configuration conf : Arrays.asList(cluster.conf(), ours)) {
        FileSystem fs = FileSystem.newInstance(cluster.uri(), conf);
        systems.add(fs);
        FSDataInputStream stream = fs.open(new Path(path));
        streams.add(stream);
        stream.readFully(0, new byte[PIECE]);
        assertThat(stream.read()).isGreaterThanOrEqualTo(-1);
      }
    }

    /** Reads pieces from the whole file, first by position and then after seeks. */
    Reads read(int client) {
      FSDataInputStream stream = streams.get(client);
      Reads reads = new Reads();
      byte[] piece = new byte[PIECE];
      for (int block = 0; block < BLOCKS; block++) {
        for (int part = 0; part < 4; part++) {
          int at = block * BLOCK + part * (BLOCK / 4) + 100 * part;
          try {
            stream.readFully(at, piece);
            reads.add(piece, Arrays.copyOfRange(bytes, at, at + PIECE));
          } catch (IOException | RuntimeException | AssertionError e) {
            // Hadoop asserts the type of block, or fails to cast it.
            reads.failed++;
          }
        }
      }
      for (int block = 1; block < BLOCKS; block += 7) {
        int at = block * BLOCK + 4321;
        try {
          stream.seek(at);
          stream.readFully(piece);
          reads.add(piece, Arrays.copyOfRange(bytes, at, at + PIECE));
        } catch (IOException | RuntimeException | AssertionError e) {
          reads.failed++;
        }
      }
      return reads;
    }

    @Override
    public void close() throws IOException {
      for (FSDataInputStream stream : streams) {
        stream.close();
      }
      for (FileSystem system : systems) {
        system.close();
      }
    }
  }

  private static void run(JobSettings settings, String job) throws IOException {
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(settings, job).failures()).isEmpty();
    }
  }

  private static void assertNeverWrong(Readers readers) {
    for (int client = 0; client < 2; client++) {
      assertThat(readers.read(client).wrong).as(client == 0 ? "Hadoop's" : "ours").isZero();
    }
  }

  private static void assertOnlyHadoopsIsWrong(Readers readers) {
    Reads hadoops = readers.read(0);
    assertThat(hadoops.wrong).as(hadoops.toString()).isPositive();
    Reads ours = readers.read(1);
    assertThat(ours.wrong).as(ours.toString()).isZero();
  }

  @Test
  void readersOfContiguousAndUndoneFilesGetRightBytes() throws Exception {
    byte[] bytes = cluster.write("/wide/a", BLOCKS * BLOCK);
    try (Readers before = new Readers("/wide/a", bytes)) {
      run(ConvertCluster.contiguous("/wide", "RS-3-2"), "wide");
      assertNeverWrong(before);
      try (Readers between = new Readers("/wide/a", bytes)) {
        run(ConvertCluster.undo("/wide"), "wide-undo");
        assertNeverWrong(between);
        assertNeverWrong(before);
      }
    }
  }

  @Test
  void filesOfAnotherCode() throws Exception {
    byte[] bytes = cluster.write("/recoded/a", BLOCKS * BLOCK);
    run(ConvertCluster.striped("/recoded", "RS-3-2"), "recoded");
    try (Readers before = new Readers("/recoded/a", bytes)) {
      run(ConvertCluster.striped("/recoded", "XOR-2-1"), "recoded-again");
      assertOnlyHadoopsIsWrong(before);
    }
  }

  /** Hadoop's own client gets wrong bytes here, which is why --allow-stale-readers is required. */
  @Test
  void stripedFiles() throws Exception {
    byte[] bytes = cluster.write("/narrow/a", BLOCKS * BLOCK);
    try (Readers before = new Readers("/narrow/a", bytes)) {
      run(ConvertCluster.striped("/narrow", "RS-3-2"), "narrow");
      assertOnlyHadoopsIsWrong(before);
    }
    try (Readers between = new Readers("/narrow/a", bytes)) {
      run(ConvertCluster.undo("/narrow"), "narrow-undo");
      assertNeverWrong(between);
    }
    JobSettings without = ConvertCluster.striped("/narrow", "RS-3-2");
    without.allowStaleReaders = false;
    try (Driver driver = cluster.driver()) {
      assertThatThrownBy(() -> driver.execute(without, "narrow-refused"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("--allow-stale-readers");
    }
  }
}
