// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What DataNodes ask before they read from a block file. It lets a test hang, slow down or fail one
 * internal block or one whole DataNode from a given byte on, or do anything else when a reader gets
 * there, without a clock.
 */
public final class BlockTaps {
  /** Configuration key that names the taps of a cluster. */
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
     * May wait, throw, or do something else.
     *
     * @param position first byte of the block file about to be read
     * @param length bytes asked for
     * @throws IOException which the DataNode meets as a failing disk
     */
    void beforeRead(long position, int length) throws IOException;
  }

  /** Returns the taps of that name, which live as long as the JVM. */
  public static BlockTaps named(String name) {
    return BY_NAME.computeIfAbsent(name, key -> new BlockTaps());
  }

  /** Makes block files opened from now on ask; without it they are read as Hadoop does. */
  public void watch() {
    watching = true;
  }

  /** Returns whether a block file that is opened now must ask. */
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

  /** Waits until {@link #clear}, and then fails: the one who asked is no longer there. */
  public void hang() throws IOException {
    synchronized (released) {
      long entered = generation;
      while (generation == entered) {
        waitInterruptibly(0);
      }
    }
    throw new IOException("the test that let this DataNode hang is over");
  }

  /** Waits that long, or until {@link #clear}. */
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

  /** Lets all go on that wait, and forgets all taps. */
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
