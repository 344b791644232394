// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Creates, places and compares the buffers of the codec suites. */
public final class Stripes {
  /** Bytes before and after every unit that no call may change. */
  static final int GUARD_BYTES = 32;

  private static final byte GUARD = (byte) 0xa5;

  private Stripes() {}

  /** The kind of memory that holds a unit. */
  public enum Placement {
    HEAP,
    DIRECT
  }

  public static byte[][] randomUnits(Random random, int count, int length) {
    byte[][] units = new byte[count][length];
    for (byte[] unit : units) {
      random.nextBytes(unit);
    }
    return units;
  }

  /** Returns all units of a stripe, its parity computed by the pure-Java codec. */
  public static byte[][] stripe(
      Random random, Code code, int dataUnits, int parityUnits, int length) throws Exception {
    byte[][] units = randomUnits(random, dataUnits + parityUnits, length);
    new JavaCodec(code, dataUnits, parityUnits)
        .encode(
            Arrays.copyOf(units, dataUnits),
            new int[dataUnits],
            Arrays.copyOfRange(units, dataUnits, units.length),
            new int[parityUnits],
            length);
    return units;
  }

  /**
   * Places a copy of the bytes after a guard and {@code shift} bytes, which permits any alignment.
   */
  public static ByteBuffer place(byte[] bytes, Placement placement, int shift) {
    int size = 2 * GUARD_BYTES + shift + bytes.length;
    ByteBuffer buffer =
        placement == Placement.DIRECT ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    for (int i = 0; i < size; i++) {
      buffer.put(i, GUARD);
    }
    buffer.position(GUARD_BYTES + shift);
    buffer.put(bytes);
    buffer.limit(buffer.position());
    buffer.position(GUARD_BYTES + shift);
    return buffer;
  }

  public static ByteBuffer[] place(byte[][] units, Placement placement, int shift) {
    ByteBuffer[] buffers = new ByteBuffer[units.length];
    for (int i = 0; i < units.length; i++) {
      buffers[i] = units[i] == null ? null : place(units[i], placement, shift + 3 * i % 17);
    }
    return buffers;
  }

  /** Returns the bytes between position and limit, after checking that the guards are intact. */
  public static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    ByteBuffer all = buffer.duplicate();
    all.clear();
    for (int i = 0; i < buffer.capacity(); i++) {
      if (i == buffer.position()) {
        i = buffer.limit();
      }
      if (all.get(i) != GUARD) {
        throw new AssertionError("guard byte " + i + " was overwritten in " + buffer);
      }
    }
    return bytes;
  }

  public static byte[][] bytes(ByteBuffer[] buffers) {
    byte[][] bytes = new byte[buffers.length][];
    for (int i = 0; i < buffers.length; i++) {
      bytes[i] = buffers[i] == null ? null : bytes(buffers[i]);
    }
    return bytes;
  }

  /** Returns every non-empty set of at most {@code sizeMax} of the indices below {@code count}. */
  public static List<int[]> subsets(int count, int sizeMax) {
    List<int[]> subsets = new ArrayList<>();
    for (int mask = 1; mask < 1 << count; mask++) {
      if (Integer.bitCount(mask) > sizeMax) {
        continue;
      }
      int[] subset = new int[Integer.bitCount(mask)];
      int next = 0;
      for (int i = 0; i < count; i++) {
        if ((mask >>> i & 1) != 0) {
          subset[next++] = i;
        }
      }
      subsets.add(subset);
    }
    return subsets;
  }

  public static int[] shuffled(int[] values, Random random) {
    int[] result = values.clone();
    for (int i = result.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int value = result[i];
      result[i] = result[j];
      result[j] = value;
    }
    return result;
  }

  public static int[] range(int from, int to) {
    int[] range = new int[to - from];
    for (int i = 0; i < range.length; i++) {
      range[i] = from + i;
    }
    return range;
  }
}
