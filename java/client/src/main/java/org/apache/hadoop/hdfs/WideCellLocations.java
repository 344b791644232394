// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.HdfsBlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.LocatedStatuses;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;

/**
 * Computes the locations of a file with wide cells. Hadoop lists every DataNode of a block group
 * for all bytes of the group. If a group is a single stripe of wide cells, each internal data block
 * holds a contiguous range of the file, so schedulers can send work to the DataNode that holds it.
 */
final class WideCellLocations {
  /**
   * The cell size of Hadoop's own policies; separate locations for cells of this size or less would
   * not help.
   */
  private static final int NARROW_CELL_BYTES = 1 << 20;

  private WideCellLocations() {}

  /**
   * Returns the locations of a range of a file, in file order.
   *
   * @param blocks all blocks or groups that hold the range
   * @param start the first byte of the range
   * @param length bytes of the range
   */
  static BlockLocation[] of(LocatedBlocks blocks, long start, long length) {
    List<LocatedBlock> apart = apart(blocks, start, length);
    BlockLocation[] locations = DFSUtilClient.locatedBlocks2Locations(apart);
    for (int i = 0; i < locations.length; i++) {
      locations[i] = new HdfsBlockLocation(locations[i], apart.get(i));
    }
    return locations;
  }

  /** Returns the given statuses, with corrected locations for files with wide cells. */
  static <T extends LocatedFileStatus> RemoteIterator<T> correct(RemoteIterator<T> all) {
    return new RemoteIterator<T>() {
      @Override
      public boolean hasNext() throws IOException {
        return all.hasNext();
      }

      @Override
      public T next() throws IOException {
        T status = all.next();
        if (status instanceof HdfsLocatedFileStatus) {
          LocatedBlocks blocks = ((HdfsLocatedFileStatus) status).getLocatedBlocks();
          if (blocks != null && isWide(blocks.getErasureCodingPolicy())) {
            List<LocatedBlock> apart = apart(blocks, 0, Long.MAX_VALUE);
            LocatedStatuses.setLocations(status, DFSUtilClient.locatedBlocks2Locations(apart));
          }
        }
        return status;
      }
    };
  }

  private static boolean isWide(ErasureCodingPolicy policy) {
    return policy != null && policy.getCellSize() > NARROW_CELL_BYTES;
  }

  private static List<LocatedBlock> apart(LocatedBlocks blocks, long start, long length) {
    ErasureCodingPolicy policy = blocks.getErasureCodingPolicy();
    if (!isWide(policy)) {
      return blocks.getLocatedBlocks();
    }
    long end = start > Long.MAX_VALUE - length ? Long.MAX_VALUE : start + length;
    long stripe = (long) policy.getNumDataUnits() * policy.getCellSize();
    List<LocatedBlock> apart = new ArrayList<>();
    for (LocatedBlock block : blocks.getLocatedBlocks()) {
      if (block instanceof LocatedStripedBlock && block.getBlockSize() <= stripe) {
        addUnits((LocatedStripedBlock) block, policy, start, end, apart);
      } else {
        apart.add(block);
      }
    }
    return apart;
  }

  private static void addUnits(
      LocatedStripedBlock group,
      ErasureCodingPolicy policy,
      long start,
      long end,
      List<LocatedBlock> apart) {
    int cell = policy.getCellSize();
    for (int unit = 0; (long) unit * cell < group.getBlockSize(); unit++) {
      long from = group.getStartOffset() + (long) unit * cell;
      long to = Math.min(from + cell, group.getStartOffset() + group.getBlockSize());
      if (from < end && start < to) {
        apart.add(unit(group, policy, unit, from));
      }
    }
  }

  private static LocatedBlock unit(
      LocatedStripedBlock group, ErasureCodingPolicy policy, int unit, long from) {
    int cell = policy.getCellSize();
    int dataUnits = policy.getNumDataUnits();
    byte[] indices = group.getBlockIndices();
    LocatedBlock block = null;
    for (int i = 0; i < indices.length && block == null; i++) {
      if (indices[i] == unit) {
        block = StripedBlockUtil.constructInternalBlock(group, i, cell, dataUnits, unit);
      }
    }
    if (block == null) {
      // The block is lost: readers decode it from the other blocks, and no single DataNode is close
      // to it.
      ExtendedBlock lost =
          StripedBlockUtil.constructInternalBlock(group.getBlock(), cell, dataUnits, unit);
      block =
          new LocatedBlock(
              lost,
              group.getLocations(),
              group.getStorageIDs(),
              group.getStorageTypes(),
              from,
              group.isCorrupt(),
              null);
    }
    block.setStartOffset(from);
    return block;
  }
}
