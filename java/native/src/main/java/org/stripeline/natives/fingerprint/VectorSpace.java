// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.util.ArrayList;
import java.util.List;
import org.stripeline.natives.codec.GaloisField;

/** A vector space over GF(2^8). */
final class VectorSpace {
  /** Vectors that span the space. Each is 1 at its pivot and 0 at the pivots of those before. */
  private final List<int[]> basis = new ArrayList<>();

  private final List<Integer> pivots = new ArrayList<>();

  /** Returns the span of the columns of a matrix given row by row. */
  static VectorSpace ofColumns(byte[][] matrix) {
    VectorSpace space = new VectorSpace();
    for (int column = 0; column < matrix[0].length; column++) {
      int[] vector = new int[matrix.length];
      for (int row = 0; row < matrix.length; row++) {
        vector[row] = matrix[row][column] & 0xff;
      }
      space.add(vector);
    }
    return space;
  }

  int dimension() {
    return basis.size();
  }

  boolean contains(int[] vector) {
    return pivot(reduced(vector)) < 0;
  }

  /** Adds a vector to those that span the space; returns whether it was outside before. */
  boolean add(int[] vector) {
    int[] rest = reduced(vector);
    int pivot = pivot(rest);
    if (pivot < 0) {
      return false;
    }
    int scale = GaloisField.invert(rest[pivot]);
    for (int i = 0; i < rest.length; i++) {
      rest[i] = GaloisField.multiply(scale, rest[i]);
    }
    basis.add(rest);
    pivots.add(pivot);
    return true;
  }

  /** Takes back the last {@link #add} that returned true. */
  void removeLast() {
    basis.remove(basis.size() - 1);
    pivots.remove(pivots.size() - 1);
  }

  /** Returns the vector minus a vector of the space, with 0 at all pivots. */
  private int[] reduced(int[] vector) {
    int[] rest = vector.clone();
    for (int i = 0; i < basis.size(); i++) {
      int factor = rest[pivots.get(i)];
      if (factor != 0) {
        int[] base = basis.get(i);
        for (int j = 0; j < rest.length; j++) {
          rest[j] ^= GaloisField.multiply(factor, base[j]);
        }
      }
    }
    return rest;
  }

  private static int pivot(int[] vector) {
    for (int i = 0; i < vector.length; i++) {
      if (vector[i] != 0) {
        return i;
      }
    }
    return -1;
  }
}
