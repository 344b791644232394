// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.stripeline.natives.library.NativeLoader;

/**
 * The methods of the native library, as crates/jni exports them.
 *
 * <p>Callers check their arguments first ({@link CheckedCodec}). The library repeats the checks
 * without which behaviour would be undefined, and checks what Java cannot: whether direct buffers
 * overlap. There is no static initialiser: {@link NativeLoader} loads the library on first use.
 *
 * <p>A handle refers to a codec that the whole process shares and that is never freed. There is one
 * for each (code, data units, parity units), so that their number is bounded and using a handle
 * after a coder was released is safe.
 */
final class NativeBridge {
  /** The version of this interface; the library must return the same. */
  static final int ABI_VERSION = 1;

  private NativeBridge() {}

  /** Returns the library's {@link #ABI_VERSION}. */
  static native int abiVersion();

  /** Returns a JSON object: version, abi, isa, selection, features. */
  static native String describe();

  /** Returns the handle of the shared codec. */
  static native long open(int code, int dataUnits, int parityUnits);

  static native void encodeDirect(
      long codec,
      ByteBuffer[] inputs,
      int[] inputPositions,
      ByteBuffer[] outputs,
      int[] outputPositions,
      int length)
      throws IOException;

  static native void encodeHeap(
      long codec,
      byte[][] inputs,
      int[] inputOffsets,
      byte[][] outputs,
      int[] outputOffsets,
      int length)
      throws IOException;

  static native void decodeDirect(
      long codec,
      ByteBuffer[] units,
      int[] unitPositions,
      int[] erased,
      ByteBuffer[] outputs,
      int[] outputPositions,
      int length)
      throws IOException;

  static native void decodeHeap(
      long codec,
      byte[][] units,
      int[] unitOffsets,
      int[] erased,
      byte[][] outputs,
      int[] outputOffsets,
      int length)
      throws IOException;

  static native int verifyDirect(long codec, ByteBuffer[] units, int[] positions, int length)
      throws IOException;

  static native int verifyHeap(long codec, byte[][] units, int[] offsets, int length)
      throws IOException;

  static native void updateDirect(
      long codec,
      int dataUnit,
      ByteBuffer old,
      int oldPosition,
      ByteBuffer fresh,
      int freshPosition,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length)
      throws IOException;

  static native void updateHeap(
      long codec,
      int dataUnit,
      byte[] old,
      int oldOffset,
      byte[] fresh,
      int freshOffset,
      byte[][] parity,
      int[] parityOffsets,
      int length)
      throws IOException;

  static native void encodeChecksumsDirect(
      long codec,
      ByteBuffer[] inputs,
      int[] inputPositions,
      ByteBuffer[] outputs,
      int[] outputPositions,
      int length,
      int checksumKind,
      int bytesPerChecksum,
      int[] sums)
      throws IOException;

  /** Drops a file from the page cache; returns whether the system accepted the advice. */
  static native boolean dropPages(byte[] path);

  /**
   * Panics inside the library; tests verify that the panic becomes an exception and not a crash.
   */
  static native void panic();
}
