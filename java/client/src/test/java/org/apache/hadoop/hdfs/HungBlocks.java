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
 * Makes DataNodes hang while they write some internal blocks: they send no more acknowledgements,
 * and keep their connections open. On Hadoop 3.4 and later they can also stop receiving.
 */
final class HungBlocks extends DataNodeFaultInjector implements Closeable {
  private final Set<Long> silent = ConcurrentHashMap.newKeySet();
  private final Set<Long> deaf = ConcurrentHashMap.newKeySet();
  private final CountDownLatch released = new CountDownLatch(1);
  private final CountDownLatch met = new CountDownLatch(1);

  /** Installs this injector for all DataNodes of the process. */
  HungBlocks() {
    DataNodeFaultInjector.set(this);
  }

  /** Blocks all further acknowledgements of packets of the block. */
  void silence(long blockId) {
    silent.add(blockId);
  }

  /** Blocks the receipt of all further packets of the block. */
  void deafen(long blockId) {
    deaf.add(blockId);
  }

  /** Releases all threads that hang. */
  void release() {
    released.countDown();
  }

  /** Returns whether a DataNode hangs. */
  boolean isMet() {
    return met.getCount() == 0 && released.getCount() != 0;
  }

  @Override
  public void delaySendingAckToUpstream(String address) throws IOException {
    hang(silent);
  }

  /** Called by Hadoop 3.4 and later. */
  @SuppressWarnings({"checkstyle:MissingOverride", "MissingOverride"})
  public void delayWriteToDisk() {
    try {
      hang(deaf);
    } catch (IOException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Blocks the calling thread if its name contains one of the blocks, as the names of a DataNode's
   * threads do.
   */
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
