// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
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

/**
 * The lease of a file, held so that no other client can append to, truncate or concatenate it.
 *
 * <p>It is taken by an append that would begin a new block and never does, so no block of the file
 * is touched. Others can still rename the file, which is followed, and delete or overwrite it,
 * which the swap notices.
 */
final class Fence {
  private static final long LAST_BLOCK_AS_IT_IS = -1;

  private final ClientProtocol namenode;
  private final String holder;
  private final long fileId;
  private long modifiedMs;

  /** Names the lease that a client has, or had, of a file. */
  Fence(ClientProtocol namenode, String holder, long fileId) {
    this.namenode = namenode;
    this.holder = holder;
    this.fileId = fileId;
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
      if (cause == e) {
        throw e;
      }
      throw new ChangedException("open for writing by another client, or gone", cause);
    }
    if (taken.getFileId() != fileId) {
      // The inode is in a snapshot only, and its path leads to another file: see InodePath.
      new Fence(namenode, holder, taken.getFileId())
          .release(taken.getModificationTime(), taken.getAccessTime());
      throw new ChangedException("it was deleted or replaced");
    }
    modifiedMs = taken.getModificationTime();
  }

  /** Modification time of the file when its lease was taken. */
  long modifiedMs() {
    return modifiedMs;
  }

  /**
   * Makes sure that the lease is held, from before until now.
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
   * Gives the lease back. An inode that is replaced while it is open stays open in the snapshots
   * that have it: its last block then is not replicated any more once the NameNode has restarted.
   *
   * @throws ChangedException if it was not held any more, or the file is gone
   */
  void end() throws IOException {
    try {
      complete();
    } catch (RemoteException e) {
      throw isLost(e) ? lost(e) : e;
    }
  }

  private static ChangedException lost(RemoteException e) {
    return new ChangedException("its lease was taken by another client, or it is gone", e);
  }

  private void complete() throws IOException {
    ExtendedBlock[] last = new ExtendedBlock[1];
    Polling.await(
        "Cannot close " + path(),
        () -> {
          if (namenode.complete(path(), holder, last[0], fileId)) {
            return true;
          }
          // A NameNode that started from an image waits for the end of the last block of a file
          // that was open in it.
          last[0] = lastBlock();
          return false;
        });
  }

  private ExtendedBlock lastBlock() throws IOException {
    LocatedBlock last = namenode.getBlockLocations(path(), 0, 1).getLastLocatedBlock();
    return last == null ? null : last.getBlock();
  }

  /**
   * Gives the lease back and the file its times, which closing it changes.
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
    String name = e.getClassName();
    return name.endsWith(".LeaseExpiredException") || name.endsWith(".FileNotFoundException");
  }

  private String path() {
    return InodePath.of(fileId);
  }
}
