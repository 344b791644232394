// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Reproduces the bug of Hadoop's positional read. After a block has failed, the read treats the
 * slices of a chunk that it has already filled as done, without advancing in the decoded cells, and
 * copies the bytes decoded for one cell into another: wrong bytes without an exception. A single
 * flipped bit on a disk and a read of more than one row of cells are sufficient.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class StockWrongBytesTest {
  private static final int CELL = 1 << 20;
  private static final int BLOCK = 16 * CELL;
  private static final int READ = 24 * CELL;

  /** In the fifth cell of internal block 1: cell 13 of the file. */
  private static final int FLIPPED = 4 * CELL + 12_345;

  private static final byte[] DATA = StripedCluster.bytes(READ + CELL, 7);

  @TempDir static Path dir;
  private static StripedCluster cluster;
  private static org.apache.hadoop.fs.Path folder;

  /** The kinds of reads that return {@value #READ} bytes from the start of a file. */
  enum Form {
    POSITIONAL {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        in.readFully(0, into);
      }
    },
    POSITIONAL_IN_ROWS {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        for (int at = 0; at < into.length; at += 3 * CELL) {
          in.readFully(at, into, at, 3 * CELL);
        }
      }
    },
    POSITIONAL_HEAP_BUFFER {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        in.readFully(0, ByteBuffer.wrap(into));
      }
    },
    POSITIONAL_DIRECT_BUFFER {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(into.length);
        in.readFully(0, buffer);
        ((ByteBuffer) buffer.flip()).get(into);
      }
    },
    VECTORED {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        List<FileRange> ranges = new ArrayList<>();
        for (int at = 0; at < into.length; at += 8 * CELL) {
          ranges.add(FileRange.createFileRange(at, 8 * CELL));
        }
        in.readVectored(ranges, ByteBuffer::allocate);
        for (FileRange range : ranges) {
          range.getData().get(1, TimeUnit.MINUTES).get(into, (int) range.getOffset(), 8 * CELL);
        }
      }
    },
    STATEFUL {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        in.readFully(into);
      }
    },
    STATEFUL_BUFFER {
      @Override
      void read(FSDataInputStream in, byte[] into) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocateDirect(into.length);
        while (buffer.hasRemaining() && in.read(buffer) >= 0) {
          assertThat(in.getPos()).isEqualTo(buffer.position());
        }
        ((ByteBuffer) buffer.flip()).get(into);
      }
    };

    abstract void read(FSDataInputStream in, byte[] into) throws Exception;
  }

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", BLOCK);
    cluster = new StripedCluster(dir, 5, conf);
    folder = cluster.directory("/rs", "RS-3-2-1024k");
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void hadoopsClientReturnsWrongBytesWithoutAnException() throws Exception {
    byte[] read = new byte[READ];
    try (FSDataInputStream in = cluster.stock().open(fileWithOneBitFlipped("stock"))) {
      Form.POSITIONAL.read(in, read);
    }
    assertThat(wrongBytes(read)).as("wrong bytes from the stock client").isGreaterThan(CELL);
  }

  @ParameterizedTest
  @EnumSource
  void ourClientReturnsTheWrittenBytes(Form form) throws Exception {
    byte[] read = new byte[READ];
    try (FSDataInputStream in = cluster.ours().open(fileWithOneBitFlipped(form.name()))) {
      assertThat(in.getWrappedStream()).isInstanceOf(StripelineInputStream.class);
      form.read(in, read);
    }
    assertThat(wrongBytes(read)).as("wrong bytes from ours").isZero();
  }

  /**
   * Creates a file for each read, because the first read that encounters the fault reports it, and
   * the next read would avoid it.
   */
  private static org.apache.hadoop.fs.Path fileWithOneBitFlipped(String name) throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, name);
    StripedCluster.write(cluster.stock(), file, DATA);
    StripedCluster.flip(cluster.blockFile(cluster.groups(file).get(0), 1), FLIPPED, 0);
    return file;
  }

  private static int wrongBytes(byte[] read) {
    int wrong = 0;
    for (int i = Arrays.mismatch(read, 0, READ, DATA, 0, READ); i >= 0 && i < READ; i++) {
      if (read[i] != DATA[i]) {
        wrong++;
      }
    }
    return wrong;
  }
}
