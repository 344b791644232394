// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An erasure code with its numbers of units: encodes, decodes, verifies and updates.
 *
 * <p>Buffers are used from their position to their limit; all buffers of one call must have the
 * same number of bytes remaining, and be all direct or all backed by an array. No call changes a
 * position or a limit. No data is copied on the way to the native library. While a call codes
 * arrays, garbage collection may have to wait for it ({@code GetPrimitiveArrayCritical} of JNI), so
 * large units belong in direct buffers. Outputs must not overlap each other or an input; inputs may
 * overlap, and may be the same buffer. A length of zero is valid and does nothing. Memory that is
 * not managed by the garbage collector, such as that of an {@code Arena}, must remain valid while a
 * call uses it; this is not checked.
 *
 * <p>Several threads may call every method concurrently, and {@link #close()} at any time: calls in
 * progress finish, later ones throw an {@link IOException} that says "closed". An invalid argument
 * causes an {@link IllegalArgumentException} before any byte is written.
 *
 * <pre>{@code
 * try (ErasureCodec codec = ErasureCodec.create(Code.RS, 6, 3)) {
 *   codec.encode(data, parity);
 *   units[2] = null;
 *   codec.decode(units, new int[] {2}, new ByteBuffer[] {restored});
 * }
 * }</pre>
 */
public interface ErasureCodec extends Closeable {

  /**
   * Creates a codec that uses the native library, or pure Java if the library cannot be loaded;
   * {@link CoderStatus#current()} shows which. Takes microseconds after the first call of the
   * process.
   *
   * @param code the code
   * @param dataUnits number of data units, at least 1
   * @param parityUnits number of parity units, at least 1; exactly 1 for {@link Code#XOR}; with the
   *     data units at most 256, or 255 for {@link Code#RS_LEGACY}
   * @throws IllegalArgumentException if the code does not support these numbers, or if the native
   *     library is used and 1,024 others have been used in this process
   */
  static ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return CodecSelection.create(code, dataUnits, parityUnits);
  }

  /** Returns the code. */
  Code code();

  /** Returns the number of data units. */
  int dataUnits();

  /** Returns the number of parity units. */
  int parityUnits();

  /** Returns whether calls use the native library. */
  boolean isNative();

  /**
   * Computes all parity units.
   *
   * @param data the data units
   * @param parity the parity units to fill
   * @throws IOException if this codec is closed
   */
  void encode(ByteBuffer[] data, ByteBuffer[] parity) throws IOException;

  /**
   * Computes all parity units, with units in arrays.
   *
   * @param data the data units
   * @param dataOffsets the offset of each data unit in its array
   * @param parity the parity units to fill
   * @param parityOffsets the offset of each parity unit in its array
   * @param length bytes of each unit
   * @throws IOException if this codec is closed
   */
  void encode(byte[][] data, int[] dataOffsets, byte[][] parity, int[] parityOffsets, int length)
      throws IOException;

  /**
   * Computes all parity units and, in the same pass, checksums of all data and parity units.
   *
   * @param data the data units
   * @param parity the parity units to fill
   * @param kind the kind of checksum
   * @param bytesPerChecksum bytes that each checksum covers, at least 1; the last of a unit may
   *     cover fewer
   * @param sums receives the checksums unit by unit, data first; its length is (data units + parity
   *     units) times the number of checksums of a unit
   * @throws IOException if this codec is closed
   */
  void encodeWithChecksums(
      ByteBuffer[] data, ByteBuffer[] parity, ChecksumKind kind, int bytesPerChecksum, int[] sums)
      throws IOException;

  /**
   * Computes erased units from at least as many other units as there are data units.
   *
   * @param units all units, data first; null for a unit that is erased or was not read
   * @param erased indices of the units to produce, at most as many as parity units, in any order,
   *     each one null in {@code units}
   * @param outputs one buffer for each of {@code erased}, in that order
   * @throws IllegalArgumentException if fewer units are given than there are data units, more are
   *     erased than there are parity units, or an index is listed twice or that of a given unit
   * @throws IOException if this codec is closed
   */
  void decode(ByteBuffer[] units, int[] erased, ByteBuffer[] outputs) throws IOException;

  /**
   * Computes erased units from at least as many other units as there are data units, with units in
   * arrays.
   *
   * @param units all units, data first; null for a unit that is erased or was not read
   * @param unitOffsets the offset of each unit in its array; ignored where the unit is null
   * @param erased indices of the units to produce, at most as many as parity units, in any order,
   *     each one null in {@code units}
   * @param outputs one array for each of {@code erased}, in that order
   * @param outputOffsets the offset of each output in its array
   * @param length bytes of each unit
   * @throws IllegalArgumentException as for buffers
   * @throws IOException if this codec is closed
   */
  void decode(
      byte[][] units,
      int[] unitOffsets,
      int[] erased,
      byte[][] outputs,
      int[] outputOffsets,
      int length)
      throws IOException;

  /**
   * Checks whether the parity units match the data units.
   *
   * @param units all units, data first; none null
   * @return -1 if they match, else the index among the parity units of the one that differs at the
   *     lowest offset
   * @throws IOException if this codec is closed
   */
  int verify(ByteBuffer[] units) throws IOException;

  /**
   * Checks whether the parity units match the data units, with units in arrays.
   *
   * @param units all units, data first; none null
   * @param unitOffsets the offset of each unit in its array
   * @param length bytes of each unit
   * @return -1 if they match, else the index among the parity units of the one that differs at the
   *     lowest offset
   * @throws IOException if this codec is closed
   */
  int verify(byte[][] units, int[] unitOffsets, int length) throws IOException;

  /**
   * Updates all parity units after one data unit has changed, without reading the other data units.
   *
   * @param dataUnit index of the data unit that changed
   * @param old the previous content of the data unit
   * @param fresh the new content of the data unit
   * @param parity the parity units, which are read and written
   * @throws IOException if this codec is closed
   */
  void update(int dataUnit, ByteBuffer old, ByteBuffer fresh, ByteBuffer[] parity)
      throws IOException;

  /**
   * Updates all parity units after one data unit has changed, with units in arrays.
   *
   * @param dataUnit index of the data unit that changed
   * @param old the previous content of the data unit
   * @param oldOffset the offset of the previous content in its array
   * @param fresh the new content of the data unit
   * @param freshOffset the offset of the new content in its array
   * @param parity the parity units, which are read and written
   * @param parityOffsets the offset of each parity unit in its array
   * @param length bytes of each unit
   * @throws IOException if this codec is closed
   */
  void update(
      int dataUnit,
      byte[] old,
      int oldOffset,
      byte[] fresh,
      int freshOffset,
      byte[][] parity,
      int[] parityOffsets,
      int length)
      throws IOException;

  /** Makes later calls fail; calls in progress finish. Calling it again does nothing. */
  @Override
  void close();
}
