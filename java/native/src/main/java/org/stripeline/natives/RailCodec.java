// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.nio.ByteBuffer;

/**
 * An {@link ErasureCodec} whose work is done by the rails of a {@link RailEngine}, waited for or
 * issued.
 *
 * <p>The methods of {@link ErasureCodec} wait. Direct buffers go through the engine; heap buffers
 * and arrays, which the garbage collector moves, and {@link #encodeWithChecksums}, whose sums come
 * from the coding pass itself, are coded on the calling thread as without an engine.
 *
 * <p>The methods here issue a task and return at once, unless as much is outstanding as may be;
 * then they wait for room, or the task fails with {@link EcException.Kind#BUSY}, as configured.
 * They take direct buffers only. Until the task has ended nobody may change its inputs, nor touch
 * its outputs; the task keeps all of them from being collected. Memory that is freed by other
 * means, such as that of an {@code Arena}, must stay until then: nobody checks that it does.
 * Buffers of tasks that run at the same time may share inputs, but no output. Positions and limits
 * are read at once and never changed.
 *
 * <p>Wrong arguments cause an {@link IllegalArgumentException}, an engine that is closed an {@link
 * IllegalStateException}, both at once. Closing a codec does not touch its tasks.
 */
public interface RailCodec extends ErasureCodec {

  /**
   * Returns this codec for work of another urgency, which also holds for calls that wait.
   *
   * @param request how urgent
   */
  RailCodec with(TaskRequest request);

  /**
   * Issues the computing of all parity units.
   *
   * @param data the data units
   * @param parity the parity units to fill
   */
  EngineTask iencode(ByteBuffer[] data, ByteBuffer[] parity);

  /**
   * Issues the computing of erased units.
   *
   * @param units all units, data first; null where one is erased or was not read
   * @param erased indices of the units to produce, in any order, each one null in {@code units}
   * @param outputs one buffer for each of {@code erased}, in that order
   */
  EngineTask idecode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs);

  /**
   * Issues the comparing of parity with data; the result has the first difference.
   *
   * @param units all units, data first; none null
   */
  EngineTask iverify(ByteBuffer[] units);

  /**
   * Issues the bringing of parity up to date after one data unit has changed.
   *
   * @param dataUnit index of the data unit that changed
   * @param old what it held
   * @param fresh what it holds now
   * @param parity the parity units, which are read and written
   */
  EngineTask iupdate(int dataUnit, ByteBuffer old, ByteBuffer fresh, ByteBuffer[] parity);
}
