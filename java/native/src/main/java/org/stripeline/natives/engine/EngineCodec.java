// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.DelegatedCodec;
import org.stripeline.natives.codec.EcException;

/** A codec whose work is done by an engine; arguments are checked as in every codec. */
final class EngineCodec extends DelegatedCodec<EngineTask> implements RailCodec {
  private final RailEngine engine;
  private final TaskRequest request;

  EngineCodec(RailEngine engine, Code code, int dataUnits, int parityUnits) {
    super(code, dataUnits, parityUnits);
    this.engine = engine;
    this.request = TaskRequest.foreground();
  }

  private EngineCodec(EngineCodec other, TaskRequest request) {
    super(other);
    this.engine = other.engine;
    this.request = request;
  }

  @Override
  public boolean hasDevices() {
    return engine.hasDevices();
  }

  @Override
  public RailCodec with(TaskRequest other) {
    if (other == null) {
      throw new IllegalArgumentException("Cannot set the options of tasks: the request is null");
    }
    return new EngineCodec(this, other);
  }

  @Override
  protected void checkDelegate(String verb) {
    engine.checkOpen(verb);
  }

  @Override
  protected EngineTask issue(ByteBuffer[] in, ByteBuffer[] out, Operation operation)
      throws IOException {
    EngineTask task = engine.newTask(in, out);
    try {
      operation.issue(task.number());
      task.issued = true;
    } finally {
      if (!task.issued) {
        engine.forget(task);
      }
    }
    return task;
  }

  @Override
  protected EngineTask ended() {
    return EngineTask.ended(ComparisonResult.SOUND);
  }

  @Override
  protected EngineTask failed(EcException failure) {
    return EngineTask.failed(failure);
  }

  @Override
  protected void encode(
      ByteBuffer[] in,
      int[] inPositions,
      ByteBuffer[] out,
      int[] outPositions,
      int length,
      long task)
      throws IOException {
    EngineBridge.encode(
        engine.handle(),
        handle(),
        in,
        inPositions,
        out,
        outPositions,
        length,
        task,
        request.isBackground(),
        request.deadlineNanos());
  }

  @Override
  protected void decode(
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
        handle(),
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

  @Override
  protected int verify(ByteBuffer[] units, int[] positions, int length, long task)
      throws IOException {
    return EngineBridge.verify(
        engine.handle(),
        handle(),
        units,
        positions,
        length,
        task,
        request.isBackground(),
        request.deadlineNanos());
  }

  @Override
  protected void update(
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
        handle(),
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
}
