// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.natives.codec.Stripes.Placement;

/** Tests the contract of codecs; every implementation runs all tests. */
public abstract class CodecContractTest {
  protected abstract ErasureCodec create(Code code, int dataUnits, int parityUnits);

  @ParameterizedTest
  @EnumSource(Code.class)
  void goldenVectorsMatch(Code code) throws Exception {
    for (GoldenVectors.Case vector : GoldenVectors.of(code)) {
      for (Placement placement : Placement.values()) {
        check(vector, placement);
      }
    }
  }

  private void check(GoldenVectors.Case vector, Placement placement) throws Exception {
    try (ErasureCodec codec = create(vector.code, vector.dataUnits, vector.parityUnits)) {
      byte[][] data = Arrays.copyOf(vector.units, vector.dataUnits);
      byte[][] parity = Arrays.copyOfRange(vector.units, vector.dataUnits, vector.units.length);
      ByteBuffer[] in = Stripes.place(data, placement, 1);
      ByteBuffer[] out = blank(vector.parityUnits, vector.length, placement);
      codec.encode(in, out);
      assertThat(Stripes.bytes(out)).as("parity of %s", vector).isDeepEqualTo(parity);
      for (ChecksumKind kind : ChecksumKind.values()) {
        int[] expected = kind == ChecksumKind.CRC32C ? vector.crc32c : vector.crc32;
        int[] sums = new int[expected.length];
        ByteBuffer[] summed = blank(vector.parityUnits, vector.length, placement);
        codec.encodeWithChecksums(in, summed, kind, vector.bytesPerChecksum, sums);
        assertThat(Stripes.bytes(summed)).as("parity of %s", vector).isDeepEqualTo(parity);
        assertThat(sums).as("%s of %s", kind, vector).isEqualTo(expected);
      }
      for (int i = 0; i < vector.erased.size(); i++) {
        checkDecode(codec, vector.units, vector.erased.get(i), vector.absent.get(i), placement);
      }
      assertThat(codec.verify(Stripes.place(vector.units, placement, 2))).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "RS,1,1",
    "RS,1,3",
    "RS,2,1",
    "RS,3,2",
    "RS,4,4",
    "RS,6,3",
    "RS_LEGACY,1,2",
    "RS_LEGACY,3,2",
    "RS_LEGACY,6,3",
    "XOR,1,1",
    "XOR,2,1",
    "XOR,5,1"
  })
  void everyErasurePatternOfSmallCodes(Code code, int k, int m) throws Exception {
    Random random = new Random(k * 100 + m);
    byte[][] units = Stripes.stripe(random, code, k, m, 67);
    try (ErasureCodec codec = create(code, k, m)) {
      for (int[] absent : Stripes.subsets(k + m, m)) {
        for (Placement placement : Placement.values()) {
          checkDecode(codec, units, absent, absent, placement);
          int[] shuffled = Stripes.shuffled(absent, random);
          checkDecode(codec, units, shuffled, absent, placement);
          int[] some = Arrays.copyOf(shuffled, 1 + random.nextInt(shuffled.length));
          checkDecode(codec, units, some, absent, placement);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void everyLengthTo300IsSupportedAtChangingAlignment(Placement placement) throws Exception {
    Random random = new Random(300);
    try (ErasureCodec codec = create(Code.RS, 6, 3)) {
      for (int length = 0; length <= 300; length++) {
        byte[][] units = Stripes.stripe(random, Code.RS, 6, 3, length);
        ByteBuffer[] data = Stripes.place(Arrays.copyOf(units, 6), placement, length % 64);
        ByteBuffer[] parity = blank(3, length, placement);
        codec.encode(data, parity);
        assertThat(Stripes.bytes(parity))
            .as("length %d", length)
            .isDeepEqualTo(Arrays.copyOfRange(units, 6, 9));
        assertThat(Stripes.bytes(data)).isDeepEqualTo(Arrays.copyOf(units, 6));
        checkDecode(codec, units, new int[] {8, 0, 3}, new int[] {0, 3, 8}, placement);
        assertThat(codec.verify(Stripes.place(units, placement, length % 7))).isEqualTo(-1);
      }
    }
  }

  @Test
  void everyAlignmentIsSupported() throws Exception {
    Random random = new Random(64);
    byte[][] units = Stripes.stripe(random, Code.RS, 3, 2, 200);
    try (ErasureCodec codec = create(Code.RS, 3, 2)) {
      for (int shift = 0; shift < 64; shift++) {
        ByteBuffer[] parity = Stripes.place(new byte[2][200], Placement.DIRECT, 63 - shift);
        codec.encode(Stripes.place(Arrays.copyOf(units, 3), Placement.DIRECT, shift), parity);
        assertThat(Stripes.bytes(parity)).isDeepEqualTo(Arrays.copyOfRange(units, 3, 5));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void longUnitsCrossEveryBlockAndSlice(Placement placement) throws Exception {
    int length = (1 << 20) + 13;
    byte[][] units = Stripes.stripe(new Random(20), Code.RS, 10, 4, length);
    try (ErasureCodec codec = create(Code.RS, 10, 4)) {
      ByteBuffer[] parity = blank(4, length, placement);
      codec.encode(Stripes.place(Arrays.copyOf(units, 10), placement, 5), parity);
      assertThat(Stripes.bytes(parity)).isDeepEqualTo(Arrays.copyOfRange(units, 10, 14));
      int[] lost = {9, 2, 13, 0};
      checkDecode(codec, units, lost, lost, placement);
    }
  }

  @Test
  void arraysWithOffsetsAreSupported() throws Exception {
    byte[][] units = Stripes.stripe(new Random(7), Code.RS_LEGACY, 4, 2, 90);
    byte[] data = new byte[5 + 4 * 90];
    byte[] parity = new byte[2 * 90 + 3];
    for (int i = 0; i < 4; i++) {
      System.arraycopy(units[i], 0, data, 5 + 90 * i, 90);
    }
    try (ErasureCodec codec = create(Code.RS_LEGACY, 4, 2)) {
      // Adjacent units in one array do not overlap.
      codec.encode(
          new byte[][] {data, data, data, data},
          new int[] {5, 95, 185, 275},
          new byte[][] {parity, parity},
          new int[] {0, 93},
          90);
      assertThat(Arrays.copyOf(parity, 90)).isEqualTo(units[4]);
      assertThat(Arrays.copyOfRange(parity, 90, 93)).containsOnly(0);
      assertThat(Arrays.copyOfRange(parity, 93, 183)).isEqualTo(units[5]);
      byte[] restored = new byte[100];
      codec.decode(
          new byte[][] {data, null, data, data, parity, null},
          new int[] {5, 0, 185, 275, 0, 0},
          new int[] {1},
          new byte[][] {restored},
          new int[] {10},
          90);
      assertThat(Arrays.copyOfRange(restored, 10, 100)).isEqualTo(units[1]);
      assertThat(
              codec.verify(
                  new byte[][] {data, data, data, data, parity, parity},
                  new int[] {5, 95, 185, 275, 0, 93},
                  90))
          .isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void oneBufferMayBeSeveralInputs(Placement placement) throws Exception {
    byte[] zero = new byte[100];
    byte[] unit = Stripes.randomUnits(new Random(1), 1, 100)[0];
    ByteBuffer shared = Stripes.place(unit, placement, 0);
    ByteBuffer[] parity = blank(1, 100, placement);
    try (ErasureCodec codec = create(Code.XOR, 2, 1)) {
      codec.encode(new ByteBuffer[] {shared, shared}, parity);
      assertThat(Stripes.bytes(parity[0])).isEqualTo(zero);
    }
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void verifyFindsAnyChangedByte(Placement placement) throws Exception {
    Random random = new Random(11);
    byte[][] units = Stripes.stripe(random, Code.RS, 6, 3, 5000);
    try (ErasureCodec codec = create(Code.RS, 6, 3)) {
      for (int i = 0; i < 200; i++) {
        int unit = random.nextInt(9);
        ByteBuffer[] stripe = Stripes.place(units, placement, i % 9);
        ByteBuffer changed = stripe[unit];
        int at = changed.position() + (i < 3 ? 4999 : random.nextInt(5000));
        changed.put(at, (byte) (changed.get(at) ^ (1 << random.nextInt(8))));
        int found = codec.verify(stripe);
        // A changed data unit affects every parity unit; the lowest index is returned.
        assertThat(found).isEqualTo(unit < 6 ? 0 : unit - 6);
      }
      ByteBuffer[] twice = Stripes.place(units, placement, 0);
      twice[6].put(twice[6].position() + 4000, (byte) ~units[6][4000]);
      twice[8].put(twice[8].position() + 20, (byte) ~units[8][20]);
      assertThat(codec.verify(twice)).as("lowest offset first").isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(Code.class)
  void updateComputesTheParityThatEncodeComputes(Code code) throws Exception {
    Random random = new Random(13);
    int m = code == Code.XOR ? 1 : 3;
    for (Placement placement : Placement.values()) {
      for (int length : new int[] {0, 1, 63, 64, 65, 1000, 300_000}) {
        byte[][] before = Stripes.stripe(random, code, 6, m, length);
        int unit = random.nextInt(6);
        byte[][] after = before.clone();
        after[unit] = Stripes.randomUnits(random, 1, length)[0];
        byte[][] expected = new byte[m][length];
        new JavaCodec(code, 6, m)
            .encode(Arrays.copyOf(after, 6), new int[6], expected, new int[m], length);
        ByteBuffer[] parity = Stripes.place(Arrays.copyOfRange(before, 6, 6 + m), placement, 1);
        try (ErasureCodec codec = create(code, 6, m)) {
          codec.update(
              unit,
              Stripes.place(before[unit], placement, 3),
              Stripes.place(after[unit], placement, 4),
              parity);
          assertThat(Stripes.bytes(parity)).isDeepEqualTo(expected);
          byte[][] arrays = Arrays.copyOfRange(before, 6, 6 + m);
          codec.update(unit, before[unit], 0, after[unit], 0, arrays, new int[m], length);
          assertThat(arrays).isDeepEqualTo(expected);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Placement.class)
  void checksumsCoverShortAndLongChunks(Placement placement) throws Exception {
    Random random = new Random(17);
    try (ErasureCodec codec = create(Code.RS, 3, 2)) {
      for (int bytesPerChecksum : new int[] {1, 7, 512, 1000, 5000, Integer.MAX_VALUE}) {
        for (int length : new int[] {1, 511, 512, 513, 4096}) {
          byte[][] units = Stripes.stripe(random, Code.RS, 3, 2, length);
          int count = (int) (((long) length + bytesPerChecksum - 1) / bytesPerChecksum);
          for (ChecksumKind kind : ChecksumKind.values()) {
            int[] sums = new int[5 * count];
            codec.encodeWithChecksums(
                Stripes.place(Arrays.copyOf(units, 3), placement, 0),
                blank(2, length, placement),
                kind,
                bytesPerChecksum,
                sums);
            for (int i = 0; i < sums.length; i++) {
              int from = (int) Math.min((long) i % count * bytesPerChecksum, length);
              int to = (int) Math.min((long) from + bytesPerChecksum, length);
              Checksum crc = kind == ChecksumKind.CRC32C ? new CRC32C() : new CRC32();
              crc.update(units[i / count], from, to - from);
              assertThat(sums[i]).isEqualTo((int) crc.getValue());
            }
          }
        }
      }
    }
  }

  @Test
  void positionsAndLimitsDoNotChange() throws Exception {
    byte[][] units = Stripes.stripe(new Random(19), Code.RS, 2, 1, 50);
    for (Placement placement : Placement.values()) {
      ByteBuffer[] data = Stripes.place(Arrays.copyOf(units, 2), placement, 0);
      ByteBuffer[] parity = blank(1, 50, placement);
      int position = parity[0].position();
      try (ErasureCodec codec = create(Code.RS, 2, 1)) {
        codec.encode(data, parity);
      }
      assertThat(parity[0].position()).isEqualTo(position);
      assertThat(parity[0].remaining()).isEqualTo(50);
      assertThat(data[1].remaining()).isEqualTo(50);
    }
  }

  @Test
  void closedCodecRefusesEveryCall() throws Exception {
    ErasureCodec codec = create(Code.RS, 2, 1);
    codec.close();
    codec.close();
    ByteBuffer[] data = blank(2, 8, Placement.DIRECT);
    ByteBuffer[] parity = blank(1, 8, Placement.DIRECT);
    ByteBuffer[] units = {data[0], data[1], parity[0]};
    assertThatThrownBy(() -> codec.encode(data, parity))
        .isInstanceOf(EcException.class)
        .hasMessage("Cannot encode: codec rs 2+1 is closed");
    assertThatThrownBy(() -> codec.decode(units, new int[0], new ByteBuffer[0]))
        .isInstanceOf(EcException.class)
        .hasMessage("Cannot decode: codec rs 2+1 is closed");
    assertThatThrownBy(() -> codec.verify(units)).hasMessageContaining("closed");
    assertThatThrownBy(() -> codec.update(0, data[0], data[1], parity))
        .hasMessageContaining("closed");
    assertThatThrownBy(
            () -> codec.encodeWithChecksums(data, parity, ChecksumKind.CRC32, 8, new int[3]))
        .hasMessageContaining("closed");
    assertThatThrownBy(
            () -> codec.encode(new byte[2][8], new int[2], new byte[1][8], new int[1], 8))
        .hasMessageContaining("closed");
  }

  public static ByteBuffer[] blank(int count, int length, Placement placement) {
    return Stripes.place(new byte[count][length], placement, 2);
  }

  private static void checkDecode(
      ErasureCodec codec, byte[][] units, int[] erased, int[] absent, Placement placement)
      throws Exception {
    byte[][] given = units.clone();
    byte[][] expected = new byte[erased.length][];
    for (int index : absent) {
      given[index] = null;
    }
    for (int i = 0; i < erased.length; i++) {
      expected[i] = units[erased[i]];
    }
    ByteBuffer[] in = Stripes.place(given, placement, 1);
    ByteBuffer[] out = blank(erased.length, units[0].length, placement);
    codec.decode(in, erased, out);
    assertThat(Stripes.bytes(out))
        .as("%s erased %s absent %s", codec, Arrays.toString(erased), Arrays.toString(absent))
        .isDeepEqualTo(expected);
    assertThat(Stripes.bytes(in)).isDeepEqualTo(given);
  }
}
