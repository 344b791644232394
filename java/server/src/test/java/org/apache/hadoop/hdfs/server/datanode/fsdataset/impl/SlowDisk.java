// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.Closeable;
import java.io.InterruptedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Blocks the syncing of replicas in this JVM until it is closed. */
public final class SlowDisk implements Closeable {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final Set<String> held = ConcurrentHashMap.newKeySet();

  public SlowDisk() {
    ReplicaSync.method =
        (data, meta) -> {
          asked.countDown();
          try {
            released.await();
          } catch (InterruptedException e) {
            throw new InterruptedIOException();
          }
          ReplicaSync.toDisk(data, meta);
        };
  }

  /** Returns a disk on which interrupts do not end a blocked thread, like a real one. */
  public static SlowDisk uninterruptible() {
    SlowDisk disk = new SlowDisk();
    ReplicaSync.method =
        (data, meta) -> {
          disk.held.add(data.getName());
          boolean isInterrupted = false;
          while (true) {
            try {
              disk.released.await();
              break;
            } catch (InterruptedException e) {
              isInterrupted = true;
            }
          }
          if (isInterrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
          }
          ReplicaSync.toDisk(data, meta);
        };
    return disk;
  }

  /** Returns whether the sync of a replica with that file name was blocked. */
  public boolean holds(String name) {
    return held.contains(name);
  }

  /** Waits until a sync is blocked. */
  public void awaitAsked() throws InterruptedException {
    asked.await();
  }

  @Override
  public void close() {
    ReplicaSync.method = ReplicaSync::toDisk;
    released.countDown();
  }
}
