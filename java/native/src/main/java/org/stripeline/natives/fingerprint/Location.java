// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.stripeline.natives.codec.ErasureCodec;

/** Which units of a stripe are wrong, concluded from the fingerprints of all. */
public final class Location {
  /** The kind of a conclusion. The numbers of the C interface are the ordinals. */
  public enum Verdict {
    /** All fingerprints given belong to one stripe. */
    CONSISTENT,
    /**
     * The units listed are wrong and all others that were given are right, provided that at most
     * (m-s)/2 units, rounded down, are wrong, where s of the k+m units are missing.
     */
    LOCATED,
    /**
     * Units are wrong, but the fingerprints do not show which. The units listed are advice only.
     */
    UNLOCATED,
    /** At most k fingerprints were given, and any k belong to some stripe: nothing was checked. */
    UNCHECKED
  }

  private final Verdict verdict;
  private final int[] units;
  private final int wrongMin;

  Location(Verdict verdict, int[] units, int wrongMin) {
    this.verdict = verdict;
    this.units = units;
    this.wrongMin = wrongMin;
  }

  /**
   * Finds the wrong units.
   *
   * <p>With s units missing and e wrong, e &gt;= 1, the result is {@link Verdict#LOCATED} with
   * exactly the wrong units for 2e + s &lt;= m. For more wrong units it is {@link
   * Verdict#UNLOCATED}, unless their damage equals what fewer wrong units could have caused. One
   * parity unit, as of XOR, detects one wrong unit and locates none. For s &gt;= m it is {@link
   * Verdict#UNCHECKED}. For more than 16 units damage that is the same in many of them may be
   * reported as {@link Verdict#UNLOCATED}, because the search for it, which takes seconds at most,
   * is given up.
   *
   * @param codec the code of the group, with k data and m parity units
   * @param fingerprints k+m fingerprints, data first, all of one window and one function; null for
   *     a unit that is missing or could not be read. A block that ends before the window is not
   *     missing: its fingerprint is all zeros
   * @throws IllegalArgumentException unless there are k+m entries, and all fingerprints have one
   *     length, which is not 0
   * @throws IOException if the codec is closed
   */
  public static Location of(ErasureCodec codec, byte[][] fingerprints) throws IOException {
    int length = checkFingerprints(codec, fingerprints);
    List<Integer> present = new ArrayList<>();
    for (int unit = 0; unit < fingerprints.length; unit++) {
      if (fingerprints[unit] != null) {
        present.add(unit);
      }
    }
    int dataUnits = codec.dataUnits();
    int rows = present.size() - dataUnits;
    if (rows <= 0) {
      return new Location(Verdict.UNCHECKED, new int[0], 0);
    }
    int[] others = new int[rows];
    for (int row = 0; row < rows; row++) {
      others[row] = present.get(dataUnits + row);
    }
    byte[][] predicted = predict(codec, fingerprints, present, others, length);
    byte[][] syndrome = new byte[rows][length];
    boolean isConsistent = true;
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < length; column++) {
        syndrome[row][column] =
            (byte) (predicted[row][dataUnits + column] ^ fingerprints[others[row]][column]);
        isConsistent &= syndrome[row][column] == 0;
      }
    }
    if (isConsistent) {
      return new Location(Verdict.CONSISTENT, new int[0], 0);
    }
    int[][] vectors = new int[present.size()][rows];
    for (int row = 0; row < rows; row++) {
      for (int i = 0; i < dataUnits; i++) {
        vectors[i][row] = predicted[row][i] & 0xff;
      }
      vectors[dataUnits + row][row] = 1;
    }
    return new LocationSearch(vectors, VectorSpace.ofColumns(syndrome)).run().withUnits(present);
  }

  /** Returns the kind of conclusion. */
  public Verdict verdict() {
    return verdict;
  }

  /**
   * Returns unit numbers in ascending order: for {@link Verdict#LOCATED} the wrong units; for
   * {@link Verdict#UNLOCATED} the units of all sets of {@link #wrongMin} units that would explain
   * the fingerprints, or none if every set of that size would, or if the search was given up.
   */
  public int[] units() {
    return units.clone();
  }

  /** Returns the least number of wrong units. */
  public int wrongMin() {
    return wrongMin;
  }

  @Override
  public String toString() {
    return verdict + " " + Arrays.toString(units) + ", at least " + wrongMin + " wrong";
  }

  private Location withUnits(List<Integer> present) {
    for (int i = 0; i < units.length; i++) {
      units[i] = present.get(units[i]);
    }
    return this;
  }

  /**
   * Computes the units {@code others} from the first k present ones. The first k bytes of the
   * result are the coefficients, because the inputs begin with the rows of the identity; the
   * fingerprints that the others should have follow.
   */
  private static byte[][] predict(
      ErasureCodec codec, byte[][] fingerprints, List<Integer> present, int[] others, int length)
      throws IOException {
    int dataUnits = codec.dataUnits();
    byte[][] units = new byte[fingerprints.length][];
    for (int i = 0; i < dataUnits; i++) {
      byte[] unit = new byte[dataUnits + length];
      unit[i] = 1;
      System.arraycopy(fingerprints[present.get(i)], 0, unit, dataUnits, length);
      units[present.get(i)] = unit;
    }
    byte[][] outputs = new byte[others.length][dataUnits + length];
    int[] offsets = new int[units.length];
    codec.decode(units, offsets, others, outputs, new int[others.length], dataUnits + length);
    return outputs;
  }

  private static int checkFingerprints(ErasureCodec codec, byte[][] fingerprints) {
    int total = codec.dataUnits() + codec.parityUnits();
    if (fingerprints == null || fingerprints.length != total) {
      String given = fingerprints == null ? "null" : String.valueOf(fingerprints.length);
      throw refusal("fingerprints given: " + given + ", needed: " + total);
    }
    int length = -1;
    for (int unit = 0; unit < total; unit++) {
      if (fingerprints[unit] == null) {
        continue;
      }
      int own = fingerprints[unit].length;
      if (own == 0) {
        throw refusal("fingerprints have 0 bytes");
      }
      if (length >= 0 && own != length) {
        throw refusal("fingerprint " + unit + " has " + own + " bytes, the others have " + length);
      }
      length = own;
    }
    return length;
  }

  private static IllegalArgumentException refusal(String reason) {
    return new IllegalArgumentException("Cannot locate wrong blocks: " + reason);
  }
}
