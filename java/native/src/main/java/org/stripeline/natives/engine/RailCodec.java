// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * An {@link ErasureCodec} whose work is done by the rails of a {@link RailEngine}, with calls that
 * wait and calls that issue tasks.
 *
 * <p>The methods of {@link ErasureCodec} wait. Direct buffers go through the engine. Heap buffers
 * and arrays, which the garbage collector moves, and {@link #encodeWithChecksums}, which computes
 * its checksums in the coding pass itself, are processed on the calling thread as without an
 * engine.
 *
 * <p>The methods here issue a task and return at once, unless the maximum is outstanding; then they
 * wait for room, or the task fails with {@link EcException.Kind#BUSY}, as configured. They accept
 * direct buffers only. Until the task has ended, its inputs must not be changed and its outputs
 * must not be accessed; the task keeps all of them from being collected. Memory that is freed by
 * other means, such as that of an {@code Arena}, must remain valid until then; this is not checked.
 * Concurrent tasks may share inputs, but no output. Positions and limits are read at once and never
 * changed.
 *
 * <p>Invalid arguments cause an {@link IllegalArgumentException}, a closed engine an {@link
 * IllegalStateException}, both at once. Closing a codec does not affect its tasks.
 */
public interface RailCodec extends ErasureCodec {

  /**
   * Returns whether the engine was opened with a rail that is not of the CPUs, such as a GPU or a
   * plug-in; it may be out of service. Without one, a direct codec does the same with less work.
   */
  boolean hasDevices();

  /** Returns the codec if it is one of an engine that {@linkplain #hasDevices has devices}. */
  static Optional<RailCodec> ofDevices(ErasureCodec codec) {
    return Optional.of(codec)
        .filter(RailCodec.class::isInstance)
        .map(RailCodec.class::cast)
        .filter(RailCodec::hasDevices);
  }

  /**
   * Returns this codec with another urgency, which also applies to calls that wait.
   *
   * @param request the urgency
   */
  RailCodec with(TaskRequest request);

  /**
   * Issues the computation of all parity units.
   *
   * @param data the data units
   * @param parity the parity units to fill
   */
  EngineTask iencode(ByteBuffer[] data, ByteBuffer[] parity);

  /**
   * Issues the computation of erased units.
   *
   * @param units all units, data first; null for a unit that is erased or was not read
   * @param erased indices of the units to produce, in any order, each one null in {@code units}
   * @param outputs one buffer for each of {@code erased}, in that order
   */
  EngineTask idecode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs);

  /**
   * Issues the comparison of parity with data; the result contains the first difference.
   *
   * @param units all units, data first; none null
   */
  EngineTask iverify(ByteBuffer[] units);

  /**
   * Issues the update of parity after one data unit has changed.
   *
   * @param dataUnit index of the data unit that changed
   * @param old the previous content of the data unit
   * @param fresh the new content of the data unit
   * @param parity the parity units, which are read and written
   */
  EngineTask iupdate(int dataUnit, ByteBuffer old, ByteBuffer fresh, ByteBuffer[] parity);
}
