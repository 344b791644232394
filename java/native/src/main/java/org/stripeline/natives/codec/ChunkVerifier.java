// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Checksum;

/** Verifies data against the checksums of its chunks, as HDFS stores them. Not thread-safe. */
public final class ChunkVerifier {
  /** {@code Checksum.update(ByteBuffer)}, which exists from Java 9 on; null in Java 8. */
  private static final MethodHandle UPDATE_BUFFER = updateBuffer();

  private final Checksum checksum;
  private final int bytesPerChecksum;
  private byte[] copy;

  /**
   * Creates a verifier.
   *
   * @param bytesPerChecksum bytes that each checksum covers, at least 1
   */
  public ChunkVerifier(ChecksumKind kind, int bytesPerChecksum) {
    if (bytesPerChecksum < 1) {
      throw new IllegalArgumentException(
          "Cannot verify chunks of " + bytesPerChecksum + " bytes: at least 1 needed");
    }
    this.checksum = kind == ChecksumKind.CRC32 ? new CRC32() : Crc32c.create();
    this.bytesPerChecksum = bytesPerChecksum;
  }

  /**
   * Compares data with checksums; positions and limits do not change.
   *
   * @param data the data, from position to limit; the last chunk may be short
   * @param sums the checksums from its position on, four bytes each, most significant byte first
   * @return the index of the first chunk whose checksum differs, -1 if none differs
   */
  public int firstMismatch(ByteBuffer data, ByteBuffer sums) {
    ByteBuffer rest = data.duplicate();
    int end = data.limit();
    int at = sums.position();
    for (int chunk = 0; rest.position() < end; chunk++) {
      rest.limit(Math.min(end, rest.position() + bytesPerChecksum));
      checksum.reset();
      update(rest);
      if ((int) checksum.getValue() != sums.getInt(at + 4 * chunk)) {
        return chunk;
      }
    }
    return -1;
  }

  private void update(ByteBuffer chunk) {
    if (chunk.hasArray()) {
      checksum.update(chunk.array(), chunk.arrayOffset() + chunk.position(), chunk.remaining());
      chunk.position(chunk.limit());
    } else if (UPDATE_BUFFER != null) {
      try {
        UPDATE_BUFFER.invokeExact(checksum, chunk);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("Checksum.update(ByteBuffer) threw", e);
      }
    } else {
      if (copy == null) {
        copy = new byte[bytesPerChecksum];
      }
      int length = chunk.remaining();
      chunk.get(copy, 0, length);
      checksum.update(copy, 0, length);
    }
  }

  private static MethodHandle updateBuffer() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(
              Checksum.class, "update", MethodType.methodType(void.class, ByteBuffer.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
