// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * Multiplies a matrix over GF(2^8) by units of bytes, in pure Java.
 *
 * <p>Method: units are processed in blocks that stay in the cache, read as longs of eight elements
 * each. An output is evaluated by Horner's rule over the bits of its coefficients, highest first:
 * double the accumulator, then exclusive-or every input whose coefficient has that bit. The inner
 * loops are therefore exclusive-ors and shifts over {@code long[]} from index 0, which every
 * HotSpot since version 8 vectorizes, and which process eight bytes at a time even without vector
 * instructions.
 *
 * <p>Tables are avoided because the speed of a loop with a table lookup per byte depends on
 * inlining and profiling: Hadoop's rs_java, which has such a loop, runs at one of two speeds from
 * one JVM to the next. The loops here are short static methods of one shape, called with whole
 * blocks and compiled once each.
 */
final class BlockCoder {
  /**
   * Large enough to make call overhead negligible, small enough for a block of every input to stay
   * in the cache.
   */
  private static final int BLOCK_LONGS_MAX = 512;

  /**
   * Prevents consecutive arrays from starting at nearly the same offset within a page. A load whose
   * address agrees in its lowest 12 bits with that of a recent store waits for that store. With
   * arrays of a page and a 16-byte header each, this happened in 3 of 17 processes, which then took
   * up to 1.9 times as long. With the padding, each array starts 208 bytes further into a page than
   * the one before it, so that 19 consecutive arrays do not conflict.
   */
  private static final int PADDING_LONGS = 24;

  /** Limits the blocks of one coder to 128 KiB in total, for any number of inputs. */
  private static final int SCRATCH_LONGS = 16 * 1024;

  private final int inputs;

  /** For each output and each bit from 7 down to 0, the inputs whose coefficient has that bit. */
  private final int[][][] inputsOfBit;

  BlockCoder(int[][] coefficients, int inputs) {
    this.inputs = inputs;
    this.inputsOfBit = new int[coefficients.length][8][];
    int[] chosen = new int[inputs];
    for (int output = 0; output < coefficients.length; output++) {
      for (int bit = 0; bit < 8; bit++) {
        int count = 0;
        for (int input = 0; input < inputs; input++) {
          if ((coefficients[output][input] >>> bit & 1) != 0) {
            chosen[count++] = input;
          }
        }
        inputsOfBit[output][7 - bit] = Arrays.copyOf(chosen, count);
      }
    }
  }

  /** Working memory of one call. */
  static final class Scratch {
    private long[][] blocks = new long[0][];
    private long[] accumulator = new long[0];
    private long[] expected = new long[0];

    private int fit(int inputs) {
      int blockLongs = Math.max(64, Math.min(BLOCK_LONGS_MAX, SCRATCH_LONGS / inputs));
      if (blocks.length != inputs) {
        blocks = new long[inputs][blockLongs + PADDING_LONGS];
        accumulator = new long[blockLongs + PADDING_LONGS];
        expected = new long[blockLongs + PADDING_LONGS];
      }
      return blockLongs;
    }
  }

  /**
   * Computes all outputs. An output may be identical with an input but must not partly overlap one.
   */
  void code(Unit[] in, Unit[] out, int length, Scratch scratch) {
    int blockLongs = scratch.fit(inputs);
    long[] accumulator = scratch.accumulator;
    int bytes;
    for (int start = 0; start < length; start += bytes) {
      bytes = Math.min(8 * blockLongs, length - start);
      for (int i = 0; i < inputs; i++) {
        in[i].read(start, bytes, scratch.blocks[i]);
      }
      for (int i = 0; i < out.length; i++) {
        combine(inputsOfBit[i], scratch.blocks, accumulator, (bytes + 7) >>> 3);
        out[i].write(start, bytes, accumulator);
      }
    }
  }

  /**
   * Returns the index of the output that differs from {@code claimed} at the lowest offset, the
   * lowest such index if there are several, or -1 if none differs.
   */
  int firstMismatch(Unit[] in, Unit[] claimed, int length, Scratch scratch) {
    int blockLongs = scratch.fit(inputs);
    int bytes;
    for (int start = 0; start < length; start += bytes) {
      bytes = Math.min(8 * blockLongs, length - start);
      int longs = (bytes + 7) >>> 3;
      for (int i = 0; i < inputs; i++) {
        in[i].read(start, bytes, scratch.blocks[i]);
      }
      int lowest = Integer.MAX_VALUE;
      int found = -1;
      for (int i = 0; i < claimed.length; i++) {
        combine(inputsOfBit[i], scratch.blocks, scratch.accumulator, longs);
        claimed[i].read(start, bytes, scratch.expected);
        int offset = mismatch(scratch.accumulator, scratch.expected, longs);
        if (offset >= 0 && offset < lowest) {
          lowest = offset;
          found = i;
        }
      }
      if (found >= 0) {
        return found;
      }
    }
    return -1;
  }

  private static void combine(int[][] bits, long[][] blocks, long[] accumulator, int longs) {
    Arrays.fill(accumulator, 0, longs, 0);
    boolean zero = true;
    for (int[] chosen : bits) {
      if (!zero) {
        twice(accumulator, longs);
      }
      zero &= chosen.length == 0;
      add(chosen, blocks, accumulator, longs);
    }
  }

  private static void add(int[] chosen, long[][] blocks, long[] accumulator, int longs) {
    int i = 0;
    for (; i + 4 <= chosen.length; i += 4) {
      addFour(
          accumulator,
          blocks[chosen[i]],
          blocks[chosen[i + 1]],
          blocks[chosen[i + 2]],
          blocks[chosen[i + 3]],
          longs);
    }
    switch (chosen.length - i) {
      case 3:
        addThree(
            accumulator, blocks[chosen[i]], blocks[chosen[i + 1]], blocks[chosen[i + 2]], longs);
        break;
      case 2:
        addTwo(accumulator, blocks[chosen[i]], blocks[chosen[i + 1]], longs);
        break;
      case 1:
        addOne(accumulator, blocks[chosen[i]], longs);
        break;
      default:
        break;
    }
  }

  /**
   * Doubles the eight elements in each long: shifts, and subtracts the polynomial from elements
   * whose top bit was shifted out.
   */
  private static void twice(long[] a, int n) {
    for (int i = 0; i < n; i++) {
      long value = a[i];
      long fallen = (value >>> 7) & 0x0101010101010101L;
      // 0x1d = 16+8+4+1; shifts are used because few processors can multiply vectors of longs.
      a[i] =
          ((value & 0x7f7f7f7f7f7f7f7fL) << 1)
              ^ fallen
              ^ (fallen << 2)
              ^ (fallen << 3)
              ^ (fallen << 4);
    }
  }

  private static void addOne(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      a[i] ^= b[i];
    }
  }

  private static void addTwo(long[] a, long[] b, long[] c, int n) {
    for (int i = 0; i < n; i++) {
      a[i] ^= b[i] ^ c[i];
    }
  }

  private static void addThree(long[] a, long[] b, long[] c, long[] d, int n) {
    for (int i = 0; i < n; i++) {
      a[i] ^= b[i] ^ c[i] ^ d[i];
    }
  }

  private static void addFour(long[] a, long[] b, long[] c, long[] d, long[] e, int n) {
    for (int i = 0; i < n; i++) {
      a[i] ^= b[i] ^ c[i] ^ d[i] ^ e[i];
    }
  }

  /** Returns the offset of the first byte that differs, or -1; units are little-endian. */
  private static int mismatch(long[] a, long[] b, int n) {
    for (int i = 0; i < n; i++) {
      if (a[i] != b[i]) {
        return 8 * i + Long.numberOfTrailingZeros(a[i] ^ b[i]) / 8;
      }
    }
    return -1;
  }

  /** The bytes of one unit, read and written as little-endian longs. */
  static final class Unit {
    private final ByteBuffer bytes;
    private final LongBuffer longs;
    private final int position;

    private Unit(ByteBuffer bytes, int position) {
      this.bytes = bytes;
      this.position = position;
      bytes.order(ByteOrder.LITTLE_ENDIAN);
      bytes.position(position);
      this.longs = bytes.asLongBuffer();
    }

    static Unit of(ByteBuffer buffer, int position, int length) {
      ByteBuffer bytes = buffer.duplicate();
      bytes.limit(position + length);
      return new Unit(bytes, position);
    }

    static Unit of(byte[] array, int offset, int length) {
      return new Unit(ByteBuffer.wrap(array, offset, length), offset);
    }

    static Unit[] of(ByteBuffer[] buffers, int[] positions, int length) {
      Unit[] units = new Unit[buffers.length];
      for (int i = 0; i < units.length; i++) {
        units[i] = of(buffers[i], positions[i], length);
      }
      return units;
    }

    static Unit[] of(byte[][] arrays, int[] offsets, int length) {
      Unit[] units = new Unit[arrays.length];
      for (int i = 0; i < units.length; i++) {
        units[i] = of(arrays[i], offsets[i], length);
      }
      return units;
    }

    /** Reads {@code count} bytes; the rest of a last, partial long is zero. */
    private void read(int start, int count, long[] block) {
      int whole = count >>> 3;
      longs.position(start >>> 3);
      longs.get(block, 0, whole);
      int tail = count & 7;
      if (tail != 0) {
        long last = 0;
        int from = position + start + (whole << 3);
        for (int i = 0; i < tail; i++) {
          last |= (bytes.get(from + i) & 0xffL) << (8 * i);
        }
        block[whole] = last;
      }
    }

    private void write(int start, int count, long[] block) {
      int whole = count >>> 3;
      longs.position(start >>> 3);
      longs.put(block, 0, whole);
      int tail = count & 7;
      if (tail != 0) {
        long last = block[whole];
        int to = position + start + (whole << 3);
        for (int i = 0; i < tail; i++) {
          bytes.put(to + i, (byte) (last >>> (8 * i)));
        }
      }
    }
  }
}
