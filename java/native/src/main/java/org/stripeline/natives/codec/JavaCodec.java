// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A codec in pure Java, used if the native library cannot be loaded.
 *
 * <p>It keeps the matrices of the code and of the last decode, and up to 200 KiB of working memory
 * from call to call; concurrent callers allocate their own working memory and drop it.
 */
final class JavaCodec extends CheckedCodec {
  private final int[][] parityMatrix;
  private final AtomicReference<BlockCoder.Scratch> idleScratch = new AtomicReference<>();

  // Created on first use, because most decoders that HDFS creates never decode. A race creates the
  // same value twice.
  private volatile BlockCoder encoder;

  // One plan is enough: within a file the same units stay lost from call to call.
  private volatile DecodePlan lastPlan;

  JavaCodec(Code code, int dataUnits, int parityUnits) {
    super(code, dataUnits, parityUnits);
    this.parityMatrix = CodingMatrix.parity(code, dataUnits, parityUnits);
  }

  @Override
  public boolean isNative() {
    return false;
  }

  @Override
  void encodeDirect(
      ByteBuffer[] in, int[] inPositions, ByteBuffer[] out, int[] outPositions, int length) {
    checkDisjoint(Arguments.ENCODE, in, inPositions, out, outPositions, length);
    code(
        encoder(),
        BlockCoder.Unit.of(in, inPositions, length),
        BlockCoder.Unit.of(out, outPositions, length),
        length);
  }

  @Override
  void encodeHeap(byte[][] in, int[] inOffsets, byte[][] out, int[] outOffsets, int length) {
    code(
        encoder(),
        BlockCoder.Unit.of(in, inOffsets, length),
        BlockCoder.Unit.of(out, outOffsets, length),
        length);
  }

  @Override
  void decodeDirect(
      ByteBuffer[] in,
      int[] inPositions,
      int[] erased,
      ByteBuffer[] out,
      int[] outPositions,
      int length) {
    checkDisjoint(Arguments.DECODE, in, inPositions, out, outPositions, length);
    DecodePlan plan = plan(in, erased);
    BlockCoder.Unit[] present = new BlockCoder.Unit[plan.present.length];
    for (int i = 0; i < present.length; i++) {
      int unit = plan.present[i];
      present[i] = BlockCoder.Unit.of(in[unit], inPositions[unit], length);
    }
    code(plan.coder, present, BlockCoder.Unit.of(out, outPositions, length), length);
  }

  @Override
  void decodeHeap(
      byte[][] in, int[] inOffsets, int[] erased, byte[][] out, int[] outOffsets, int length) {
    DecodePlan plan = plan(in, erased);
    BlockCoder.Unit[] present = new BlockCoder.Unit[plan.present.length];
    for (int i = 0; i < present.length; i++) {
      int unit = plan.present[i];
      present[i] = BlockCoder.Unit.of(in[unit], inOffsets[unit], length);
    }
    code(plan.coder, present, BlockCoder.Unit.of(out, outOffsets, length), length);
  }

  @Override
  int verifyDirect(ByteBuffer[] units, int[] positions, int length) {
    return verify(BlockCoder.Unit.of(units, positions, length), length);
  }

  @Override
  int verifyHeap(byte[][] units, int[] offsets, int length) {
    return verify(BlockCoder.Unit.of(units, offsets, length), length);
  }

  @Override
  void updateDirect(
      int dataUnit,
      ByteBuffer[] change,
      int[] changePositions,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length) {
    checkDisjoint(Arguments.UPDATE, change, changePositions, parity, parityPositions, length);
    update(
        dataUnit,
        BlockCoder.Unit.of(change, changePositions, length),
        BlockCoder.Unit.of(parity, parityPositions, length),
        length);
  }

  @Override
  void updateHeap(
      int dataUnit,
      byte[][] change,
      int[] changeOffsets,
      byte[][] parity,
      int[] parityOffsets,
      int length) {
    update(
        dataUnit,
        BlockCoder.Unit.of(change, changeOffsets, length),
        BlockCoder.Unit.of(parity, parityOffsets, length),
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
      int[] sums) {
    encodeDirect(in, inPositions, out, outPositions, length);
    ChunkChecksums checksums = new ChunkChecksums(kind, bytesPerChecksum);
    int next = checksums.computeDirect(in, inPositions, length, sums, 0);
    checksums.computeDirect(out, outPositions, length, sums, next);
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
      int[] sums) {
    encodeHeap(in, inOffsets, out, outOffsets, length);
    ChunkChecksums checksums = new ChunkChecksums(kind, bytesPerChecksum);
    int next = checksums.computeHeap(in, inOffsets, length, sums, 0);
    checksums.computeHeap(out, outOffsets, length, sums, next);
  }

  private void code(BlockCoder coder, BlockCoder.Unit[] in, BlockCoder.Unit[] out, int length) {
    BlockCoder.Scratch scratch = takeScratch();
    coder.code(in, out, length, scratch);
    idleScratch.lazySet(scratch);
  }

  private int verify(BlockCoder.Unit[] units, int length) {
    BlockCoder.Unit[] data = Arrays.copyOf(units, dataUnits());
    BlockCoder.Unit[] parity = Arrays.copyOfRange(units, dataUnits(), units.length);
    BlockCoder.Scratch scratch = takeScratch();
    int mismatch = encoder().firstMismatch(data, parity, length, scratch);
    idleScratch.lazySet(scratch);
    return mismatch;
  }

  /**
   * Updates parity: new parity is old parity plus the coefficient times (old plus fresh), which is
   * one multiplication by a small matrix.
   */
  private void update(
      int dataUnit, BlockCoder.Unit[] change, BlockCoder.Unit[] parity, int length) {
    int[][] matrix = new int[parity.length][2 + parity.length];
    BlockCoder.Unit[] in = Arrays.copyOf(change, 2 + parity.length);
    for (int i = 0; i < parity.length; i++) {
      matrix[i][0] = parityMatrix[i][dataUnit];
      matrix[i][1] = parityMatrix[i][dataUnit];
      matrix[i][2 + i] = 1;
      in[2 + i] = parity[i];
    }
    code(new BlockCoder(matrix, in.length), in, parity, length);
  }

  private BlockCoder.Scratch takeScratch() {
    BlockCoder.Scratch scratch = idleScratch.getAndSet(null);
    return scratch != null ? scratch : new BlockCoder.Scratch();
  }

  private BlockCoder encoder() {
    BlockCoder coder = encoder;
    if (coder == null) {
      coder = new BlockCoder(parityMatrix, dataUnits());
      encoder = coder;
    }
    return coder;
  }

  private DecodePlan plan(Object[] units, int[] erased) {
    int[] present = new int[dataUnits()];
    int count = 0;
    for (int i = 0; count < present.length; i++) {
      if (units[i] != null) {
        present[count++] = i;
      }
    }
    DecodePlan plan = lastPlan;
    if (plan == null || !plan.fits(present, erased)) {
      plan = new DecodePlan(parityMatrix, present, erased.clone());
      lastPlan = plan;
    }
    return plan;
  }

  /**
   * Compares the addresses of direct buffers, because buffers that overlap would silently produce
   * wrong bytes.
   */
  private static void checkDisjoint(
      Arguments call,
      ByteBuffer[] in,
      int[] inPositions,
      ByteBuffer[] out,
      int[] outPositions,
      int length) {
    long[] starts = new long[out.length];
    for (int i = 0; i < out.length; i++) {
      starts[i] = BufferAddress.of(out[i]) + outPositions[i];
      for (int j = 0; j < i; j++) {
        if (Math.abs(starts[j] - starts[i]) < length) {
          throw call.overlap(i, true, j);
        }
      }
    }
    for (int j = 0; j < in.length; j++) {
      if (in[j] == null) {
        continue;
      }
      long start = BufferAddress.of(in[j]) + inPositions[j];
      for (int i = 0; i < out.length; i++) {
        if (Math.abs(starts[i] - start) < length) {
          throw call.overlap(i, false, j);
        }
      }
    }
  }

  /** The computation of certain units from certain others. */
  private static final class DecodePlan {
    private final int[] present;
    private final int[] erased;
    private final BlockCoder coder;

    DecodePlan(int[][] parityMatrix, int[] present, int[] erased) {
      this.present = present;
      this.erased = erased;
      this.coder =
          new BlockCoder(CodingMatrix.decoding(parityMatrix, present, erased), present.length);
    }

    boolean fits(int[] otherPresent, int[] otherErased) {
      return Arrays.equals(present, otherPresent) && Arrays.equals(erased, otherErased);
    }
  }
}
