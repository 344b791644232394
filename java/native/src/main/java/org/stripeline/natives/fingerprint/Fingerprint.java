// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.codec.ChunkChecksums;
import org.stripeline.natives.codec.CoderStatus;

/**
 * The fingerprint of one window of a block at a time, from bytes that arrive in pieces of any
 * length. Not thread-safe.
 *
 * <p>Windows begin at multiples of the window's length in every block, so that those of the blocks
 * of a group correspond. The last window of a block may be short: missing bytes count as zeros, as
 * they do in the codes. A window past the end of a block has the fingerprint of no bytes, which is
 * all zeros.
 *
 * <p>Data is used from position to limit; no call changes a position or a limit. Data in direct
 * buffers is not copied. A refused call changes nothing.
 */
public final class Fingerprint {
  /** Bytes of a heap buffer that are copied to direct memory at a time. */
  private static final int COPY_BYTES = 64 * 1024;

  private final FingerprintFunction function;
  private final boolean isNative;
  private final byte[] sums;
  private int position;
  private ByteBuffer copy;

  /** Begins a window. */
  public Fingerprint(FingerprintFunction function) {
    this(function, NativeUse.IS_POSSIBLE);
  }

  Fingerprint(FingerprintFunction function, boolean isNative) {
    this.function = function;
    this.isNative = isNative;
    this.sums = new byte[function.fingerprintBytes()];
  }

  /** Returns the bytes that the window can still take. */
  public int remaining() {
    return function.windowBytes() - position;
  }

  /** Returns the fingerprint of the bytes since the window began, and begins another window. */
  public byte[] take() {
    byte[] fingerprint = sums.clone();
    Arrays.fill(sums, (byte) 0);
    position = 0;
    return fingerprint;
  }

  /**
   * Adds the next bytes of the window.
   *
   * @throws IllegalArgumentException if there are more than {@link #remaining}
   */
  public void update(ByteBuffer data) {
    checkRoom(data);
    add(data, 0, 1, null);
  }

  /**
   * Adds the next bytes of the window and computes a checksum per chunk, in one pass over direct
   * buffers.
   *
   * @param data bytes that begin with a chunk; the last chunk may be short. For chunks not to cross
   *     windows, the window must be a multiple of {@code bytesPerChecksum}
   * @param bytesPerChecksum bytes that each checksum covers, at least 1
   * @param checksums receives the checksums; its length is their number
   * @throws IllegalArgumentException if there is more data than {@link #remaining}, or an argument
   *     does not fit it
   */
  public void updateWithChecksums(
      ByteBuffer data, ChecksumKind kind, int bytesPerChecksum, int[] checksums) {
    checkRoom(data);
    int count = checkChunks(data, kind, bytesPerChecksum);
    if (checksums == null || checksums.length != count) {
      throw refusal(
          "checksums given: "
              + (checksums == null ? "null" : checksums.length)
              + ", needed: "
              + count);
    }
    addWithChecksums(data, kind, bytesPerChecksum, checksums);
  }

  private void checkRoom(ByteBuffer data) {
    if (data == null) {
      throw refusal("the data is null");
    }
    if (data.remaining() > remaining()) {
      throw refusal("bytes given: " + data.remaining() + ", the window takes: " + remaining());
    }
  }

  private static int checkChunks(ByteBuffer data, ChecksumKind kind, int bytesPerChecksum) {
    if (kind == null) {
      throw refusal("the kind of checksum is null");
    }
    if (bytesPerChecksum < 1) {
      throw refusal("bytes per checksum is " + bytesPerChecksum + ", at least 1 needed");
    }
    return ChunkChecksums.count(data.remaining(), bytesPerChecksum);
  }

  private void addWithChecksums(
      ByteBuffer data, ChecksumKind kind, int bytesPerChecksum, int[] checksums) {
    if (isNative && data.isDirect()) {
      add(data, kind == ChecksumKind.CRC32C ? 0 : 1, bytesPerChecksum, checksums);
      return;
    }
    // The JVM's own checksums are intrinsics too.
    new ChunkChecksums(kind, bytesPerChecksum)
        .computeDirect(
            new ByteBuffer[] {data}, new int[] {data.position()}, data.remaining(), checksums, 0);
    add(data, 0, 1, null);
  }

  private void add(ByteBuffer data, int kind, int bytesPerChecksum, int[] checksums) {
    int length = data.remaining();
    if (!isNative) {
      JavaSums.add(function, sums, position, data);
    } else if (data.isDirect()) {
      FingerprintBridge.update(
          function.coefficients(),
          sums,
          position,
          data,
          data.position(),
          length,
          kind,
          bytesPerChecksum,
          checksums);
    } else {
      addCopied(data.duplicate());
      return;
    }
    position += length;
  }

  private void addCopied(ByteBuffer rest) {
    if (copy == null) {
      copy = ByteBuffer.allocateDirect(COPY_BYTES);
    }
    int end = rest.limit();
    while (rest.position() < end) {
      rest.limit(Math.min(end, rest.position() + COPY_BYTES));
      copy.clear();
      copy.put(rest);
      copy.flip();
      add(copy, 0, 1, null);
    }
  }

  private static IllegalArgumentException refusal(String reason) {
    return new IllegalArgumentException("Cannot add to the fingerprint: " + reason);
  }

  /** Whether the native library sums; decided at the first fingerprint of the process. */
  private static final class NativeUse {
    static final boolean IS_POSSIBLE = isPossible();

    private static boolean isPossible() {
      if (!CoderStatus.current().isNative()) {
        return false;
      }
      try {
        ByteBuffer row = ByteBuffer.allocateDirect(1);
        FingerprintBridge.update(row, new byte[64], 0, row, 0, 0, 0, 1, null);
        return true;
      } catch (UnsatisfiedLinkError e) {
        // The configured library is of an earlier version.
        return false;
      }
    }
  }
}
