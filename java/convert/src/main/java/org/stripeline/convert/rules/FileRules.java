// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.stripeline.convert.settings.Layout;
import org.stripeline.placement.CodeName;

/** Decides whether a file can become erasure-coded, and what it would take on disks. */
public final class FileRules {
  private FileRules() {}

  /**
   * Returns why a file must stay as it is whatever the code, or null.
   *
   * @param isSynced whether its writers rely on hsync, see {@link SyncedPaths#find}; false takes
   *     the file all the same
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
   * Returns why a file that passes {@link #general} cannot get a layout, or null.
   *
   * @param code the code; its cells are those of a striped layout, of no meaning for the other
   */
  public static SkipReason ofLayout(FileFacts file, CodeName code, Layout layout) {
    boolean striped = layout == Layout.STRIPED;
    if (file.coded() != null) {
      int cell = striped ? code.cellBytes() : (int) Math.min(file.blockBytes(), Integer.MAX_VALUE);
      boolean isSame = file.coded().isSameCode(code) && file.coded().cellBytes() == cell;
      return isSame ? SkipReason.ALREADY : striped ? null : SkipReason.OTHER_POLICY;
    }
    if (striped ? file.blockBytes() <= 0 : !canBeCells(file, code)) {
      return SkipReason.BLOCK_SIZE;
    }
    if (bytesAfter(file, code, layout) < SpaceUse.now(file)) {
      return null;
    }
    return file.replication() <= 1 ? SkipReason.ONE_REPLICA : SkipReason.TOO_SMALL;
  }

  /** Returns the bytes that a file takes in a layout for which {@link #ofLayout} is null. */
  public static long bytesAfter(FileFacts file, CodeName code, Layout layout) {
    return layout == Layout.STRIPED
        ? SpaceUse.striped(file.bytes(), file.blockBytes(), code.shape(), code.cellBytes())
        : SpaceUse.contiguous(file, code.shape());
  }

  /** A block beyond the file's block size, which concat leaves, fits into no cell. */
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
