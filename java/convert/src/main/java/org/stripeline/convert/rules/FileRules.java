// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.stripeline.convert.settings.Layout;
import org.stripeline.placement.CodeName;

/** Decides whether a file can become erasure-coded, and computes the disk space it would take. */
public final class FileRules {
  private FileRules() {}

  /**
   * Returns the reason for which a file cannot be converted with any code, or null.
   *
   * @param isSynced whether the file's writers rely on hsync, see {@link SyncedPaths#find}; false
   *     if such files are to be converted as well
   */
  public static SkipReason general(FileFacts file, boolean isSynced) {
    if (file.isOpen()) {
      return SkipReason.OPEN;
    }
    if (file.bytes() == 0) {
      return SkipReason.EMPTY;
    }
    if (isSynced && file.coded() == null) {
      return SkipReason.SYNCED;
    }
    if (file.storagePolicy() == HdfsConstants.MEMORY_STORAGE_POLICY_ID) {
      return SkipReason.LAZY_PERSIST;
    }
    return file.lacksReplica() ? SkipReason.UNREADABLE : null;
  }

  /**
   * Returns the reason for which a file that passes {@link #general} cannot be converted to a
   * layout, or null.
   *
   * @param code the code; its cell size applies to the striped layout only
   */
  public static SkipReason ofLayout(FileFacts file, CodeName code, Layout layout) {
    boolean striped = layout == Layout.STRIPED;
    if (file.coded() != null) {
      int cell = striped ? code.cellBytes() : (int) Math.min(file.blockBytes(), Integer.MAX_VALUE);
      boolean isSame = file.coded().isSameCode(code) && file.coded().cellBytes() == cell;
      return isSame ? SkipReason.ALREADY : striped ? ofCells(file, code) : SkipReason.OTHER_POLICY;
    }
    if (striped ? file.blockBytes() <= 0 : !canBeCells(file, code)) {
      return SkipReason.BLOCK_SIZE;
    }
    if (bytesAfter(file, code, layout) < SpaceUse.now(file)) {
      return striped ? ofCells(file, code) : null;
    }
    return file.replication() <= 1 ? SkipReason.ONE_REPLICA : SkipReason.TOO_SMALL;
  }

  /**
   * Returns CELL_SIZE if a copy could not be written, or null. The NameNode refuses blocks smaller
   * than a cell. Hadoop's writer only ends a block after a whole cell, and DataNodes refuse what
   * lies beyond the block.
   */
  private static SkipReason ofCells(FileFacts file, CodeName code) {
    return file.blockBytes() % code.cellBytes() == 0 ? null : SkipReason.CELL_SIZE;
  }

  /** Returns the bytes on disk of a file in a layout for which {@link #ofLayout} returned null. */
  public static long bytesAfter(FileFacts file, CodeName code, Layout layout) {
    return layout == Layout.STRIPED
        ? SpaceUse.striped(file.bytes(), file.blockBytes(), code.shape(), code.cellBytes())
        : SpaceUse.contiguous(file, code.shape());
  }

  /**
   * Returns false also for files with a block longer than the block size, as concat can leave them:
   * such a block does not fit into a cell.
   */
  private static boolean canBeCells(FileFacts file, CodeName code) {
    if (!code.takesCell(file.blockBytes())) {
      return false;
    }
    for (int i = 0; i < file.blockCount(); i++) {
      if (file.bytesOfBlock(i) > file.blockBytes()) {
        return false;
      }
    }
    return true;
  }
}
