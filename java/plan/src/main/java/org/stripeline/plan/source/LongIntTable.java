// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

/** A map from inode numbers, which are never 0, to indexes; uses 12 bytes for each slot. */
final class LongIntTable {
  /** The value of an absent number. */
  static final int ABSENT = -1;

  private static final int SLOTS_MIN = 1 << 10;

  /** The number of slots is doubled on growth, so this limits the number of entries. */
  private static final int SLOTS_MAX = 1 << 30;

  private long[] keys = new long[SLOTS_MIN];
  private int[] values = new int[SLOTS_MIN];
  private int size;

  /** Maps a number, which must not be 0, to an index. */
  void put(long key, int value) {
    if (size >= keys.length / 10 * 7) {
      grow();
    }
    int slot = slot(key);
    size += keys[slot] == 0 ? 1 : 0;
    keys[slot] = key;
    values[slot] = value;
  }

  /** Returns the index of a number, {@link #ABSENT} if it has none. */
  int get(long key) {
    int slot = slot(key);
    return keys[slot] == 0 ? ABSENT : values[slot];
  }

  private int slot(long key) {
    long mixed = key * 0x9E3779B97F4A7C15L;
    int mask = keys.length - 1;
    int slot = (int) (mixed >>> 32) & mask;
    while (keys[slot] != 0 && keys[slot] != key) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private void grow() {
    if (keys.length >= SLOTS_MAX) {
      throw new IllegalStateException("Cannot hold more than " + size + " inodes");
    }
    long[] oldKeys = keys;
    int[] oldValues = values;
    keys = new long[2 * oldKeys.length];
    values = new int[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != 0) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        values[slot] = oldValues[i];
      }
    }
  }
}
