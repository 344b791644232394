// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Checksum;

/**
 * Computes the checksums of the chunks of a unit with the JVM's checksum classes. For Stripeline's
 * own packages.
 */
public final class ChunkChecksums {
  private static final int COPY_BYTES = 4096;

  private final Checksum checksum;
  private final int bytesPerChecksum;

  /** Creates it for one kind; each checksum covers at least 1 byte. */
  public ChunkChecksums(ChecksumKind kind, int bytesPerChecksum) {
    this.checksum = kind == ChecksumKind.CRC32 ? new CRC32() : Crc32c.create();
    this.bytesPerChecksum = bytesPerChecksum;
  }

  /** Returns how many checksums a unit has. */
  public static int count(int length, int bytesPerChecksum) {
    return (int) (((long) length + bytesPerChecksum - 1) / bytesPerChecksum);
  }

  /** Computes the checksums of all units and returns the index after the last. */
  int computeHeap(byte[][] units, int[] offsets, int length, int[] sums, int next) {
    for (int i = 0; i < units.length; i++) {
      for (int done = 0; done < length; done += bytesPerChecksum) {
        int step = Math.min(bytesPerChecksum, length - done);
        checksum.reset();
        checksum.update(units[i], offsets[i] + done, step);
        sums[next++] = (int) checksum.getValue();
        if (step == length - done) {
          // Adding a large bytesPerChecksum again could overflow.
          break;
        }
      }
    }
    return next;
  }

  /** Computes the checksums of all units and returns the index after the last. */
  public int computeDirect(ByteBuffer[] units, int[] positions, int length, int[] sums, int next) {
    byte[] copy = new byte[Math.min(COPY_BYTES, length)];
    for (int i = 0; i < units.length; i++) {
      ByteBuffer unit = units[i].duplicate();
      unit.limit(positions[i] + length);
      unit.position(positions[i]);
      while (unit.hasRemaining()) {
        int left = Math.min(bytesPerChecksum, unit.remaining());
        checksum.reset();
        while (left > 0) {
          int step = Math.min(left, copy.length);
          unit.get(copy, 0, step);
          checksum.update(copy, 0, step);
          left -= step;
        }
        sums[next++] = (int) checksum.getValue();
      }
    }
    return next;
  }
}
