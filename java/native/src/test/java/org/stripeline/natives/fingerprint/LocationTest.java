// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.fingerprint.Location.Verdict;

/** Tests which units are found wrong, against a search that tries every set. */
class LocationTest {
  private final Random random = new Random(80);

  @Test
  void everyErrorSetOfSmallCodes() throws IOException {
    Object[][] shapes = {
      {Code.XOR, 2, 1}, {Code.RS, 3, 2}, {Code.RS_LEGACY, 2, 3}, {Code.RS, 2, 4}, {Code.RS, 1, 1}
    };
    for (Object[] shape : shapes) {
      int k = (int) shape[1];
      int m = (int) shape[2];
      try (ErasureCodec codec = ErasureCodec.create((Code) shape[0], k, m)) {
        for (int columns : new int[] {1, 5}) {
          byte[][] sound = stripe(codec, columns);
          int sets = 1 << (k + m);
          for (int missing = 0; missing < sets; missing++) {
            for (int wrong = 0; wrong < sets; wrong++) {
              if (Integer.bitCount(missing) <= m && (missing & wrong) == 0) {
                check(codec, sound, missing, wrong, false);
                check(codec, sound, missing, wrong, true);
              }
            }
          }
        }
      }
    }
  }

  /**
   * Damages the units of one set, each in its own way or all in the same, and checks the location.
   */
  private void check(
      ErasureCodec codec, byte[][] sound, int missing, int wrong, boolean isSameDamage)
      throws IOException {
    byte[][] units = new byte[sound.length][];
    byte[] damage = new byte[sound[0].length];
    random.nextBytes(damage);
    for (int unit = 0; unit < units.length; unit++) {
      if ((missing >> unit & 1) == 1) {
        continue;
      }
      units[unit] = sound[unit].clone();
      if ((wrong >> unit & 1) == 1) {
        if (!isSameDamage) {
          random.nextBytes(damage);
        }
        damage[0] |= 2;
        for (int i = 0; i < damage.length; i++) {
          units[unit][i] ^= damage[i];
        }
      }
    }
    Location found = Location.of(codec, units);
    String what = codec + " missing " + missing + " wrong " + wrong + ": " + found;
    int m = codec.parityUnits();
    int lost = Integer.bitCount(missing);
    int errors = Integer.bitCount(wrong);
    if (lost == m) {
      assertThat(found.verdict()).as(what).isEqualTo(Verdict.UNCHECKED);
      return;
    }
    if (errors == 0) {
      assertThat(found.verdict()).as(what).isEqualTo(Verdict.CONSISTENT);
    } else if (2 * errors + lost <= m) {
      assertThat(found.verdict()).as(what).isEqualTo(Verdict.LOCATED);
      assertThat(setOf(found)).as(what).isEqualTo(wrong);
    } else if (errors + lost <= m) {
      assertThat(found.verdict()).as(what).isNotEqualTo(Verdict.CONSISTENT);
    }
    assertThat(found.toString()).as(what).isEqualTo(expected(codec, units, m - lost).toString());
  }

  /**
   * Returns the right location, by trying every set of present units in the order of their size.
   */
  private static Location expected(ErasureCodec codec, byte[][] units, int equations)
      throws IOException {
    for (int size = 0; size < equations; size++) {
      int candidates = 0;
      boolean isExplained = false;
      for (int set = 0; set < 1 << units.length; set++) {
        if (Integer.bitCount(set) == size && isConsistentWithout(codec, units, set)) {
          candidates |= set;
          isExplained = true;
        }
      }
      if (isExplained) {
        Verdict verdict =
            size == 0
                ? Verdict.CONSISTENT
                : 2 * size <= equations ? Verdict.LOCATED : Verdict.UNLOCATED;
        long[] bits = {candidates};
        return new Location(verdict, BitSet.valueOf(bits).stream().toArray(), size);
      }
    }
    return new Location(Verdict.UNLOCATED, new int[0], equations);
  }

  private static boolean isConsistentWithout(ErasureCodec codec, byte[][] units, int set)
      throws IOException {
    byte[][] whole = units.clone();
    int length = 0;
    int lost = 0;
    for (int unit = 0; unit < whole.length; unit++) {
      length = Math.max(length, whole[unit] == null ? 0 : whole[unit].length);
      if ((set >> unit & 1) == 1) {
        if (whole[unit] == null) {
          return false;
        }
        whole[unit] = null;
      }
      lost += whole[unit] == null ? 1 : 0;
    }
    int[] erased = new int[lost];
    byte[][] outputs = new byte[lost][length];
    int next = 0;
    for (int unit = 0; unit < whole.length; unit++) {
      if (whole[unit] == null) {
        erased[next++] = unit;
      }
    }
    codec.decode(whole, new int[whole.length], erased, outputs, new int[lost], length);
    for (int i = 0; i < lost; i++) {
      whole[erased[i]] = outputs[i];
    }
    return codec.verify(whole, new int[whole.length], length) == -1;
  }

  /** Blocks of which some are short or damaged, through their fingerprints. */
  @Test
  void damageOfBlocksIsLocatedThroughFingerprints() throws IOException {
    int windowBytes = 4096;
    int[][] shapes = {{6, 3}, {10, 4}, {3, 2}};
    for (int[] shape : shapes) {
      try (ErasureCodec codec = ErasureCodec.create(Code.RS, shape[0], shape[1])) {
        byte[][] sound = stripe(codec, windowBytes);
        for (int round = 0; round < 100; round++) {
          FingerprintFunction function = new FingerprintFunction(round, 2, windowBytes);
          int errors = 1 + random.nextInt(shape[1] / 2);
          BitSet wrong = new BitSet();
          while (wrong.cardinality() < errors) {
            wrong.set(random.nextInt(sound.length));
          }
          int missing = -1;
          if (2 * errors < shape[1] && round % 2 == 0) {
            missing = wrong.nextClearBit(0);
          }
          byte[][] fingerprints = new byte[sound.length][];
          for (int unit = 0; unit < sound.length; unit++) {
            byte[] block = sound[unit].clone();
            if (wrong.get(unit)) {
              block[random.nextInt(block.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Fingerprint fingerprint = new Fingerprint(function);
            fingerprint.update(ByteBuffer.wrap(block));
            fingerprints[unit] = unit == missing ? null : fingerprint.take();
          }
          Location found = Location.of(codec, fingerprints);
          assertThat(found.verdict()).isEqualTo(Verdict.LOCATED);
          assertThat(found.units()).isEqualTo(wrong.stream().toArray());
        }
      }
    }
  }

  @Test
  void fingerprintsThatDoNotFitAreRefused() throws IOException {
    ErasureCodec codec = ErasureCodec.create(Code.RS, 3, 2);
    refused(codec, null, "fingerprints given: null, needed: 5");
    refused(codec, new byte[4][64], "fingerprints given: 4, needed: 5");
    refused(codec, new byte[6][64], "fingerprints given: 6, needed: 5");
    refused(codec, new byte[5][0], "fingerprints have 0 bytes");
    byte[][] other = new byte[5][128];
    other[0] = null;
    other[4] = new byte[64];
    refused(codec, other, "fingerprint 4 has 64 bytes, the others have 128");
    assertThat(Location.of(codec, new byte[5][]).verdict()).isEqualTo(Verdict.UNCHECKED);
    codec.close();
    assertThatThrownBy(() -> Location.of(codec, new byte[5][64])).isInstanceOf(IOException.class);
  }

  private static void refused(ErasureCodec codec, byte[][] fingerprints, String reason) {
    assertThatThrownBy(() -> Location.of(codec, fingerprints))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot locate wrong blocks: " + reason);
  }

  private byte[][] stripe(ErasureCodec codec, int length) throws IOException {
    byte[][] data = new byte[codec.dataUnits()][length];
    byte[][] parity = new byte[codec.parityUnits()][length];
    for (byte[] unit : data) {
      random.nextBytes(unit);
    }
    codec.encode(data, new int[data.length], parity, new int[parity.length], length);
    byte[][] units = new byte[data.length + parity.length][];
    System.arraycopy(data, 0, units, 0, data.length);
    System.arraycopy(parity, 0, units, data.length, parity.length);
    return units;
  }

  private static int setOf(Location location) {
    int set = 0;
    for (int unit : location.units()) {
      set |= 1 << unit;
    }
    return set;
  }
}
