// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Checks the arguments of every call, and passes arrays with offsets to an implementation.
 *
 * <p>Both implementations use the same checks, so that an invalid argument has the same message
 * with either. An implementation may rely on the following: correct numbers of buffers; no nulls
 * except for absent units of a decode; every range within its buffer; writable outputs; erasures in
 * range, distinct, absent and at most as many as there are parity units; enough units present;
 * arrays that do not overlap. The implementation must check overlaps of direct buffers itself,
 * because their addresses are not available here.
 */
abstract class CheckedCodec implements ErasureCodec {
  private final Code code;
  private final int dataUnits;
  private final int parityUnits;
  private final CallFrame.Slot frames = new CallFrame.Slot();
  private volatile boolean closed;

  CheckedCodec(Code code, int dataUnits, int parityUnits) {
    code.checkUnits(dataUnits, parityUnits);
    this.code = code;
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
  }

  abstract void encodeDirect(
      ByteBuffer[] in, int[] inPositions, ByteBuffer[] out, int[] outPositions, int length)
      throws IOException;

  abstract void encodeHeap(byte[][] in, int[] inOffsets, byte[][] out, int[] outOffsets, int length)
      throws IOException;

  abstract void decodeDirect(
      ByteBuffer[] in,
      int[] inPositions,
      int[] erased,
      ByteBuffer[] out,
      int[] outPositions,
      int length)
      throws IOException;

  abstract void decodeHeap(
      byte[][] in, int[] inOffsets, int[] erased, byte[][] out, int[] outOffsets, int length)
      throws IOException;

  abstract int verifyDirect(ByteBuffer[] units, int[] positions, int length) throws IOException;

  abstract int verifyHeap(byte[][] units, int[] offsets, int length) throws IOException;

  abstract void updateDirect(
      int dataUnit,
      ByteBuffer[] change,
      int[] changePositions,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length)
      throws IOException;

  abstract void updateHeap(
      int dataUnit,
      byte[][] change,
      int[] changeOffsets,
      byte[][] parity,
      int[] parityOffsets,
      int length)
      throws IOException;

  abstract void encodeChecksumsDirect(
      ByteBuffer[] in,
      int[] inPositions,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      ChecksumKind kind,
      int bytesPerChecksum,
      int[] sums)
      throws IOException;

  abstract void encodeChecksumsHeap(
      byte[][] in,
      int[] inOffsets,
      byte[][] out,
      int[] outOffsets,
      int length,
      ChecksumKind kind,
      int bytesPerChecksum,
      int[] sums)
      throws IOException;

  @Override
  public final Code code() {
    return code;
  }

  @Override
  public final int dataUnits() {
    return dataUnits;
  }

  @Override
  public final int parityUnits() {
    return parityUnits;
  }

  @Override
  public final void close() {
    closed = true;
  }

  @Override
  public final void encode(ByteBuffer[] data, ByteBuffer[] parity) throws IOException {
    Arguments call = Arguments.ENCODE;
    checkOpen(call);
    call.checkCount("data", data, dataUnits, this);
    call.checkCount("parity", parity, parityUnits, this);
    CallFrame frame = frames.take();
    try {
      call.gather(frame, data, false, parity);
      if (frame.length == 0) {
        return;
      }
      if (frame.direct) {
        encodeDirect(data, frame.inputPositions, parity, frame.outputPositions, frame.length);
      } else {
        encodeHeap(
            frame.inputArrays,
            frame.inputPositions,
            frame.outputArrays,
            frame.outputPositions,
            frame.length);
      }
    } finally {
      frames.giveBack(frame);
    }
  }

  @Override
  public final void encode(
      byte[][] data, int[] dataOffsets, byte[][] parity, int[] parityOffsets, int length)
      throws IOException {
    Arguments call = Arguments.ENCODE;
    checkOpen(call);
    call.checkCount("data", data, dataUnits, this);
    call.checkCount("parity", parity, parityUnits, this);
    call.checkArrays(data, dataOffsets, false, parity, parityOffsets, length);
    if (length > 0) {
      encodeHeap(data, dataOffsets, parity, parityOffsets, length);
    }
  }

  @Override
  public final void encodeWithChecksums(
      ByteBuffer[] data, ByteBuffer[] parity, ChecksumKind kind, int bytesPerChecksum, int[] sums)
      throws IOException {
    Arguments call = Arguments.ENCODE;
    checkOpen(call);
    call.checkCount("data", data, dataUnits, this);
    call.checkCount("parity", parity, parityUnits, this);
    CallFrame frame = frames.take();
    try {
      call.gather(frame, data, false, parity);
      call.checkSums(kind, bytesPerChecksum, sums, dataUnits + parityUnits, frame.length);
      if (frame.length == 0) {
        return;
      }
      if (frame.direct) {
        encodeChecksumsDirect(
            data,
            frame.inputPositions,
            parity,
            frame.outputPositions,
            frame.length,
            kind,
            bytesPerChecksum,
            sums);
      } else {
        encodeChecksumsHeap(
            frame.inputArrays,
            frame.inputPositions,
            frame.outputArrays,
            frame.outputPositions,
            frame.length,
            kind,
            bytesPerChecksum,
            sums);
      }
    } finally {
      frames.giveBack(frame);
    }
  }

  @Override
  public final void decode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs)
      throws IOException {
    Arguments call = Arguments.DECODE;
    checkOpen(call);
    call.checkCount("all", units, dataUnits + parityUnits, this);
    call.checkErasures(units, erased, outputs, this);
    CallFrame frame = frames.take();
    try {
      call.gather(frame, units, true, outputs);
      if (frame.length == 0 || erased.length == 0) {
        return;
      }
      if (frame.direct) {
        decodeDirect(
            units, frame.inputPositions, erased, outputs, frame.outputPositions, frame.length);
      } else {
        decodeHeap(
            frame.inputArrays,
            frame.inputPositions,
            erased,
            frame.outputArrays,
            frame.outputPositions,
            frame.length);
      }
    } finally {
      frames.giveBack(frame);
    }
  }

  @Override
  public final void decode(
      byte[][] units,
      int[] unitOffsets,
      int[] erased,
      byte[][] outputs,
      int[] outputOffsets,
      int length)
      throws IOException {
    Arguments call = Arguments.DECODE;
    checkOpen(call);
    call.checkCount("all", units, dataUnits + parityUnits, this);
    call.checkErasures(units, erased, outputs, this);
    call.checkArrays(units, unitOffsets, true, outputs, outputOffsets, length);
    if (length > 0 && erased.length > 0) {
      decodeHeap(units, unitOffsets, erased, outputs, outputOffsets, length);
    }
  }

  @Override
  public final int verify(ByteBuffer[] units) throws IOException {
    Arguments call = Arguments.VERIFY;
    checkOpen(call);
    call.checkCount("all", units, dataUnits + parityUnits, this);
    CallFrame frame = frames.take();
    try {
      call.gather(frame, units, false, Arguments.NO_BUFFERS);
      if (frame.length == 0) {
        return -1;
      }
      return frame.direct
          ? verifyDirect(units, frame.inputPositions, frame.length)
          : verifyHeap(frame.inputArrays, frame.inputPositions, frame.length);
    } finally {
      frames.giveBack(frame);
    }
  }

  @Override
  public final int verify(byte[][] units, int[] unitOffsets, int length) throws IOException {
    Arguments call = Arguments.VERIFY;
    checkOpen(call);
    call.checkCount("all", units, dataUnits + parityUnits, this);
    call.checkArrays(units, unitOffsets, false, Arguments.NO_ARRAYS, Arguments.NO_OFFSETS, length);
    return length == 0 ? -1 : verifyHeap(units, unitOffsets, length);
  }

  @Override
  public final void update(int dataUnit, ByteBuffer old, ByteBuffer fresh, ByteBuffer[] parity)
      throws IOException {
    Arguments call = Arguments.UPDATE;
    checkOpen(call);
    call.checkDataUnit(dataUnit, dataUnits);
    call.checkCount("parity", parity, parityUnits, this);
    ByteBuffer[] change = {old, fresh};
    CallFrame frame = frames.take();
    try {
      call.gather(frame, change, false, parity);
      if (frame.length == 0) {
        return;
      }
      if (frame.direct) {
        updateDirect(
            dataUnit, change, frame.inputPositions, parity, frame.outputPositions, frame.length);
      } else {
        updateHeap(
            dataUnit,
            frame.inputArrays,
            frame.inputPositions,
            frame.outputArrays,
            frame.outputPositions,
            frame.length);
      }
    } finally {
      frames.giveBack(frame);
    }
  }

  @Override
  public final void update(
      int dataUnit,
      byte[] old,
      int oldOffset,
      byte[] fresh,
      int freshOffset,
      byte[][] parity,
      int[] parityOffsets,
      int length)
      throws IOException {
    Arguments call = Arguments.UPDATE;
    checkOpen(call);
    call.checkDataUnit(dataUnit, dataUnits);
    call.checkCount("parity", parity, parityUnits, this);
    byte[][] change = {old, fresh};
    int[] changeOffsets = {oldOffset, freshOffset};
    call.checkArrays(change, changeOffsets, false, parity, parityOffsets, length);
    if (length > 0) {
      updateHeap(dataUnit, change, changeOffsets, parity, parityOffsets, length);
    }
  }

  @Override
  public final String toString() {
    return code + " " + dataUnits + "+" + parityUnits;
  }

  final void checkOpen(Arguments call) throws EcException {
    if (closed) {
      throw new EcException(
          EcException.Kind.CLOSED, "Cannot " + call.verb() + ": codec " + this + " is closed");
    }
  }
}
