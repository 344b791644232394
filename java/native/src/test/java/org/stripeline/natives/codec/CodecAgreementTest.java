// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.codec.Stripes.Placement;
import org.stripeline.natives.library.NeedsNativeLibrary;

/**
 * Tests that the native and the Java codec produce the same bytes for random codes, including the
 * largest.
 */
@NeedsNativeLibrary
class CodecAgreementTest {
  private static final int CODES = 120;

  @Test
  void randomCodesAgree() throws Exception {
    compareRandomCodes(CODES);
  }

  /** Compares the codecs for random codes; also run in a separate JVM for every instruction set. */
  static void compareRandomCodes(int codes) throws Exception {
    for (int seed = 0; seed < codes; seed++) {
      compare(new Random(seed), seed);
    }
  }

  private static void compare(Random random, int seed) throws Exception {
    Code code = Code.values()[random.nextInt(3)];
    int unitsMax = code == Code.RS_LEGACY ? 255 : 256;
    // Half of the codes are small, as in HDFS; the first few have the maximum size.
    int all = seed < 6 ? unitsMax : 2 + random.nextInt(random.nextBoolean() ? 20 : unitsMax - 1);
    int m = code == Code.XOR ? 1 : 1 + random.nextInt(Math.min(all - 1, seed < 6 ? all - 1 : 20));
    int k = all - m;
    int length = 1 + random.nextInt(700);
    String label = "seed " + seed + ": " + code + " " + k + "+" + m + " x " + length;
    Placement placement = Placement.values()[random.nextInt(2)];
    byte[][] units = Stripes.stripe(random, code, k, m, length);
    ErasureCodec codec = new NativeCodec(code, k, m);
    ErasureCodec reference = new JavaCodec(code, k, m);

    ByteBuffer[] parity = CodecContractTest.blank(m, length, placement);
    codec.encode(Stripes.place(Arrays.copyOf(units, k), placement, random.nextInt(64)), parity);
    assertThat(Stripes.bytes(parity)).as(label).isDeepEqualTo(Arrays.copyOfRange(units, k, all));
    assertThat(codec.verify(Stripes.place(units, placement, 0))).as(label).isEqualTo(-1);

    int[] absent =
        Arrays.copyOf(Stripes.shuffled(Stripes.range(0, all), random), 1 + random.nextInt(m));
    int[] erased = Arrays.copyOf(absent, 1 + random.nextInt(absent.length));
    byte[][] given = units.clone();
    for (int unit : absent) {
      given[unit] = null;
    }
    for (ErasureCodec each : new ErasureCodec[] {codec, reference}) {
      ByteBuffer[] outputs = CodecContractTest.blank(erased.length, length, placement);
      each.decode(Stripes.place(given, placement, random.nextInt(64)), erased, outputs);
      for (int i = 0; i < erased.length; i++) {
        assertThat(Stripes.bytes(outputs[i])).as(label).isEqualTo(units[erased[i]]);
      }
    }
  }
}
