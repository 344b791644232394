// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Reads all internal blocks of a file from the DataNodes, through their checksums, and checks that
 * the parity of each group matches its data.
 *
 * <p>The composite checksum of a file does not cover its parity. Parity is normally read only after
 * a block is lost, when it is too late to find out that it is wrong.
 */
public final class ParityCheck {
  private static final Logger LOG = LoggerFactory.getLogger(ParityCheck.class);

  /**
   * Bytes of each unit that are checked at a time; 3.5 MiB in total for the widest codes of stock
   * HDFS.
   */
  private static final int WINDOW_BYTES = 256 << 10;

  private final DistributedFileSystem fs;
  private final ErasureCodingPolicy policy;
  private final Watcher watcher;
  private final boolean isWhole;
  private final ByteBuffer[] window;

  /** Receives the number of bytes before they are read, and may delay the reads. */
  public interface Watcher {
    void reads(int bytes) throws IOException;
  }

  private ParityCheck(
      DistributedFileSystem fs, ErasureCodingPolicy policy, Watcher watcher, boolean isWhole) {
    this.fs = fs;
    this.policy = policy;
    this.watcher = watcher;
    this.isWhole = isWhole;
    window = new ByteBuffer[policy.getNumDataUnits() + policy.getNumParityUnits()];
    for (int unit = 0; unit < window.length; unit++) {
      window[unit] = ByteBuffer.allocate(WINDOW_BYTES);
    }
  }

  /**
   * Checks a file all of whose internal blocks have been reported.
   *
   * @throws IOException if parity does not match its data, or a block cannot be read
   */
  public static void check(
      DistributedFileSystem fs, String path, ErasureCodingPolicy policy, Watcher watcher)
      throws IOException {
    new ParityCheck(fs, policy, watcher, true).check(path);
  }

  /**
   * Checks a file some of whose internal blocks may be lost. Lost blocks are decoded from the
   * others, so that the remaining redundancy is still compared.
   *
   * @throws IOException if parity does not match its data, or a block cannot be read
   */
  static void checkWhatIsLeft(
      DistributedFileSystem fs, String path, ErasureCodingPolicy policy, Watcher watcher)
      throws IOException {
    new ParityCheck(fs, policy, watcher, false).check(path);
  }

  private void check(String path) throws IOException {
    try (ErasureCodec codec =
        ErasureCodec.create(
            Code.of(policy.getCodecName()), policy.getNumDataUnits(), policy.getNumParityUnits())) {
      for (LocatedBlock group :
          fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks()) {
        check((LocatedStripedBlock) group, codec);
      }
    }
  }

  private void check(LocatedStripedBlock group, ErasureCodec codec) throws IOException {
    LocatedBlock[] blocks =
        StripedBlockUtil.parseStripedBlockGroup(
            group, policy.getCellSize(), policy.getNumDataUnits(), policy.getNumParityUnits());
    int[] lost = lost(group, blocks);
    if (lost.length == policy.getNumParityUnits()) {
      LOG.warn(
          "Group {} lost {} internal blocks, so the remaining ones cannot be compared",
          group.getBlock().getBlockName(),
          lost.length);
      return;
    }
    Unit[] units = new Unit[blocks.length];
    try {
      long longest = 0;
      for (int i = 0; i < units.length; i++) {
        units[i] = blocks[i] == null ? new Unit() : new Unit(blocks[i]);
        longest = Math.max(longest, units[i].left());
      }
      for (long done = 0; done < longest; done += WINDOW_BYTES) {
        int bytes = (int) Math.min(WINDOW_BYTES, longest - done);
        watcher.reads(bytes * units.length);
        for (int i = 0; i < units.length; i++) {
          units[i].fill(window[i], bytes);
        }
        restore(lost, codec);
        int wrong = codec.verify(window);
        if (wrong >= 0) {
          LocatedBlock parity = blocks[policy.getNumDataUnits() + wrong];
          String node = parity == null ? "" : " on " + parity.getLocations()[0].getXferAddr();
          throw new IOException(
              "Cannot use group "
                  + group.getBlock().getBlockName()
                  + ": its parity block "
                  + wrong
                  + node
                  + " does not match its data");
        }
      }
    } finally {
      IOUtils.cleanupWithLogger(null, units);
    }
  }

  /** Returns the indices of the group's internal blocks that no DataNode has. */
  private int[] lost(LocatedStripedBlock group, LocatedBlock[] blocks) throws IOException {
    long cells = (group.getBlockSize() - 1) / policy.getCellSize() + 1;
    int[] lost = new int[blocks.length];
    int count = 0;
    for (int i = 0; i < blocks.length; i++) {
      boolean belongs = i >= policy.getNumDataUnits() || i < cells;
      if (belongs && blocks[i] == null) {
        lost[count++] = i;
      }
    }
    if (count > (isWhole ? 0 : policy.getNumParityUnits())) {
      throw new IOException(
          "Cannot check group "
              + group.getBlock().getBlockName()
              + ": block "
              + lost[0]
              + " of it is no longer on any DataNode");
    }
    return Arrays.copyOf(lost, count);
  }

  /** Decodes the content of the lost blocks in this window. */
  private void restore(int[] lost, ErasureCodec codec) throws IOException {
    if (lost.length == 0) {
      return;
    }
    ByteBuffer[] left = window.clone();
    ByteBuffer[] restored = new ByteBuffer[lost.length];
    for (int i = 0; i < lost.length; i++) {
      restored[i] = window[lost[i]];
      left[lost[i]] = null;
    }
    codec.decode(left, lost, restored);
  }

  /** One internal block as a stream, with zeros beyond its end. */
  private final class Unit implements Closeable {
    private final ReplicaReader replica;

    /** A block that a short group does not have, or that is lost; reads as zeros. */
    Unit() {
      replica = null;
    }

    Unit(LocatedBlock block) throws IOException {
      replica = new ReplicaReader(fs, block, block.getLocations()[0]);
    }

    long left() {
      return replica == null ? 0 : replica.left();
    }

    void fill(ByteBuffer into, int bytes) throws IOException {
      into.clear();
      into.limit(bytes);
      if (left() > 0) {
        replica.read(into);
      }
      while (into.hasRemaining()) {
        into.put((byte) 0);
      }
      into.flip();
    }

    @Override
    public void close() throws IOException {
      if (replica != null) {
        replica.close();
      }
    }
  }
}
