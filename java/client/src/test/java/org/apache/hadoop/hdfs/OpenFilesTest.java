// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.client.read.shared.NodeHealth;
import org.stripeline.testkit.Conditions;

/**
 * Tests reads of files that are being written. The reader takes the length of the first internal
 * block for that of the last block group, and the other internal blocks have more bytes.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenFilesTest {
  private static final int CELL = 64 << 10;
  private static final int PIECE = 512;

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path rs;
  private static org.apache.hadoop.fs.Path xor;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 64 * CELL);
    conf.setInt("dfs.heartbeat.interval", 1);
    cluster = new StripedCluster(dir, 9, conf);
    rs = cluster.directory("/rs", new ErasureCodingPolicy(new ECSchema("rs", 6, 3), CELL));
    xor = cluster.directory("/xor", new ErasureCodingPolicy(new ECSchema("xor", 2, 1), CELL));
  }

  @AfterAll
  static void stop() throws IOException {
    cluster.close();
  }

  /** Each reads a range of a file of which nothing was read before. */
  private enum Form {
    STATEFUL {
      @Override
      void read(FSDataInputStream in, int from, byte[] into) throws IOException {
        in.seek(from);
        in.readFully(into);
      }
    },
    STATEFUL_BUFFER {
      @Override
      void read(FSDataInputStream in, int from, byte[] into) throws IOException {
        in.seek(from);
        ByteBuffer target = ByteBuffer.wrap(into);
        while (target.hasRemaining()) {
          assertThat(in.read(target)).isPositive();
        }
      }
    },
    POSITIONAL {
      @Override
      void read(FSDataInputStream in, int from, byte[] into) throws IOException {
        in.readFully(from, into);
      }
    },
    POSITIONAL_BUFFER {
      @Override
      void read(FSDataInputStream in, int from, byte[] into) throws IOException {
        in.readFully(from, ByteBuffer.wrap(into));
      }
    },
    VECTORED {
      @Override
      void read(FSDataInputStream in, int from, byte[] into) throws IOException {
        FileRange range = FileRange.createFileRange(from, into.length);
        in.readVectored(Collections.singletonList(range), ByteBuffer::allocate);
        try {
          range.getData().get(60, TimeUnit.SECONDS).get(into);
        } catch (Exception e) {
          throw new IOException(e);
        }
      }
    };

    abstract void read(FSDataInputStream in, int from, byte[] into) throws IOException;
  }

  private static FSDataOutputStream write(org.apache.hadoop.fs.Path file, byte[] data)
      throws IOException {
    FSDataOutputStream out = cluster.ours().create(file);
    out.write(data);
    send(out);
    return out;
  }

  /** Waits until the DataNodes have acknowledged the data so far and the parity of full stripes. */
  private static void send(FSDataOutputStream out) throws IOException {
    DFSStripedOutputStream stream = (DFSStripedOutputStream) out.getWrappedStream();
    stream.enqueueAllCurrentPackets();
    stream.flushAllInternals();
  }

  private static String node(org.apache.hadoop.fs.Path file, int unit) throws IOException {
    LocatedStripedBlock group =
        (LocatedStripedBlock)
            cluster
                .stock()
                .getClient()
                .getLocatedBlocks(file.toUri().getPath(), 0)
                .getLastLocatedBlock();
    return StripedCluster.location(group, unit).getXferAddr();
  }

  private static int visible(FSDataInputStream in) throws IOException {
    return (int) ((HdfsDataInputStream) in).getVisibleLength();
  }

  private static byte[] read(Form form, FSDataInputStream in, int from, int to) throws IOException {
    byte[] into = new byte[to - from];
    form.read(in, from, into);
    return into;
  }

  /** Reads ranges in new streams, each while the client avoids a DataNode. */
  private static void checkReads(
      Form form, org.apache.hadoop.fs.Path file, byte[] data, int known, int avoided)
      throws IOException {
    NodeHealth health = ((StripelineDFSClient) cluster.ours().getClient()).readContext().health();
    String node = node(file, avoided);
    int lastCell = (known - 1) / CELL * CELL;
    for (int[] range : new int[][] {{0, known}, {0, Math.min(CELL, known)}, {lastCell, known}}) {
      try (FSDataInputStream in = cluster.ours().open(file)) {
        assertThat(visible(in)).isEqualTo(known);
        health.markSuspect(node, "test");
        assertThat(read(form, in, range[0], range[1]))
            .as("%s, bytes %d to %d without unit %d", file, range[0], range[1], avoided)
            .isEqualTo(Arrays.copyOfRange(data, range[0], range[1]));
      } finally {
        health.markHealthy(node);
      }
    }
  }

  /** A decode at once, without the DataNode that is avoided, would give wrong bytes. */
  @ParameterizedTest
  @EnumSource(Form.class)
  void readsThatAvoidADataNodeAreRight(Form form) throws IOException {
    for (org.apache.hadoop.fs.Path folder : new org.apache.hadoop.fs.Path[] {rs, xor}) {
      int k = folder == rs ? 6 : 2;
      int stripe = k * CELL;
      int[] lengths = {stripe, stripe + CELL / 2, 2 * stripe, (k + 1) * stripe + 1024};
      for (int length : lengths) {
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, form + "-" + length);
        byte[] data = StripedCluster.bytes(length, length);
        int known = length / stripe * CELL + Math.min(CELL, length % stripe);
        try (FSDataOutputStream out = write(file, data)) {
          for (int unit : new int[] {0, 1, k}) {
            checkReads(form, file, data, known, unit);
          }
        }
        StripedCluster.checkReads(cluster.ours(), file, data, CELL);
      }
    }
  }

  /** Whole stripes before the last one are decoded; the last one is not. */
  @Test
  void aLostDataNodeCausesNoWrongBytes() throws Exception {
    int stripe = 6 * CELL;
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(rs, "lost");
    byte[] data = StripedCluster.bytes(7 * stripe, 3);
    FSDataOutputStream out = write(file, data);
    FSDataInputStream[] streams = new FSDataInputStream[Form.values().length];
    for (int i = 0; i < streams.length; i++) {
      streams[i] = cluster.ours().open(file);
      assertThat(visible(streams[i])).isEqualTo(stripe + CELL);
    }
    MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(node(file, 0));
    try {
      for (Form form : Form.values()) {
        assertDecodedUpTo(stripe, form, streams[form.ordinal()], data);
      }
      out.close();
      // What the streams know of the group stays.
      for (Form form : Form.values()) {
        assertDecodedUpTo(stripe, form, streams[form.ordinal()], data);
        streams[form.ordinal()].close();
      }
      StripedCluster.checkReads(cluster.ours(), file, data, CELL);
    } finally {
      cluster.mini().restartDataNode(stopped, true);
      cluster.mini().waitActive();
    }
  }

  private static void assertDecodedUpTo(int to, Form form, FSDataInputStream in, byte[] data)
      throws IOException {
    assertThat(read(form, in, 0, to)).as("%s", form).isEqualTo(Arrays.copyOf(data, to));
    assertThatThrownBy(() -> read(form, in, to, to + CELL))
        .as("%s", form)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the file was being written when it was opened")
        .hasMessageContaining("internal block 0: ");
  }

  /** The stream has left readers open that do not know the new bytes. */
  @Test
  void aPositionalReadAcrossTheOldEndOfAFileThatHasGrownIsRight() throws IOException {
    int stripe = 2 * CELL;
    byte[] data = StripedCluster.bytes(8 * stripe, 4);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(xor, "grown");
    try (FSDataOutputStream out = write(file, Arrays.copyOf(data, 4 * stripe));
        FSDataInputStream in = cluster.ours().open(file)) {
      int known = 4 * CELL;
      assertThat(visible(in)).isEqualTo(known);
      for (int at = 0; at < known - PIECE; at += PIECE) {
        assertThat(read(Form.POSITIONAL, in, at, at + PIECE))
            .isEqualTo(Arrays.copyOfRange(data, at, at + PIECE));
      }
      out.write(data, 4 * stripe, 4 * stripe);
      send(out);
      // As a thread does with dfs.client.refresh.read-block-locations.ms.
      ((StripelineInputStream) in.getWrappedStream()).openInfo(true);
      assertThat(visible(in)).isEqualTo(2 * known);
      int from = known - PIECE;
      assertThat(read(Form.POSITIONAL, in, from, known + PIECE))
          .isEqualTo(Arrays.copyOfRange(data, from, known + PIECE));
    }
  }

  /** The NameNode knows a length of an open file after one of its DataNodes has failed. */
  @Test
  void aFileInASnapshotEndsWhereItDidThen() throws Exception {
    int stripe = 6 * CELL;
    byte[] bytes = StripedCluster.bytes(3 * stripe, 5);
    org.apache.hadoop.fs.Path folder = new org.apache.hadoop.fs.Path(rs, "snapshots");
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, "a");
    DistributedFileSystem fs = cluster.ours();
    fs.mkdirs(folder);
    fs.allowSnapshot(folder);
    DFSClient client = fs.getClient();
    String path = file.toUri().getPath();
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(bytes, 0, 2 * stripe);
      Conditions.await(
          "a block group", () -> client.getLocatedBlocks(path, 0).getLastLocatedBlock() != null);
      long inode = client.getFileInfo(path).getFileId();
      client.namenode.fsync(path, inode, client.getClientName(), stripe);
      fs.createSnapshot(folder, "then");
      fs.setPermission(file, new FsPermission("600"));
      out.write(bytes, 2 * stripe, stripe);
    }
    org.apache.hadoop.fs.Path then = new org.apache.hadoop.fs.Path(folder, ".snapshot/then/a");
    assertThat(fs.getFileStatus(then).getLen()).isEqualTo(stripe);
    byte[] read = new byte[3 * stripe];
    try (FSDataInputStream in = fs.open(then)) {
      int done = 0;
      for (int count = 0; count >= 0; count = in.read(read, done, read.length - done)) {
        done += count;
      }
      assertThat(done).isEqualTo(stripe);
      assertThat(in.getPos()).isEqualTo(stripe);
    }
    assertThat(Arrays.copyOf(read, stripe)).isEqualTo(Arrays.copyOf(bytes, stripe));
  }
}
