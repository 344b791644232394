// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.util.BitSet;

/**
 * Finds the smallest sets of units that explain a syndrome other than 0, if they are wrong: their
 * vectors span all columns of the syndrome. Any r vectors of r coefficients are independent,
 * because the codes repair any m erasures, so at most one set of up to r/2 units explains it.
 *
 * <p>A set of as many units as the syndrome's rank consists of the units whose vectors the columns
 * span (Metzner and Kapturowski, IEEE Transactions on Information Theory, 1990). A larger one is
 * spanned by the columns and as many of its units as it exceeds the rank, so only sets of so few
 * units are tried.
 */
final class LocationSearch {
  /** The bound of the search in multiplications; no shape of up to 16 units reaches it. */
  private static final long WORK_MAX = 1L << 28;

  private final int[][] vectors;
  private final int rows;
  private final VectorSpace columns;
  private long work;

  /**
   * Creates a search.
   *
   * @param vectors for each unit, its coefficients in the equations
   * @param columns the span of the syndrome's columns
   */
  LocationSearch(int[][] vectors, VectorSpace columns) {
    this.vectors = vectors;
    this.rows = vectors[0].length;
    this.columns = columns;
  }

  /** Returns the location, with indices of {@code vectors} in place of unit numbers. */
  Location run() {
    int rank = columns.dimension();
    for (int size = rank; size < rows; size++) {
      BitSet found = new BitSet();
      boolean isLocated = 2 * size <= rows;
      if (!extend(columns, 0, size - rank, size, isLocated, found)) {
        return new Location(Location.Verdict.UNLOCATED, new int[0], size);
      }
      if (!found.isEmpty()) {
        Location.Verdict verdict =
            isLocated ? Location.Verdict.LOCATED : Location.Verdict.UNLOCATED;
        return new Location(verdict, found.stream().toArray(), size);
      }
    }
    // Any r vectors span everything, so every set of r units explains any syndrome.
    return new Location(Location.Verdict.UNLOCATED, new int[0], rows);
  }

  /**
   * Extends the space by {@code more} units from {@code start} on, and adds to {@code found} each
   * set of {@code size} units whose vectors lie in the extended space: they then span it, and so
   * the columns. Returns whether it was able to try all, or found one and one is enough.
   */
  private boolean extend(
      VectorSpace space, int start, int more, int size, boolean oneIsEnough, BitSet found) {
    if (more == 0) {
      work += (long) vectors.length * rows * space.dimension();
      if (work > WORK_MAX) {
        return false;
      }
      BitSet inside = new BitSet();
      for (int unit = 0; unit < vectors.length; unit++) {
        if (space.contains(vectors[unit])) {
          inside.set(unit);
        }
      }
      if (inside.cardinality() == size) {
        found.or(inside);
      }
      return true;
    }
    for (int unit = start; unit < vectors.length; unit++) {
      if (space.add(vectors[unit])) {
        boolean isComplete = extend(space, unit + 1, more - 1, size, oneIsEnough, found);
        space.removeLast();
        if (!isComplete) {
          return false;
        }
        if (oneIsEnough && !found.isEmpty()) {
          return true;
        }
      }
    }
    return true;
  }
}
