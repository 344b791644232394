// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;
import org.stripeline.convert.settings.Layout;

/**
 * The space that a conversion takes in addition, until HDFS has deleted the old replicas: the new
 * blocks of the files that are in progress at a time, and those of files whose replicas a snapshot
 * keeps.
 */
public final class SpaceNeed {
  /** The most files that can be in progress at a time. */
  public static final int FILES_MAX = 64;

  /** The needs of the files that need most. */
  private final PriorityQueue<Long> largest = new PriorityQueue<>();

  private long kept;

  /**
   * Returns the bytes that are written for a file before its old blocks can be deleted.
   *
   * @param bytesAfter bytes on disk of the file afterwards
   */
  public static long of(FileFacts file, Layout layout, long bytesAfter) {
    // Adopted replicas are linked, so they take no further space.
    return layout == Layout.CONTIGUOUS ? bytesAfter - file.bytes() : bytesAfter;
  }

  /**
   * Adds a file.
   *
   * @param bytes the result of {@link #of}
   * @param isKept whether a snapshot keeps the old replicas
   */
  public void add(long bytes, boolean isKept) {
    if (isKept) {
      kept += bytes;
      return;
    }
    largest.add(bytes);
    if (largest.size() > FILES_MAX) {
      largest.remove();
    }
  }

  /** Adds the files of another object. */
  public void add(SpaceNeed other) {
    kept += other.kept;
    other.largest.forEach(bytes -> add(bytes, false));
  }

  /** Returns the bytes that stay in addition, because snapshots keep the old replicas. */
  public long kept() {
    return kept;
  }

  /** Returns the most bytes that are needed at a time, if the largest files come together. */
  public long peak(int filesAtOnce) {
    List<Long> sorted = new ArrayList<>(largest);
    sorted.sort(Collections.reverseOrder());
    long sum = kept;
    for (long bytes : sorted.subList(0, Math.min(filesAtOnce, sorted.size()))) {
      sum += bytes;
    }
    return sum;
  }
}
