// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.RecoveryInProgressException;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;

/**
 * The lease of a file, held so that nobody can append to, truncate or concatenate it.
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

  /** Names the lease that a client has, or had, of a file. */
  Fence(ClientProtocol namenode, String holder, long fileId) {
    this.namenode = namenode;
    this.holder = holder;
    this.fileId = fileId;
  }

  /**
   * Takes the lease.
   *
   * @throws ChangedException if somebody else writes the file, or it is gone
   */
  void take() throws IOException {
    try {
      namenode.append(
          path(),
          holder,
          new EnumSetWritable<>(EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK)));
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
  }

  /**
   * Makes sure that the lease is held, from before until now.
   *
   * @throws ChangedException if somebody took it, or the file is gone
   */
  void confirm() throws IOException {
    try {
      namenode.fsync(path(), fileId, holder, LAST_BLOCK_AS_IT_IS);
    } catch (RemoteException e) {
      throw new ChangedException("its lease was taken by another client, or it is gone", e);
    }
  }

  /**
   * Gives the lease back and the file its times, which closing it changes.
   *
   * @return false if the lease was not held any more, or the file is gone
   */
  boolean release(long modifiedMs, long accessedMs) throws IOException {
    try {
      Patience.await(
          "Cannot close " + path(), () -> namenode.complete(path(), holder, null, fileId));
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
