// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.stripeline.natives.library.NativeLoader;

/** A codec in the native library. */
final class NativeCodec extends CheckedCodec {
  // Never freed: the library shares one codec per (code, data units, parity units) for the life of
  // the process, so that a close cannot free memory that a call uses.
  private final long handle;

  /** Creates a codec; {@link NativeLoader} must have loaded the library. */
  NativeCodec(Code code, int dataUnits, int parityUnits) {
    super(code, dataUnits, parityUnits);
    this.handle = NativeBridge.open(code.id(), dataUnits, parityUnits);
  }

  /** Returns the number of this codec in the native interface. */
  long handle() {
    return handle;
  }

  @Override
  public boolean isNative() {
    return true;
  }

  @Override
  void encodeDirect(
      ByteBuffer[] in, int[] inPositions, ByteBuffer[] out, int[] outPositions, int length)
      throws IOException {
    NativeBridge.encodeDirect(handle, in, inPositions, out, outPositions, length);
  }

  @Override
  void encodeHeap(byte[][] in, int[] inOffsets, byte[][] out, int[] outOffsets, int length)
      throws IOException {
    NativeBridge.encodeHeap(handle, in, inOffsets, out, outOffsets, length);
  }

  @Override
  void decodeDirect(
      ByteBuffer[] in,
      int[] inPositions,
      int[] erased,
      ByteBuffer[] out,
      int[] outPositions,
      int length)
      throws IOException {
    NativeBridge.decodeDirect(handle, in, inPositions, erased, out, outPositions, length);
  }

  @Override
  void decodeHeap(
      byte[][] in, int[] inOffsets, int[] erased, byte[][] out, int[] outOffsets, int length)
      throws IOException {
    NativeBridge.decodeHeap(handle, in, inOffsets, erased, out, outOffsets, length);
  }

  @Override
  int verifyDirect(ByteBuffer[] units, int[] positions, int length) throws IOException {
    return NativeBridge.verifyDirect(handle, units, positions, length);
  }

  @Override
  int verifyHeap(byte[][] units, int[] offsets, int length) throws IOException {
    return NativeBridge.verifyHeap(handle, units, offsets, length);
  }

  @Override
  void updateDirect(
      int dataUnit,
      ByteBuffer[] change,
      int[] changePositions,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length)
      throws IOException {
    NativeBridge.updateDirect(
        handle,
        dataUnit,
        change[0],
        changePositions[0],
        change[1],
        changePositions[1],
        parity,
        parityPositions,
        length);
  }

  @Override
  void updateHeap(
      int dataUnit,
      byte[][] change,
      int[] changeOffsets,
      byte[][] parity,
      int[] parityOffsets,
      int length)
      throws IOException {
    NativeBridge.updateHeap(
        handle,
        dataUnit,
        change[0],
        changeOffsets[0],
        change[1],
        changeOffsets[1],
        parity,
        parityOffsets,
        length);
  }

  @Override
  void encodeChecksumsDirect(
      ByteBuffer[] in,
      int[] inPositions,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      ChecksumKind kind,
      int bytesPerChecksum,
      int[] sums)
      throws IOException {
    NativeBridge.encodeChecksumsDirect(
        handle, in, inPositions, out, outPositions, length, kind.id(), bytesPerChecksum, sums);
  }

  @Override
  void encodeChecksumsHeap(
      byte[][] in,
      int[] inOffsets,
      byte[][] out,
      int[] outOffsets,
      int length,
      ChecksumKind kind,
      int bytesPerChecksum,
      int[] sums)
      throws IOException {
    // The JVM's own checksums are intrinsics too, and HDFS does not use heap arrays for this call.
    NativeBridge.encodeHeap(handle, in, inOffsets, out, outOffsets, length);
    ChunkChecksums checksums = new ChunkChecksums(kind, bytesPerChecksum);
    int next = checksums.computeHeap(in, inOffsets, length, sums, 0);
    checksums.computeHeap(out, outOffsets, length, sums, next);
  }
}
