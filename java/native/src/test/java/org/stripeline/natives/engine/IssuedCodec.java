// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Issues a task for every call that permits it and waits for the task; used by the codec suites.
 */
final class IssuedCodec implements ErasureCodec {
  private final RailCodec codec;

  IssuedCodec(RailCodec codec) {
    this.codec = codec;
  }

  @Override
  public Code code() {
    return codec.code();
  }

  @Override
  public int dataUnits() {
    return codec.dataUnits();
  }

  @Override
  public int parityUnits() {
    return codec.parityUnits();
  }

  @Override
  public boolean isNative() {
    return codec.isNative();
  }

  @Override
  public void encode(ByteBuffer[] data, ByteBuffer[] parity) throws IOException {
    if (onHeap(data) || onHeap(parity)) {
      codec.encode(data, parity);
    } else {
      wait(codec.iencode(data, parity));
    }
  }

  @Override
  public void encode(
      byte[][] data, int[] dataOffsets, byte[][] parity, int[] parityOffsets, int length)
      throws IOException {
    codec.encode(data, dataOffsets, parity, parityOffsets, length);
  }

  @Override
  public void encodeWithChecksums(
      ByteBuffer[] data, ByteBuffer[] parity, ChecksumKind kind, int bytesPerChecksum, int[] sums)
      throws IOException {
    codec.encodeWithChecksums(data, parity, kind, bytesPerChecksum, sums);
  }

  @Override
  public void decode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs) throws IOException {
    if (onHeap(units) || onHeap(outputs)) {
      codec.decode(units, erased, outputs);
    } else {
      wait(codec.idecode(units, erased, outputs));
    }
  }

  @Override
  public void decode(
      byte[][] units,
      int[] unitOffsets,
      int[] erased,
      byte[][] outputs,
      int[] outputOffsets,
      int length)
      throws IOException {
    codec.decode(units, unitOffsets, erased, outputs, outputOffsets, length);
  }

  @Override
  public int verify(ByteBuffer[] units) throws IOException {
    return onHeap(units) ? codec.verify(units) : wait(codec.iverify(units)).parityUnit();
  }

  @Override
  public int verify(byte[][] units, int[] unitOffsets, int length) throws IOException {
    return codec.verify(units, unitOffsets, length);
  }

  @Override
  public void update(int dataUnit, ByteBuffer old, ByteBuffer fresh, ByteBuffer[] parity)
      throws IOException {
    if (onHeap(old, fresh) || onHeap(parity)) {
      codec.update(dataUnit, old, fresh, parity);
    } else {
      wait(codec.iupdate(dataUnit, old, fresh, parity));
    }
  }

  @Override
  public void update(
      int dataUnit,
      byte[] old,
      int oldOffset,
      byte[] fresh,
      int freshOffset,
      byte[][] parity,
      int[] parityOffsets,
      int length)
      throws IOException {
    codec.update(dataUnit, old, oldOffset, fresh, freshOffset, parity, parityOffsets, length);
  }

  @Override
  public void close() {
    codec.close();
  }

  @Override
  public String toString() {
    return codec.toString();
  }

  private static boolean onHeap(ByteBuffer... buffers) {
    if (buffers != null) {
      for (ByteBuffer buffer : buffers) {
        if (buffer != null && !buffer.isDirect()) {
          return true;
        }
      }
    }
    return false;
  }

  private static ComparisonResult wait(EngineTask task) throws IOException {
    try {
      return task.join();
    } catch (CompletionException e) {
      throw (IOException) e.getCause();
    }
  }
}
