// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/** Checks a coder's output before it is timed: Hadoop's benchmark checks none. */
public final class CoderCheck {
  /** Not a multiple of a vector or a word, so that the ends of cells are tested too. */
  private static final int CELL_BYTES = 4099;

  private CoderCheck() {}

  /** Returns why a coder that only a checkout's test classes have cannot be used, or null. */
  public static String absence(String coder) {
    return CodecRegistry.getInstance().getCoderByName("rs", coder) == null
        ? "its coder is in java/lab/target/test-classes only; name that folder in"
            + " STRIPELINE_CLASSPATH"
        : null;
  }

  /**
   * Encodes a random stripe, erases the maximum number of data units and decodes them.
   *
   * @return a description of the fault, or null
   */
  static String findFault(RawErasureCoderFactory factory, boolean likeRsJava, int data, int parity)
      throws IOException {
    ErasureCoderOptions options = new ErasureCoderOptions(data, parity);
    RawErasureEncoder encoder = factory.createEncoder(options);
    ByteBuffer[] units = allocate(data + parity, encoder.preferDirectBuffer());
    fill(units, data);
    encode(encoder, units, data);
    encoder.release();
    String fault = likeRsJava ? compareWithRsJava(options, units) : null;
    if (fault != null) {
      return fault;
    }
    RawErasureDecoder decoder = factory.createDecoder(options);
    fault = decodeAndCompare(decoder, units, data, parity);
    decoder.release();
    return fault;
  }

  private static String compareWithRsJava(ErasureCoderOptions options, ByteBuffer[] units)
      throws IOException {
    int data = options.getNumDataUnits();
    ByteBuffer[] expected = allocate(units.length, false);
    fill(expected, data);
    RawErasureEncoder judge = new RSRawErasureCoderFactory().createEncoder(options);
    encode(judge, expected, data);
    judge.release();
    for (int unit = data; unit < units.length; unit++) {
      if (!units[unit].equals(expected[unit])) {
        return "unit " + unit + " differs from rs_java's";
      }
    }
    return null;
  }

  private static String decodeAndCompare(
      RawErasureDecoder decoder, ByteBuffer[] units, int data, int parity) throws IOException {
    int lost = Math.min(data, parity);
    int[] erased = new int[lost];
    ByteBuffer[] inputs = units.clone();
    for (int unit = 0; unit < lost; unit++) {
      erased[unit] = unit;
      inputs[unit] = null;
    }
    ByteBuffer[] outputs = allocate(lost, decoder.preferDirectBuffer());
    decoder.decode(inputs, erased, outputs);
    for (int unit = 0; unit < lost; unit++) {
      if (!outputs[unit].equals(units[unit])) {
        return "decoded unit " + unit + " differs from what was encoded";
      }
    }
    return null;
  }

  private static void encode(RawErasureEncoder encoder, ByteBuffer[] units, int data)
      throws IOException {
    ByteBuffer[] inputs = Arrays.copyOf(units, data);
    ByteBuffer[] outputs = Arrays.copyOfRange(units, data, units.length);
    encoder.encode(inputs, outputs);
    for (ByteBuffer unit : units) {
      unit.clear();
    }
  }

  private static void fill(ByteBuffer[] units, int data) {
    Random random = new Random(1);
    byte[] cell = new byte[CELL_BYTES];
    for (int unit = 0; unit < data; unit++) {
      random.nextBytes(cell);
      units[unit].put(cell);
      units[unit].clear();
    }
  }

  private static ByteBuffer[] allocate(int count, boolean direct) {
    ByteBuffer[] buffers = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      buffers[i] = direct ? ByteBuffer.allocateDirect(CELL_BYTES) : ByteBuffer.allocate(CELL_BYTES);
    }
    return buffers;
  }
}
