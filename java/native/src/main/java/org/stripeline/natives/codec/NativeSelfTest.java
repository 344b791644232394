// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * The tests that the native library must pass before it is used: the version of its interface, and
 * known answers.
 *
 * <p>A damaged library, or one that triggers a processor fault, must not write a wrong byte to
 * HDFS. The expected values are constants and not computed by the Java codec at run time; tests
 * compare them with that codec, and that codec with golden vectors and Hadoop's own coders.
 */
final class NativeSelfTest {
  private static final int DATA_UNITS = 6;
  private static final int PARITY_UNITS = 3;

  /** Longer than one step of every kernel, and not a multiple of any. */
  private static final int LENGTH = 331;

  /** CRC-32 of each of the three parity units. */
  private static final int[] PARITY_CRC32 = {0xe630632e, 0xe96de0ef, 0x5e1ff867};

  private NativeSelfTest() {}

  /**
   * Checks the version, then encodes and decodes known bytes, from arrays and from direct buffers.
   *
   * @param origin the origin of the library, for the message
   * @throws IOException if the version or a result differs from the expected one
   */
  static void run(String origin) throws IOException {
    checkInterface(origin);
    run(new NativeCodec(Code.RS, DATA_UNITS, PARITY_UNITS));
  }

  private static void checkInterface(String origin) throws IOException {
    int version;
    try {
      version = NativeBridge.abiVersion();
    } catch (UnsatisfiedLinkError e) {
      throw new IOException(
          "Cannot use native library "
              + origin
              + ": it is not Stripeline's ("
              + e.getMessage()
              + ")",
          e);
    }
    if (version != NativeBridge.ABI_VERSION) {
      throw new IOException(
          "Cannot use native library "
              + origin
              + ": its interface version is "
              + version
              + ", but this jar needs "
              + NativeBridge.ABI_VERSION);
    }
  }

  static void run(ErasureCodec codec) throws IOException {
    byte[][] units = new byte[DATA_UNITS + PARITY_UNITS][LENGTH];
    for (int i = 0; i < DATA_UNITS; i++) {
      units[i] = dataUnit(i);
    }
    byte[][] data = Arrays.copyOf(units, DATA_UNITS);
    byte[][] parity = Arrays.copyOfRange(units, DATA_UNITS, units.length);
    codec.encode(data, new int[DATA_UNITS], parity, new int[PARITY_UNITS], LENGTH);
    checkParity(parity, "arrays");

    ByteBuffer[] directData = direct(data);
    ByteBuffer[] directParity = direct(new byte[PARITY_UNITS][LENGTH]);
    codec.encode(directData, directParity);
    checkParity(arrays(directParity), "direct buffers");

    // One parity unit and one data unit, not sorted.
    int[] erased = {7, 1};
    byte[][] remaining = units.clone();
    remaining[7] = null;
    remaining[1] = null;
    byte[][] restored = new byte[erased.length][LENGTH];
    codec.decode(remaining, new int[units.length], erased, restored, new int[2], LENGTH);
    checkRestored(units, erased, restored, "arrays");

    ByteBuffer[] directRestored = direct(new byte[erased.length][LENGTH]);
    codec.decode(direct(remaining), erased, directRestored);
    checkRestored(units, erased, arrays(directRestored), "direct buffers");
  }

  /** Returns the bytes of a data unit; also used by tests. */
  static byte[] dataUnit(int index) {
    byte[] unit = new byte[LENGTH];
    for (int j = 0; j < LENGTH; j++) {
      unit[j] = (byte) (j * (2 * index + 7) + 31 * index + (j >>> 3));
    }
    return unit;
  }

  private static void checkParity(byte[][] parity, String kind) throws IOException {
    for (int i = 0; i < parity.length; i++) {
      CRC32 crc = new CRC32();
      crc.update(parity[i], 0, LENGTH);
      if ((int) crc.getValue() != PARITY_CRC32[i]) {
        throw new IOException(
            String.format(
                "Cannot use native library: its self-test computed a wrong parity unit %d from %s"
                    + " (CRC-32 0x%08x instead of 0x%08x)",
                i, kind, crc.getValue(), PARITY_CRC32[i]));
      }
    }
  }

  private static void checkRestored(byte[][] units, int[] erased, byte[][] restored, String kind)
      throws IOException {
    for (int i = 0; i < erased.length; i++) {
      if (!Arrays.equals(units[erased[i]], restored[i])) {
        throw new IOException(
            "Cannot use native library: its self-test restored unit "
                + erased[i]
                + " wrongly from "
                + kind);
      }
    }
  }

  private static ByteBuffer[] direct(byte[][] arrays) {
    ByteBuffer[] buffers = new ByteBuffer[arrays.length];
    for (int i = 0; i < arrays.length; i++) {
      if (arrays[i] != null) {
        buffers[i] = ByteBuffer.allocateDirect(LENGTH);
        buffers[i].put(arrays[i]).rewind();
      }
    }
    return buffers;
  }

  private static byte[][] arrays(ByteBuffer[] buffers) {
    byte[][] arrays = new byte[buffers.length][LENGTH];
    for (int i = 0; i < buffers.length; i++) {
      buffers[i].duplicate().get(arrays[i]);
    }
    return arrays;
  }
}
