// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import java.io.Closeable;
import java.io.InterruptedIOException;
import java.time.Clock;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.natives.Ticker;

/**
 * Records for each internal block on this DataNode the last task that was allowed to write it,
 * because only that task may roll the block back, and the time from which the block may exist. Also
 * locks blocks, so that one caller at a time changes each.
 */
final class BlockOwners {
  /**
   * If the entry of a task is dropped, its block remains for the driver, which can always unlink
   * it.
   */
  private static final int KNOWN_MAX = 20_000;

  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(15);

  /** The owner of a block that is a link, which no task may roll back. */
  static final String LINK = "";

  private final Ticker ticker;
  private final Clock clock;
  private final Set<String> busy = new HashSet<>();

  /** By pool and block id, in insertion order. */
  private final Map<String, Owner> owners =
      new LinkedHashMap<String, Owner>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Owner> eldest) {
          return size() > KNOWN_MAX;
        }
      };

  BlockOwners(Ticker ticker, Clock clock) {
    this.ticker = ticker;
    this.clock = clock;
  }

  private static final class Owner {
    final String writer;
    final long sinceMillis;

    Owner(String writer, long sinceMillis) {
      this.writer = writer;
      this.sinceMillis = sinceMillis;
    }
  }

  /** Waits until no other caller holds the lock of a block. */
  BlockLock lock(ExtendedBlock block) throws AgentException, InterruptedIOException {
    String name = block.getBlockPoolId() + '/' + block.getBlockId();
    long end = ticker.nanos() + WAIT_NANOS;
    synchronized (this) {
      while (!busy.add(name)) {
        long left = end - ticker.nanos();
        if (left <= 0) {
          throw new AgentException(
              AgentException.Kind.BUSY,
              "Cannot change " + block + " now: another call is creating or removing its replica");
        }
        try {
          ticker.timedWait(this, left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("Cannot wait for " + block + ": interrupted");
        }
      }
    }
    return new BlockLock(name);
  }

  /** A lock on a block, which allows its holder to change the block's replica. */
  final class BlockLock implements Closeable {
    private final String name;

    private BlockLock(String name) {
      this.name = name;
    }

    /** Returns the task that may roll back the block, {@link #LINK}, or null. */
    String owner() {
      synchronized (BlockOwners.this) {
        Owner owner = owners.get(name);
        return owner == null ? null : owner.writer;
      }
    }

    /**
     * Returns the time from which the block may exist, in milliseconds since 1970: when it got an
     * owner. The largest number if it has none.
     */
    long sinceMillis() {
      synchronized (BlockOwners.this) {
        Owner owner = owners.get(name);
        return owner == null ? Long.MAX_VALUE : owner.sinceMillis;
      }
    }

    /** Sets the task that may roll back the block, or {@link #LINK}. */
    void setOwner(String writer) {
      synchronized (BlockOwners.this) {
        Owner before = owners.remove(name);
        long since = before == null ? clock.millis() : before.sinceMillis;
        owners.put(name, new Owner(writer, since));
      }
    }

    /** Records that the block does not exist. */
    void clear() {
      synchronized (BlockOwners.this) {
        owners.remove(name);
      }
    }

    @Override
    public void close() {
      synchronized (BlockOwners.this) {
        busy.remove(name);
        BlockOwners.this.notifyAll();
      }
    }
  }
}
