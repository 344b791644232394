// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hooks that DataNodes call before they read from a block file. A test can use them to hang, slow
 * down or fail an internal block or a whole DataNode from a given byte on, or to run any action
 * when a reader reaches that byte, without depending on time.
 */
public final class BlockTaps {
  /** Configuration key of the name of a cluster's taps. */
  public static final String KEY = "stripeline.test.block-taps";

  private static final Map<String, BlockTaps> BY_NAME = new ConcurrentHashMap<>();

  private final Map<Long, Tap> taps = new ConcurrentHashMap<>();
  private final Set<String> hungNodes = ConcurrentHashMap.newKeySet();
  private final Object released = new Object();
  private volatile boolean watching;
  private long generation;

  /** Called on a DataNode's thread before it reads. */
  public interface Tap {
    /**
     * May wait, throw, or run any action.
     *
     * @param position first byte of the block file that is about to be read
     * @param length number of bytes requested
     * @throws IOException which the DataNode treats as a disk failure
     */
    void beforeRead(long position, int length) throws IOException;
  }

  /** Returns the taps with that name, which exist as long as the JVM. */
  public static BlockTaps named(String name) {
    return BY_NAME.computeIfAbsent(name, key -> new BlockTaps());
  }

  /**
   * Installs taps in block files that are opened from now on; without this call they are read as in
   * Hadoop.
   */
  public void watch() {
    watching = true;
  }

  /** Returns whether a block file that is opened now has taps. */
  public boolean isWatching() {
    return watching;
  }

  /** Sets the tap of a block. */
  public void set(long blockId, Tap tap) {
    taps.put(blockId, tap);
  }

  /** Makes every read of a DataNode wait until {@link #clear}. */
  public void hangNode(String uuid) {
    hungNodes.add(uuid);
  }

  /** Called before a DataNode reads from a block file. */
  public void beforeRead(String node, long blockId, long position, int length) throws IOException {
    if (hungNodes.contains(node)) {
      hang();
    }
    Tap tap = taps.get(blockId);
    if (tap != null) {
      tap.beforeRead(position, length);
    }
  }

  /** Waits until {@link #clear}, then throws, because the reader no longer exists. */
  public void hang() throws IOException {
    synchronized (released) {
      long entered = generation;
      while (generation == entered) {
        waitInterruptibly(0);
      }
    }
    throw new IOException("the test that let this DataNode hang is over");
  }

  /** Waits for {@code millis} milliseconds, or until {@link #clear}. */
  public void delay(long millis) throws IOException {
    long end = System.nanoTime() + millis * 1_000_000;
    synchronized (released) {
      long entered = generation;
      while (generation == entered) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return;
        }
        waitInterruptibly(left);
      }
    }
  }

  private void waitInterruptibly(long millis) throws IOException {
    try {
      released.wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the DataNode is being stopped");
    }
  }

  /** Releases all waiting threads and removes all taps. */
  public void clear() {
    watching = false;
    taps.clear();
    hungNodes.clear();
    synchronized (released) {
      generation++;
      released.notifyAll();
    }
  }
}
