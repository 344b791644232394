// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import org.stripeline.plan.source.PlannedFile;

/** Sums over a set of files; the field names are those of the JSON output. */
final class Bin {
  long files;
  long blocks;

  /** Bytes of the files, without replicas and parity. */
  long bytes;

  /** Bytes with their replicas or parity, before and after. */
  long bytesNow;

  long bytesAfter;

  void add(PlannedFile file, long now, long after) {
    files++;
    blocks += file.blockCount();
    bytes += file.bytes();
    bytesNow += now;
    bytesAfter += after;
  }

  void add(Bin other) {
    files += other.files;
    blocks += other.blocks;
    bytes += other.bytes;
    bytesNow += other.bytesNow;
    bytesAfter += other.bytesAfter;
  }

  static Bin[] array(int length) {
    Bin[] bins = new Bin[length];
    for (int i = 0; i < length; i++) {
      bins[i] = new Bin();
    }
    return bins;
  }

  static void add(Bin[] to, Bin[] from) {
    for (int i = 0; i < to.length; i++) {
      to[i].add(from[i]);
    }
  }
}
