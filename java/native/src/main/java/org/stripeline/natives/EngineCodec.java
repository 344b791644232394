// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A codec whose work is done by an engine; arguments are checked as in every codec. */
final class EngineCodec extends CheckedCodec implements RailCodec {
  /** The task number of calls that wait. */
  private static final long WAIT = 0;

  private final RailEngine engine;
  private final TaskRequest request;

  /** The codec for work on the calling thread; its handle is also passed to the engine. */
  private final NativeCodec direct;

  private final CallFrame.Slot frames = new CallFrame.Slot();

  EngineCodec(RailEngine engine, NativeCodec direct, TaskRequest request) {
    super(direct.code(), direct.dataUnits(), direct.parityUnits());
    this.engine = engine;
    this.direct = direct;
    this.request = request;
  }

  @Override
  public RailCodec with(TaskRequest other) {
    if (other == null) {
      throw new IllegalArgumentException("Cannot set the options of tasks: the request is null");
    }
    return new EngineCodec(engine, direct, other);
  }

  @Override
  public boolean isNative() {
    return true;
  }

  @Override
  public EngineTask iencode(ByteBuffer[] data, ByteBuffer[] parity) {
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

  @Override
  public EngineTask idecode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs) {
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

  @Override
  public EngineTask iverify(ByteBuffer[] units) {
    Arguments call = Arguments.VERIFY;
    call.checkCount("all", units, dataUnits() + parityUnits(), this);
    return issue(
        call,
        units.clone(),
        false,
        Arguments.NO_BUFFERS,
        (in, out, frame, task) -> verify(in, frame.inputPositions, frame.length, task));
  }

  @Override
  public EngineTask iupdate(int dataUnit, ByteBuffer old, ByteBuffer fresh, ByteBuffer[] parity) {
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

  /** The native call of one operation. */
  private interface Native {
    void issue(ByteBuffer[] in, ByteBuffer[] out, CallFrame frame, long task) throws IOException;
  }

  private EngineTask issue(
      Arguments call, ByteBuffer[] in, boolean mayBeAbsent, ByteBuffer[] out, Native operation) {
    CallFrame frame = frames.take();
    try {
      checkOpen(call);
      call.gather(frame, in, mayBeAbsent, out);
      if (!frame.direct) {
        throw call.refusal(
            "heap buffers can move in memory while a task waits: pass direct buffers, or use a"
                + " blocking call");
      }
      engine.checkOpen(call.verb());
      boolean decodesNothing = mayBeAbsent && out.length == 0;
      if (frame.length == 0 || decodesNothing) {
        return EngineTask.ended(ComparisonResult.SOUND);
      }
      EngineTask task = engine.newTask(in, out);
      try {
        operation.issue(in, out, frame, task.number());
        task.issued = true;
      } finally {
        if (!task.issued) {
          engine.forget(task);
        }
      }
      return task;
    } catch (EcException e) {
      return EngineTask.failed(e);
    } catch (IOException e) {
      return EngineTask.failed(new EcException(EcException.Kind.INTERNAL, e.getMessage()));
    } finally {
      frames.giveBack(frame);
    }
  }

  private void encode(
      ByteBuffer[] in,
      int[] inPositions,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      long task)
      throws IOException {
    EngineBridge.encode(
        engine.handle(),
        direct.handle(),
        in,
        inPositions,
        out,
        outPositions,
        length,
        task,
        request.isBackground(),
        request.deadlineNanos());
  }

  private void decode(
      ByteBuffer[] in,
      int[] inPositions,
      int[] erased,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      long task)
      throws IOException {
    EngineBridge.decode(
        engine.handle(),
        direct.handle(),
        in,
        inPositions,
        erased,
        out,
        outPositions,
        length,
        task,
        request.isBackground(),
        request.deadlineNanos());
  }

  private int verify(ByteBuffer[] units, int[] positions, int length, long task)
      throws IOException {
    return EngineBridge.verify(
        engine.handle(),
        direct.handle(),
        units,
        positions,
        length,
        task,
        request.isBackground(),
        request.deadlineNanos());
  }

  private void update(
      int dataUnit,
      ByteBuffer[] change,
      int[] changePositions,
      ByteBuffer[] parity,
      int[] parityPositions,
      int length,
      long task)
      throws IOException {
    EngineBridge.update(
        engine.handle(),
        direct.handle(),
        dataUnit,
        change[0],
        changePositions[0],
        change[1],
        changePositions[1],
        parity,
        parityPositions,
        length,
        task,
        request.isBackground(),
        request.deadlineNanos());
  }

  @Override
  void encodeDirect(
      ByteBuffer[] in, int[] inPositions, ByteBuffer[] out, int[] outPositions, int length)
      throws IOException {
    encode(in, inPositions, out, outPositions, length, WAIT);
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
    decode(in, inPositions, erased, out, outPositions, length, WAIT);
  }

  @Override
  int verifyDirect(ByteBuffer[] units, int[] positions, int length) throws IOException {
    return verify(units, positions, length, WAIT);
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
    update(dataUnit, change, changePositions, parity, parityPositions, length, WAIT);
  }

  @Override
  void encodeHeap(byte[][] in, int[] inOffsets, byte[][] out, int[] outOffsets, int length)
      throws IOException {
    engine.checkOpen("encode");
    direct.encodeHeap(in, inOffsets, out, outOffsets, length);
  }

  @Override
  void decodeHeap(
      byte[][] in, int[] inOffsets, int[] erased, byte[][] out, int[] outOffsets, int length)
      throws IOException {
    engine.checkOpen("decode");
    direct.decodeHeap(in, inOffsets, erased, out, outOffsets, length);
  }

  @Override
  int verifyHeap(byte[][] units, int[] offsets, int length) throws IOException {
    engine.checkOpen("verify");
    return direct.verifyHeap(units, offsets, length);
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
    engine.checkOpen("update");
    direct.updateHeap(dataUnit, change, changeOffsets, parity, parityOffsets, length);
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
    engine.checkOpen("encode");
    direct.encodeChecksumsDirect(
        in, inPositions, out, outPositions, length, kind, bytesPerChecksum, sums);
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
    engine.checkOpen("encode");
    direct.encodeChecksumsHeap(
        in, inOffsets, out, outOffsets, length, kind, bytesPerChecksum, sums);
  }
}
