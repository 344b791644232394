// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/**
 * Tests our coder: compares parity with known answers and with Hadoop's Java coder, and decoded
 * units with the originals for every erasure pattern, in arrays and direct buffers.
 */
final class SelfTest {
  /** Not a multiple of any vector width, so that the kernels and their tails are both tested. */
  private static final int UNIT_BYTES = 1000;

  private final DoctorReport.SelfTest report;

  SelfTest(DoctorReport.SelfTest report) {
    this.report = report;
  }

  /**
   * Tests one code.
   *
   * @param codec name of the code
   * @param dataUnits data units
   * @param parityUnits parity units
   * @param javaCoder Hadoop's own coder to compare with
   * @param parityCrc CRC-32 of all parity units one after the other, computed from the matrices in
   *     vectors/ independently of our coders
   */
  void test(String codec, int dataUnits, int parityUnits, String javaCoder, int parityCrc) {
    String name = codec + " " + dataUnits + "+" + parityUnits;
    try {
      ErasureCoderOptions options = new ErasureCoderOptions(dataUnits, parityUnits);
      RawErasureCoderFactory ours = factory(codec, CoderResolution.OURS);
      byte[][] data = data(dataUnits);
      byte[][] parity = encode(ours, options, data);

      CRC32 crc = new CRC32();
      for (byte[] unit : parity) {
        crc.update(unit, 0, unit.length);
      }
      report.knownAnswers++;
      if ((int) crc.getValue() != parityCrc) {
        report.failures.add(name + ": parity differs from the known answer");
      }
      report.comparisons++;
      if (!Arrays.deepEquals(parity, encode(factory(codec, javaCoder), options, data))) {
        report.failures.add(name + ": parity differs from " + javaCoder);
      }
      decodeAll(name, ours.createDecoder(options), data, parity);
    } catch (Exception | LinkageError e) {
      report.failures.add(name + ": " + e);
    }
  }

  private static RawErasureCoderFactory factory(String codec, String coder) throws IOException {
    RawErasureCoderFactory factory = CodecRegistry.getInstance().getCoderByName(codec, coder);
    if (factory == null) {
      throw new IOException("coder " + coder + " is not on the class path");
    }
    return factory;
  }

  private static byte[][] data(int units) {
    byte[][] data = new byte[units][UNIT_BYTES];
    for (int unit = 0; unit < units; unit++) {
      for (int i = 0; i < UNIT_BYTES; i++) {
        data[unit][i] = (byte) (unit * 31 + i * 7 + 1);
      }
    }
    return data;
  }

  private static byte[][] encode(
      RawErasureCoderFactory factory, ErasureCoderOptions options, byte[][] data)
      throws IOException {
    RawErasureEncoder encoder = factory.createEncoder(options);
    try {
      byte[][] parity = new byte[options.getNumParityUnits()][UNIT_BYTES];
      byte[][] copy = new byte[data.length][];
      for (int unit = 0; unit < data.length; unit++) {
        // Some of Hadoop's own coders modify their inputs.
        copy[unit] = data[unit].clone();
      }
      encoder.encode(copy, parity);
      return parity;
    } finally {
      encoder.release();
    }
  }

  private void decodeAll(String name, RawErasureDecoder decoder, byte[][] data, byte[][] parity)
      throws IOException {
    byte[][] units = Arrays.copyOf(data, data.length + parity.length);
    System.arraycopy(parity, 0, units, data.length, parity.length);
    try {
      for (int lost = 1; lost < 1 << units.length; lost++) {
        if (Integer.bitCount(lost) <= parity.length) {
          int[] erased = positions(lost);
          report.patterns++;
          if (!decodesArrays(decoder, units, erased) || !decodesDirect(decoder, units, erased)) {
            report.failures.add(name + ": wrong bytes for lost units " + Arrays.toString(erased));
          }
        }
      }
    } finally {
      decoder.release();
    }
  }

  private static int[] positions(int bits) {
    int[] positions = new int[Integer.bitCount(bits)];
    int count = 0;
    for (int unit = 0; unit < Integer.SIZE; unit++) {
      if ((bits >>> unit & 1) == 1) {
        positions[count++] = unit;
      }
    }
    return positions;
  }

  private static boolean decodesArrays(RawErasureDecoder decoder, byte[][] units, int[] erased)
      throws IOException {
    byte[][] inputs = units.clone();
    byte[][] outputs = new byte[erased.length][UNIT_BYTES];
    for (int unit : erased) {
      inputs[unit] = null;
    }
    decoder.decode(inputs, erased, outputs);
    for (int i = 0; i < erased.length; i++) {
      if (!Arrays.equals(outputs[i], units[erased[i]])) {
        return false;
      }
    }
    return true;
  }

  private static boolean decodesDirect(RawErasureDecoder decoder, byte[][] units, int[] erased)
      throws IOException {
    ByteBuffer[] inputs = new ByteBuffer[units.length];
    ByteBuffer[] outputs = new ByteBuffer[erased.length];
    for (int unit = 0; unit < units.length; unit++) {
      inputs[unit] = ByteBuffer.allocateDirect(UNIT_BYTES);
      inputs[unit].put(units[unit]);
      inputs[unit].flip();
    }
    for (int i = 0; i < erased.length; i++) {
      inputs[erased[i]] = null;
      outputs[i] = ByteBuffer.allocateDirect(UNIT_BYTES);
    }
    decoder.decode(inputs, erased, outputs);
    for (int i = 0; i < erased.length; i++) {
      if (!outputs[i].equals(ByteBuffer.wrap(units[erased[i]]))) {
        return false;
      }
    }
    return true;
  }
}
