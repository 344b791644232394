// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.terminal.Quantity;

/**
 * Reserves space for the replicas of files that are undone: on disks while the files are copied,
 * and in the space quotas of their directories when the copies replace the erasure-coded files.
 *
 * <p>Quotas can change, and the NameNode checks them at the end in any case. These reservations
 * avoid copies that would fail then.
 */
public final class UndoRoom {
  /** Key for the disks of all DataNodes, among the directories with quotas. */
  private static final String DISKS = "";

  private final DistributedFileSystem fs;
  private final SpaceQuotas quotas;

  /** Bytes reserved for the running conversions, by directory with a quota. */
  private final Map<String, Long> promised = new HashMap<>();

  public UndoRoom(DistributedFileSystem fs) {
    this.fs = fs;
    quotas = new SpaceQuotas(fs);
  }

  /** The space that is reserved for one file. */
  public final class Promise implements AutoCloseable {
    private final Map<String, Long> bytes;

    private Promise(Map<String, Long> bytes) {
      this.bytes = bytes;
    }

    @Override
    public void close() {
      giveBack(bytes);
    }
  }

  /**
   * Reserves space for a file. Waits while the space is only lacking because of other reservations.
   *
   * @param now bytes on disk of the file now
   * @param after bytes on disk of the file afterwards
   * @throws IOException if the space is lacking although nothing else is reserved there
   */
  public synchronized Promise take(String path, long now, long after) throws IOException {
    while (true) {
      Map<String, Long> needed = new LinkedHashMap<>();
      String lacking = lacking(path, now, after, needed);
      if (lacking == null) {
        needed.forEach((where, bytes) -> promised.merge(where, bytes, Long::sum));
        return new Promise(needed);
      }
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Cannot wait for room: interrupted");
      }
    }
  }

  private synchronized void giveBack(Map<String, Long> bytes) {
    bytes.forEach(
        (where, count) ->
            promised.compute(where, (any, sum) -> sum - count == 0 ? null : (Long) (sum - count)));
    notifyAll();
  }

  /**
   * Returns where space is lacking because of other reservations, or null; adds the bytes needed in
   * each place to {@code needed}.
   */
  private String lacking(String path, long now, long after, Map<String, Long> needed)
      throws IOException {
    long free = fs.getStatus().getRemaining();
    needed.put(DISKS, after);
    if (after > free - promised(DISKS)) {
      return waitFor(
          DISKS,
          "its replicas need "
              + Quantity.bytes(after)
              + ", and DataNodes have "
              + Quantity.bytes(free)
              + " left; free space, or use --max-replication");
    }
    long more = after - now;
    for (String directory : SpaceQuotas.parents(path)) {
      Long left = quotas.left(directory);
      if (left == null || more <= 0) {
        continue;
      }
      needed.put(directory, more);
      if (more > left - promised(directory)) {
        return waitFor(
            directory,
            "its replicas need "
                + Quantity.bytes(more)
                + " more below "
                + directory
                + ", whose space quota leaves "
                + Quantity.bytes(Math.max(0, left))
                + "; raise it with 'hdfs dfsadmin -setSpaceQuota', or use --max-replication");
      }
    }
    return null;
  }

  private String waitFor(String where, String reason) throws IOException {
    if (promised(where) == 0) {
      throw new IOException(reason);
    }
    return where;
  }

  private long promised(String where) {
    return promised.getOrDefault(where, 0L);
  }
}
