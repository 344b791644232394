// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;

/**
 * Makes DataNodes hang while they write some internal blocks: they acknowledge nothing more, and
 * keep their connections. On Hadoop 3.4 and later they can stop receiving, too.
 */
final class HungBlocks extends DataNodeFaultInjector implements Closeable {
  private final Set<Long> silent = ConcurrentHashMap.newKeySet();
  private final Set<Long> deaf = ConcurrentHashMap.newKeySet();
  private final CountDownLatch released = new CountDownLatch(1);
  private final CountDownLatch met = new CountDownLatch(1);

  /** Starts to be asked by all DataNodes of the process. */
  HungBlocks() {
    DataNodeFaultInjector.set(this);
  }

  /** From now on no packet of the block is acknowledged. */
  void silence(long blockId) {
    silent.add(blockId);
  }

  /** From now on no packet of the block is received. */
  void deafen(long blockId) {
    deaf.add(blockId);
  }

  /** Lets all go on. */
  void release() {
    released.countDown();
  }

  /** Whether a DataNode hangs. */
  boolean isMet() {
    return met.getCount() == 0 && released.getCount() != 0;
  }

  @Override
  public void delaySendingAckToUpstream(String address) throws IOException {
    hang(silent);
  }

  /** Hadoop 3.4 and later. */
  @SuppressWarnings({"checkstyle:MissingOverride", "MissingOverride"})
  public void delayWriteToDisk() {
    try {
      hang(deaf);
    } catch (IOException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Names of a DataNode's threads have the block that they are about. */
  private void hang(Set<Long> blocks) throws IOException {
    String name = Thread.currentThread().getName();
    for (long block : blocks) {
      if (name.contains("blk_" + block + "_")) {
        met.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          throw new InterruptedIOException("The connection is gone");
        }
      }
    }
  }

  @Override
  public void close() {
    release();
    DataNodeFaultInjector.set(new DataNodeFaultInjector());
  }
}
