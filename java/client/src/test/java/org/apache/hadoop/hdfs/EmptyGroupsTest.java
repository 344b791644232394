// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;

/**
 * Files with block groups of 0 bytes, which Hadoop before 3.5 leaves when it recovers a lease, and
 * to which further groups were appended.
 */
@Tag("full")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmptyGroupsTest extends SyncCase {
  private static final EnumSet<CreateFlag> APPEND =
      EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
  private static final int PART = STRIPE + 100;
  private static final byte[] ALL = bytes(5 * PART);

  private static DistributedFileSystem reader(int prefetched) throws IOException {
    return ours(
        conf -> {
          conf.setBoolean(ClientKeys.READ_ENABLED, true);
          conf.setInt(HdfsClientConfigKeys.Read.PREFETCH_SIZE_KEY, prefetched);
        });
  }

  /** Appends the next part as a group of its own. */
  private static void append(Path file, int part) throws IOException {
    try (FSDataOutputStream out =
        part == 0 ? fs.create(file) : fs.append(file, APPEND, 4096, null)) {
      out.write(ALL, part * PART, PART);
    }
  }

  /** Returns the blocks with empty ones before and after each. */
  private static LocatedBlocks withEmptyGroups(LocatedBlocks blocks) {
    List<LocatedBlock> all = new ArrayList<>();
    for (LocatedBlock block : blocks.getLocatedBlocks()) {
      all.add(empty(block, 1, block.getStartOffset()));
      all.add(block);
      all.add(empty(block, 2, block.getStartOffset() + block.getBlockSize()));
    }
    return new LocatedBlocks(
        blocks.getFileLength(),
        blocks.isUnderConstruction(),
        all,
        blocks.getLastLocatedBlock(),
        blocks.isLastBlockComplete(),
        blocks.getFileEncryptionInfo(),
        blocks.getErasureCodingPolicy());
  }

  private static LocatedBlock empty(LocatedBlock near, int number, long offset) {
    ExtendedBlock block = new ExtendedBlock(near.getBlock());
    block.setBlockId(near.getBlock().getBlockId() - (1L << 40) - 16 * number);
    block.setNumBytes(0);
    return new LocatedStripedBlock(
        block, DatanodeInfo.EMPTY_ARRAY, null, null, new byte[0], offset, false, null);
  }

  private static void assertReadInAllWays(DistributedFileSystem ours, Path file) throws Exception {
    assertThat(read(ours, file)).isEqualTo(ALL);
    int[] offsets = {0, PART - 1, PART, PART + 1, 3 * PART, 4 * PART - 1, ALL.length - 1};
    try (FSDataInputStream in = ours.open(file)) {
      assertThat(((HdfsDataInputStream) in).getAllBlocks()).hasSize(5);
      List<FileRange> ranges = new ArrayList<>();
      for (int offset : offsets) {
        int length = Math.min(PART + 7, ALL.length - offset);
        byte[] wanted = Arrays.copyOfRange(ALL, offset, offset + length);
        byte[] read = new byte[length];
        in.readFully(offset, read);
        assertThat(read).isEqualTo(wanted);
        in.seek(offset);
        in.readFully(read);
        assertThat(read).isEqualTo(wanted);
        in.seek(0);
        assertThat(in.skip(offset)).isEqualTo(offset);
        assertThat((byte) in.read()).isEqualTo(ALL[offset]);
        if (ranges.isEmpty() || offset >= end(ranges.get(ranges.size() - 1))) {
          ranges.add(FileRange.createFileRange(offset, length));
        }
      }
      in.readVectored(ranges, ByteBuffer::allocate);
      for (FileRange range : ranges) {
        ByteBuffer read = range.getData().get(30, TimeUnit.SECONDS);
        int from = (int) range.getOffset();
        assertThat(read).isEqualTo(ByteBuffer.wrap(ALL, from, range.getLength()));
      }
    }
    assertThat(ours.getFileBlockLocations(file, 0, Long.MAX_VALUE)).hasSize(5);
  }

  private static long end(FileRange range) {
    return range.getOffset() + range.getLength();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, PART, 100 * PART})
  void theBytesAroundThemAreRead(int prefetched) throws Exception {
    Path file = file("around" + prefetched);
    for (int part = 0; part < 5; part++) {
      append(file, part);
    }
    DistributedFileSystem ours = reader(prefetched);
    try (HungNameNode nameNode = new HungNameNode(ours)) {
      nameNode.locate(EmptyGroupsTest::withEmptyGroups);
      assertReadInAllWays(ours, file);
    }
  }

  /** The NameNode of Hadoop before 3.5 must run without assertions, as in production. */
  @Test
  void thoseThatHadoopLeavesArePassedOver() throws Exception {
    assumeFalse(BlockManager.class.desiredAssertionStatus());
    Path file = file("recovered");
    fs.create(file).close();
    leaveEmptyGroup(file);
    for (int part = 0; part < 5; part++) {
      try (FSDataOutputStream out = fs.append(file, APPEND, 4096, null)) {
        out.write(ALL, part * PART, PART);
      }
      if (part % 2 == 0) {
        leaveEmptyGroup(file);
      }
    }
    for (int prefetched : new int[] {1, PART, 100 * PART}) {
      assertReadInAllWays(reader(prefetched), file);
    }
  }

  /** A writer that dies has written to each data block, and no full stripe. */
  private static void leaveEmptyGroup(Path file) throws IOException {
    DistributedFileSystem writer = cluster.stock();
    FSDataOutputStream out = writer.append(file, APPEND, 4096, null);
    // Hadoop's stream collects the bytes of nine checksums before it queues them.
    out.write(new byte[31 * 9 * 512]);
    DFSStripedOutputStream stream = (DFSStripedOutputStream) out.getWrappedStream();
    stream.enqueueAllCurrentPackets();
    stream.flushAllInternals();
    writer.getClient().closeAllFilesBeingWritten(true);
    recover(fs, file);
  }
}
