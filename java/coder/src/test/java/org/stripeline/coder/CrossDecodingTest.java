// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that Stripeline's coders decode what Hadoop's pure-Java coders encode, and vice versa.
 *
 * <p>Erasures are in ascending order: rs_java before 3.5.0, and rs-legacy_java in every version,
 * produce wrong bytes for some other orders. Stripeline accepts them in any order, which {@code
 * CodecContractTest} tests.
 */
class CrossDecodingTest {
  @ParameterizedTest
  @CsvSource({
    "RS,3,2,101",
    "RS,6,3,1024",
    "RS,10,4,77",
    "RS,12,4,64",
    "RS,17,3,200",
    "RS_LEGACY,3,2,99",
    "RS_LEGACY,6,3,1024",
    "RS_LEGACY,10,4,50",
    "XOR,2,1,333",
    "XOR,10,1,64"
  })
  void bothDirections(Coders coders, int k, int m, int length) throws Exception {
    Random random = new Random(k * 1000 + m);
    byte[][] data = Coders.randomUnits(random, k, length);
    ErasureCoderOptions options = new ErasureCoderOptions(k, m);
    byte[][] hadoops = new byte[m][length];
    coders.hadoops.createEncoder(options).encode(copy(data), hadoops);
    for (boolean direct : new boolean[] {false, true}) {
      ByteBuffer[] parity = Coders.buffers(new byte[m][length], direct);
      coders.ours.createEncoder(options).encode(Coders.buffers(data, direct), parity);
      assertThat(Coders.bytes(parity)).isDeepEqualTo(hadoops);
    }
    byte[][] ours = new byte[m][length];
    coders.ours.createEncoder(options).encode(data, ours);
    assertThat(ours).isDeepEqualTo(hadoops);

    byte[][] units = Arrays.copyOf(data, k + m);
    System.arraycopy(hadoops, 0, units, k, m);
    RawErasureDecoder ourDecoder = coders.ours.createDecoder(options);
    RawErasureDecoder hadoopsDecoder = coders.hadoops.createDecoder(options);
    for (int[] absent : patterns(k + m, m, random)) {
      decode(ourDecoder, units, absent);
      decode(hadoopsDecoder, units, absent);
    }
  }

  private static void decode(RawErasureDecoder decoder, byte[][] units, int[] absent)
      throws Exception {
    byte[][] expected = new byte[absent.length][];
    for (int i = 0; i < absent.length; i++) {
      expected[i] = units[absent[i]];
    }
    for (boolean direct : new boolean[] {false, true}) {
      ByteBuffer[] outputs = Coders.buffers(new byte[absent.length][units[0].length], direct);
      decoder.decode(Coders.buffers(Coders.without(units, absent), direct), absent, outputs);
      assertThat(Coders.bytes(outputs))
          .as("%s without %s", decoder.getClass(), Arrays.toString(absent))
          .isDeepEqualTo(expected);
    }
    byte[][] outputs = new byte[absent.length][units[0].length];
    decoder.decode(copy(Coders.without(units, absent)), absent, outputs);
    assertThat(outputs).isDeepEqualTo(expected);
  }

  /** Returns all patterns of small codes, and a random sample of those of large codes. */
  private static List<int[]> patterns(int units, int erasuresMax, Random random) {
    List<int[]> patterns = new ArrayList<>();
    for (int mask = 1; mask < 1 << units; mask++) {
      boolean sampled = units <= 9 || random.nextInt(1 << (units - 9)) == 0;
      if (Integer.bitCount(mask) <= erasuresMax && (sampled || Integer.bitCount(mask) == 1)) {
        int chosen = mask;
        int[] pattern = new int[Integer.bitCount(mask)];
        for (int i = 0; i < pattern.length; i++) {
          pattern[i] = Integer.numberOfTrailingZeros(chosen);
          chosen &= chosen - 1;
        }
        patterns.add(pattern);
      }
    }
    return patterns;
  }

  /**
   * Copies the inputs, because Hadoop's legacy coder writes into the arrays of its inputs in some
   * paths.
   */
  private static byte[][] copy(byte[][] units) {
    byte[][] copy = new byte[units.length][];
    for (int i = 0; i < units.length; i++) {
      copy[i] = units[i] == null ? null : units[i].clone();
    }
    return copy;
  }
}
