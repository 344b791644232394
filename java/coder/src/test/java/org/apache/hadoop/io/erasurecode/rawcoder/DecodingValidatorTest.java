// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.coder.RsCoderFactory;

/**
 * Tests Hadoop's check of a decode, {@code dfs.datanode.ec.reconstruction.validation}, with
 * Stripeline's decoder.
 */
class DecodingValidatorTest {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void acceptsRightAndRefusesWrongBytes(boolean direct) throws Exception {
    ErasureCoderOptions options = new ErasureCoderOptions(6, 3);
    RawErasureDecoder decoder = new RsCoderFactory().createDecoder(options);
    ByteBuffer[] units = new ByteBuffer[9];
    Random random = new Random(6);
    for (int i = 0; i < 9; i++) {
      units[i] = direct ? ByteBuffer.allocateDirect(1000) : ByteBuffer.allocate(1000);
      byte[] bytes = new byte[1000];
      random.nextBytes(bytes);
      units[i].put(bytes).flip();
    }
    ByteBuffer[] data = Arrays.copyOf(units, 6);
    new RsCoderFactory().createEncoder(options).encode(data, Arrays.copyOfRange(units, 6, 9));
    for (ByteBuffer unit : units) {
      unit.rewind();
    }
    ByteBuffer[] inputs = units.clone();
    inputs[2] = null;
    inputs[4] = null;
    inputs[8] = null;
    ByteBuffer[] outputs = {units[2], units[4]};
    DecodingValidator validator = new DecodingValidator(decoder);
    int[] erased = {2, 4};
    validator.validate(inputs, erased, outputs);
    for (ByteBuffer input : inputs) {
      if (input != null) {
        input.rewind();
      }
    }
    units[4].put(17, (byte) ~units[4].get(17));
    assertThatThrownBy(() -> validator.validate(inputs, erased, outputs))
        .isInstanceOf(InvalidDecodingException.class);
  }
}
