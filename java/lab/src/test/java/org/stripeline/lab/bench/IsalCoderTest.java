// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.IsalCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Checks that the benchmark's ISA-L coder gives the same results as Hadoop's coder. */
class IsalCoderTest {
  private static final int UNIT_BYTES = 1000;

  @BeforeAll
  static void needsIsal() {
    assumeTrue(IsalCoderFactory.absence() == null, IsalCoderFactory.absence());
  }

  @Test
  void codesLikeHadoop() throws IOException {
    assertThat(CoderCheck.findFault(new IsalCoderFactory(), true, 6, 3)).isNull();
    assertThat(CoderCheck.findFault(new IsalCoderFactory(), true, 10, 4)).isNull();
  }

  @Test
  void decodesDataAndParityOfEveryPattern() throws IOException {
    ErasureCoderOptions options = new ErasureCoderOptions(3, 2);
    ByteBuffer[] units = encoded(new RSRawErasureCoderFactory(), options);
    for (int lost = 1; lost < 1 << 5; lost++) {
      if (Integer.bitCount(lost) <= 2) {
        ByteBuffer[] inputs = new ByteBuffer[5];
        int[] erased = new int[Integer.bitCount(lost)];
        ByteBuffer[] outputs = new ByteBuffer[erased.length];
        for (int unit = 0, next = 0; unit < 5; unit++) {
          if ((lost >> unit & 1) == 1) {
            erased[next] = unit;
            outputs[next++] = ByteBuffer.allocateDirect(UNIT_BYTES);
          } else {
            inputs[unit] = units[unit].duplicate();
          }
        }
        new IsalCoderFactory().createDecoder(options).decode(inputs, erased, outputs);
        for (int i = 0; i < erased.length; i++) {
          assertThat(outputs[i])
              .as("pattern %d, unit %d", lost, erased[i])
              .isEqualTo(units[erased[i]]);
        }
      }
    }
  }

  private static ByteBuffer[] encoded(RawErasureCoderFactory factory, ErasureCoderOptions options)
      throws IOException {
    Random random = new Random(5);
    byte[][] data = new byte[options.getNumDataUnits()][UNIT_BYTES];
    byte[][] parity = new byte[options.getNumParityUnits()][UNIT_BYTES];
    for (byte[] unit : data) {
      random.nextBytes(unit);
    }
    ByteBuffer[] units = new ByteBuffer[options.getNumAllUnits()];
    for (int unit = 0; unit < data.length; unit++) {
      units[unit] = direct(data[unit]);
    }
    RawErasureEncoder encoder = factory.createEncoder(options);
    encoder.encode(data, parity);
    for (int unit = 0; unit < parity.length; unit++) {
      units[data.length + unit] = direct(parity[unit]);
    }
    return units;
  }

  private static ByteBuffer direct(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
    buffer.put(bytes).flip();
    return buffer;
  }
}
