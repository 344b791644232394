// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.testkit.Conditions;

/** Checks that a corrupt replica is reported to the NameNode, as by Hadoop's client. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class CorruptReportTest {
  private static final int CELL = 16 << 10;
  private static final byte[] DATA = StripedCluster.bytes(9 * 3 * CELL, 11);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path folder;

  /** The kinds of reads that encounter the corrupt cells. */
  enum Form {
    STATEFUL {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        in.readFully(into);
      }
    },
    POSITIONAL {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        in.readFully(0, into);
      }
    },
    VECTORED {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        FileRange range = FileRange.createFileRange(0, into.length);
        in.readVectored(List.of(range), ByteBuffer::allocate);
        range.getData().get(1, TimeUnit.MINUTES).get(into);
      }
    };

    abstract void read(FSDataInputStream in, byte[] into) throws Exception;
  }

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 3 * CELL);
    cluster = new StripedCluster(dir, 5, conf);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    folder = cluster.directory("/ec", policy);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void corruptDataBlocksAreReported(Form form) throws Exception {
    org.apache.hadoop.fs.Path file = write(form.name());
    List<LocatedStripedBlock> groups = cluster.groups(file);
    flip(groups.get(0), 0, 2 * CELL + 5);
    flip(groups.get(0), 2, 0);
    flip(groups.get(2), 1, CELL - 1);
    byte[] read = new byte[DATA.length];
    try (FSDataInputStream in = cluster.ours().open(file)) {
      form.read(in, read);
    }
    assertThat(read).isEqualTo(DATA);
    awaitReport(file, 0, 0);
    awaitReport(file, 0, 2);
    awaitReport(file, 2, 1);
    // No other replica was reported.
    assertThat(cluster.groups(file).stream().map(group -> group.getLocations().length))
        .containsExactly(3, 5, 4);
  }

  /** Also Hadoop's decryption takes the position to be unchanged after an exception. */
  @Test
  void aReadThatFailsMovesThePositionByWhatWasReturned() throws Exception {
    org.apache.hadoop.fs.Path file = write("half-way");
    LocatedStripedBlock group = cluster.groups(file).get(0);
    for (int unit = 1; unit < 5; unit++) {
      flip(group, unit, 2 * CELL + 7);
    }
    byte[] read = new byte[DATA.length];
    int done = 0;
    IOException failure = null;
    try (FSDataInputStream in = cluster.ours().open(file)) {
      while (failure == null) {
        try {
          done += in.read(read, done, read.length - done);
        } catch (IOException e) {
          failure = e;
        }
        assertThat(in.getPos()).isEqualTo(done);
      }
    }
    assertThat(done).isBetween(1, 3 * 3 * CELL - 1);
    assertThat(Arrays.copyOf(read, done)).isEqualTo(Arrays.copyOf(DATA, done));
  }

  @Test
  void corruptBlocksAreReportedWhenTheyAreTooMany() throws Exception {
    org.apache.hadoop.fs.Path file = write("too-many");
    LocatedStripedBlock group = cluster.groups(file).get(1);
    for (int unit = 1; unit < 5; unit++) {
      flip(group, unit, 7);
    }
    byte[] read = new byte[DATA.length];
    try (FSDataInputStream in = cluster.ours().open(file)) {
      assertThatThrownBy(() -> in.readFully(0, read))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file.toUri().getPath());
    }
    Conditions.await("the group to be corrupt", () -> cluster.groups(file).get(1).isCorrupt());
  }

  private static org.apache.hadoop.fs.Path write(String name) throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, name);
    StripedCluster.write(cluster.ours(), file, DATA);
    cluster.awaitReports(file, 5);
    return file;
  }

  private static void flip(LocatedStripedBlock group, int unit, int position) throws IOException {
    StripedCluster.flip(cluster.blockFile(group, unit), position, 4);
  }

  private static void awaitReport(org.apache.hadoop.fs.Path file, int group, int unit) {
    Conditions.await(
        "unit " + unit + " of group " + group + " to be reported",
        () -> StripedCluster.location(cluster.groups(file).get(group), unit) == null);
  }
}
