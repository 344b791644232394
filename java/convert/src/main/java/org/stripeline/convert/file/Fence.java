// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.RecoveryInProgressException;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Polling;
import org.stripeline.natives.Ticker;

/**
 * Holds the lease of a file, so that no other client can append to, truncate or concatenate it.
 *
 * <p>The lease is taken by an append that would begin a new block but never does, so no block of
 * the file changes. Other clients can still rename the file, which the inode id follows, and delete
 * or overwrite it, which the swap detects.
 */
final class Fence {
  private static final long LAST_BLOCK_AS_IT_IS = -1;

  private final ClientProtocol namenode;
  private final String holder;
  private final long fileId;
  private final Ticker ticker;
  private long modifiedMs;
  private FsPermission permission;

  /** Creates an object for the lease that a client holds, or held, on a file. */
  Fence(ClientProtocol namenode, String holder, long fileId, Ticker ticker) {
    this.namenode = namenode;
    this.holder = holder;
    this.fileId = fileId;
    this.ticker = ticker;
  }

  /**
   * Takes the lease.
   *
   * @throws ChangedException if another client writes the file, or it is gone
   */
  void take() throws IOException {
    HdfsFileStatus taken;
    try {
      taken =
          namenode
              .append(
                  path(),
                  holder,
                  new EnumSetWritable<>(EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK)))
              .getFileStatus();
    } catch (RemoteException e) {
      IOException cause =
          e.unwrapRemoteException(
              AlreadyBeingCreatedException.class,
              RecoveryInProgressException.class,
              FileNotFoundException.class);
      if (cause == e && !InodePath.isGone(e)) {
        throw e;
      }
      throw new ChangedException("open for writing by another client, or deleted", cause);
    }
    if (taken.getFileId() != fileId) {
      // The inode exists only in a snapshot, and its path leads to another file: see InodePath.
      new Fence(namenode, holder, taken.getFileId(), ticker)
          .release(taken.getModificationTime(), taken.getAccessTime());
      throw new ChangedException("it was deleted or replaced");
    }
    modifiedMs = taken.getModificationTime();
    permission = new FsPermission(taken.getPermission().toShort());
  }

  /** Returns the permission of the file when its lease was taken. */
  FsPermission permission() {
    return permission;
  }

  /** Returns the modification time of the file when its lease was taken. */
  long modifiedMs() {
    return modifiedMs;
  }

  /**
   * Checks that the lease has been held without interruption since it was taken.
   *
   * @throws ChangedException if another client took it, or the file is gone
   */
  void confirm() throws IOException {
    try {
      namenode.fsync(path(), fileId, holder, LAST_BLOCK_AS_IT_IS);
    } catch (RemoteException e) {
      throw lost(e);
    }
  }

  /**
   * Releases the lease. This is needed before the file is replaced: an inode that is replaced while
   * it is open stays open in the snapshots that contain it, and after a restart of the NameNode its
   * last block would not be replicated any more.
   *
   * @throws ChangedException if the lease was not held any more, or the file is gone
   */
  void end() throws IOException {
    try {
      complete();
    } catch (RemoteException e) {
      throw isLost(e) ? lost(e) : e;
    }
  }

  private static ChangedException lost(RemoteException e) {
    return new ChangedException("its lease was taken by another client, or it was deleted", e);
  }

  private void complete() throws IOException {
    ExtendedBlock[] last = new ExtendedBlock[1];
    Polling.await(
        ticker,
        "Cannot close " + path(),
        () -> {
          if (namenode.complete(path(), holder, last[0], fileId)) {
            return true;
          }
          // A NameNode that started from an fsimage requires the last block of a file that is open
          // in that image.
          last[0] = lastBlock();
          return false;
        });
  }

  private ExtendedBlock lastBlock() throws IOException {
    LocatedBlock last = namenode.getBlockLocations(path(), 0, 1).getLastLocatedBlock();
    return last == null ? null : last.getBlock();
  }

  /**
   * Releases the lease and restores the times of the file, which closing it changes.
   *
   * @return false if the lease was not held any more, or the file is gone
   */
  boolean release(long modifiedMs, long accessedMs) throws IOException {
    try {
      complete();
      namenode.setTimes(path(), modifiedMs, accessedMs);
      return true;
    } catch (RemoteException e) {
      if (isLost(e)) {
        return false;
      }
      throw e;
    }
  }

  private static boolean isLost(RemoteException e) {
    return e.getClassName().endsWith(".LeaseExpiredException") || InodePath.isGone(e);
  }

  private String path() {
    return InodePath.of(fileId);
  }
}
