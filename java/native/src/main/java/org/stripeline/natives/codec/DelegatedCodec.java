// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A codec that has another module do the work on direct buffers: it checks arguments as every codec
 * does and does the work on heap buffers itself. For Stripeline's own modules.
 *
 * <p>The other module implements the operations below; the number of the task is 0 for a call that
 * waits.
 *
 * @param <T> what an issued operation returns
 */
public abstract class DelegatedCodec<T> extends CheckedCodec {
  /** The task number of calls that wait. */
  private static final long WAIT = 0;

  /** The codec for work on the calling thread; its handle also names the code to the delegate. */
  private final NativeCodec direct;

  private final CallFrame.Slot frames = new CallFrame.Slot();

  /** Creates a codec; {@link CoderStatus#isNative} must be true. */
  protected DelegatedCodec(Code code, int dataUnits, int parityUnits) {
    this(new NativeCodec(code, dataUnits, parityUnits));
  }

  /** Creates a codec of the same code, open even if the other is closed. */
  protected DelegatedCodec(DelegatedCodec<T> other) {
    this(other.direct);
  }

  private DelegatedCodec(NativeCodec direct) {
    super(direct.code(), direct.dataUnits(), direct.parityUnits());
    this.direct = direct;
  }

  /** The native call of one operation, whose arguments have been checked. */
  protected interface Operation {
    /** Issues the operation as the task with that number. */
    void issue(long task) throws IOException;
  }

  /** Returns the number of this codec in the native interface. */
  protected final long handle() {
    return direct.handle();
  }

  /**
   * Throws if the delegate is closed.
   *
   * @param verb the verb of the call, for the message
   */
  protected abstract void checkDelegate(String verb);

  /** Encodes, as the task with that number. */
  protected abstract void encode(
      ByteBuffer[] in,
      int[] inPositions,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      long task)
      throws IOException;

  /** Decodes, as the task with that number. */
  protected abstract void decode(
      ByteBuffer[] in,
      int[] inPositions,
      int[] erased,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      long task)
      throws IOException;

  /** Verifies, as the task with that number; returns the parity unit that differs, or -1. */
  protected abstract int verify(ByteBuffer[] units, int[] positions, int length, long task)
      throws IOException;

  /** Updates parity, as the task with that number; {@code change} is the old and the new data. */
  protected abstract void update(
      int dataUnit,
      ByteBuffer[] change,
      int[] changePositions,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length,
      long task)
      throws IOException;

  /**
   * Numbers a task, issues it and returns it.
   *
   * @param in its inputs, which must stay reachable until it has ended
   * @param out its outputs, likewise
   */
  protected abstract T issue(ByteBuffer[] in, ByteBuffer[] out, Operation operation)
      throws IOException;

  /** Returns a task without work, which has ended. */
  protected abstract T ended();

  /** Returns a task that could not be issued. */
  protected abstract T failed(EcException failure);

  @Override
  public final boolean isNative() {
    return true;
  }

  /** Issues the computation of all parity units. */
  public final T iencode(ByteBuffer[] data, ByteBuffer[] parity) {
    Arguments call = Arguments.ENCODE;
    call.checkCount("data", data, dataUnits(), this);
    call.checkCount("parity", parity, parityUnits(), this);
    return issue(
        call,
        data.clone(),
        false,
        parity.clone(),
        (in, out, frame, task) ->
            encode(in, frame.inputPositions, out, frame.outputPositions, frame.length, task));
  }

  /** Issues the computation of erased units. */
  public final T idecode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs) {
    Arguments call = Arguments.DECODE;
    call.checkCount("all", units, dataUnits() + parityUnits(), this);
    call.checkErasures(units, erased, outputs, this);
    return issue(
        call,
        units.clone(),
        true,
        outputs.clone(),
        (in, out, frame, task) ->
            decode(
                in, frame.inputPositions, erased, out, frame.outputPositions, frame.length, task));
  }

  /** Issues the comparison of parity with data. */
  public final T iverify(ByteBuffer[] units) {
    Arguments call = Arguments.VERIFY;
    call.checkCount("all", units, dataUnits() + parityUnits(), this);
    return issue(
        call,
        units.clone(),
        false,
        Arguments.NO_BUFFERS,
        (in, out, frame, task) -> verify(in, frame.inputPositions, frame.length, task));
  }

  /** Issues the update of parity after one data unit has changed. */
  public final T iupdate(int dataUnit, ByteBuffer old, ByteBuffer fresh, ByteBuffer[] parity) {
    Arguments call = Arguments.UPDATE;
    call.checkDataUnit(dataUnit, dataUnits());
    call.checkCount("parity", parity, parityUnits(), this);
    return issue(
        call,
        new ByteBuffer[] {old, fresh},
        false,
        parity.clone(),
        (in, out, frame, task) ->
            update(
                dataUnit,
                in,
                frame.inputPositions,
                out,
                frame.outputPositions,
                frame.length,
                task));
  }

  /** A native call with the positions that its frame holds. */
  private interface FramedOperation {
    void issue(ByteBuffer[] in, ByteBuffer[] out, CallFrame frame, long task) throws IOException;
  }

  private T issue(
      Arguments call,
      ByteBuffer[] in,
      boolean mayBeAbsent,
      ByteBuffer[] out,
      FramedOperation operation) {
    CallFrame frame = frames.take();
    try {
      checkOpen(call);
      call.gather(frame, in, mayBeAbsent, out);
      if (!frame.direct) {
        throw call.refusal(
            "heap buffers can move in memory while a task waits: pass direct buffers, or use a"
                + " blocking call");
      }
      checkDelegate(call.verb());
      boolean decodesNothing = mayBeAbsent && out.length == 0;
      if (frame.length == 0 || decodesNothing) {
        return ended();
      }
      return issue(in, out, task -> operation.issue(in, out, frame, task));
    } catch (EcException e) {
      return failed(e);
    } catch (IOException e) {
      return failed(new EcException(EcException.Kind.INTERNAL, e.getMessage()));
    } finally {
      frames.giveBack(frame);
    }
  }

  @Override
  final void encodeDirect(
      ByteBuffer[] in, int[] inPositions, ByteBuffer[] out, int[] outPositions, int length)
      throws IOException {
    encode(in, inPositions, out, outPositions, length, WAIT);
  }

  @Override
  final void decodeDirect(
      ByteBuffer[] in,
      int[] inPositions,
      int[] erased,
      ByteBuffer[] out,
      int[] outPositions,
      int length)
      throws IOException {
    decode(in, inPositions, erased, out, outPositions, length, WAIT);
  }

  @Override
  final int verifyDirect(ByteBuffer[] units, int[] positions, int length) throws IOException {
    return verify(units, positions, length, WAIT);
  }

  @Override
  final void updateDirect(
      int dataUnit,
      ByteBuffer[] change,
      int[] changePositions,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length)
      throws IOException {
    update(dataUnit, change, changePositions, parity, parityPositions, length, WAIT);
  }

  @Override
  final void encodeHeap(byte[][] in, int[] inOffsets, byte[][] out, int[] outOffsets, int length)
      throws IOException {
    checkDelegate("encode");
    direct.encodeHeap(in, inOffsets, out, outOffsets, length);
  }

  @Override
  final void decodeHeap(
      byte[][] in, int[] inOffsets, int[] erased, byte[][] out, int[] outOffsets, int length)
      throws IOException {
    checkDelegate("decode");
    direct.decodeHeap(in, inOffsets, erased, out, outOffsets, length);
  }

  @Override
  final int verifyHeap(byte[][] units, int[] offsets, int length) throws IOException {
    checkDelegate("verify");
    return direct.verifyHeap(units, offsets, length);
  }

  @Override
  final void updateHeap(
      int dataUnit,
      byte[][] change,
      int[] changeOffsets,
      byte[][] parity,
      int[] parityOffsets,
      int length)
      throws IOException {
    checkDelegate("update");
    direct.updateHeap(dataUnit, change, changeOffsets, parity, parityOffsets, length);
  }

  @Override
  final void encodeChecksumsDirect(
      ByteBuffer[] in,
      int[] inPositions,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      ChecksumKind kind,
      int bytesPerChecksum,
      int[] sums)
      throws IOException {
    checkDelegate("encode");
    direct.encodeChecksumsDirect(
        in, inPositions, out, outPositions, length, kind, bytesPerChecksum, sums);
  }

  @Override
  final void encodeChecksumsHeap(
      byte[][] in,
      int[] inOffsets,
      byte[][] out,
      int[] outOffsets,
      int length,
      ChecksumKind kind,
      int bytesPerChecksum,
      int[] sums)
      throws IOException {
    checkDelegate("encode");
    direct.encodeChecksumsHeap(
        in, inOffsets, out, outOffsets, length, kind, bytesPerChecksum, sums);
  }
}
