// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import java.util.Arrays;

/**
 * The matrices of the codes: the computation of parity from data, and of erased units from present
 * ones.
 *
 * <p>Rows are outputs, columns are inputs, entries are field elements. Each matrix is derived from
 * the definition of its code, not ported, so that the native library and this class verify each
 * other.
 */
final class CodingMatrix {
  private CodingMatrix() {}

  /** Returns the matrix that computes parity units from data units. */
  static int[][] parity(Code code, int dataUnits, int parityUnits) {
    switch (code) {
      case RS:
        return cauchy(dataUnits, parityUnits);
      case RS_LEGACY:
        return remainders(dataUnits, parityUnits);
      case XOR:
        int[][] ones = new int[1][dataUnits];
        Arrays.fill(ones[0], 1);
        return ones;
      default:
        throw new IllegalArgumentException("Cannot build a matrix for code " + code);
    }
  }

  /**
   * Returns the matrix that computes {@code erased} units from {@code present} ones.
   *
   * @param parity the code's parity matrix
   * @param present indices of as many units as there are data units
   * @param erased indices of the units to produce
   */
  static int[][] decoding(int[][] parity, int[] present, int[] erased) {
    int dataUnits = present.length;
    int[][] presentRows = new int[dataUnits][];
    for (int i = 0; i < dataUnits; i++) {
      presentRows[i] = generatorRow(parity, dataUnits, present[i]);
    }
    int[][] dataFromPresent = invert(presentRows);
    int[][] result = new int[erased.length][dataUnits];
    for (int i = 0; i < erased.length; i++) {
      int[] row = generatorRow(parity, dataUnits, erased[i]);
      for (int j = 0; j < dataUnits; j++) {
        if (row[j] == 0) {
          continue;
        }
        for (int column = 0; column < dataUnits; column++) {
          result[i][column] ^= GaloisField.multiply(row[j], dataFromPresent[j][column]);
        }
      }
    }
    return result;
  }

  /**
   * Returns the Cauchy matrix: its entry for parity unit i (counted after the data) and data unit j
   * is 1/(i xor j).
   */
  private static int[][] cauchy(int dataUnits, int parityUnits) {
    int[][] matrix = new int[parityUnits][dataUnits];
    for (int i = 0; i < parityUnits; i++) {
      for (int j = 0; j < dataUnits; j++) {
        matrix[i][j] = GaloisField.invert((dataUnits + i) ^ j);
      }
    }
    return matrix;
  }

  /**
   * Returns the matrix of HDFS-RAID: parity is the remainder of data(x) * x^m divided by g(x) =
   * (x+1)(x+2)(x+4)... with m factors, so column j holds the remainder of x^(m+j). Each remainder
   * is the previous one times x, reduced.
   */
  private static int[][] remainders(int dataUnits, int parityUnits) {
    int[] generator = new int[parityUnits + 1];
    generator[0] = 1;
    for (int root = 0; root < parityUnits; root++) {
      int value = GaloisField.powerOfTwo(root);
      for (int i = root + 1; i > 0; i--) {
        generator[i] = generator[i - 1] ^ GaloisField.multiply(generator[i], value);
      }
      generator[0] = GaloisField.multiply(generator[0], value);
    }
    int[][] matrix = new int[parityUnits][dataUnits];
    int[] remainder = new int[parityUnits];
    // x^m is congruent to g(x) without its leading term, whose coefficient is 1.
    System.arraycopy(generator, 0, remainder, 0, parityUnits);
    for (int j = 0; j < dataUnits; j++) {
      for (int i = 0; i < parityUnits; i++) {
        matrix[i][j] = remainder[i];
      }
      int overflow = remainder[parityUnits - 1];
      for (int i = parityUnits - 1; i >= 0; i--) {
        int shifted = i > 0 ? remainder[i - 1] : 0;
        remainder[i] = shifted ^ GaloisField.multiply(overflow, generator[i]);
      }
    }
    return matrix;
  }

  private static int[] generatorRow(int[][] parity, int dataUnits, int unit) {
    if (unit >= dataUnits) {
      return parity[unit - dataUnits].clone();
    }
    int[] row = new int[dataUnits];
    row[unit] = 1;
    return row;
  }

  /** Returns the inverse by Gauss-Jordan elimination; overwrites the argument. */
  private static int[][] invert(int[][] matrix) {
    int size = matrix.length;
    int[][] inverse = new int[size][size];
    for (int i = 0; i < size; i++) {
      inverse[i][i] = 1;
    }
    for (int column = 0; column < size; column++) {
      int pivot = column;
      while (pivot < size && matrix[pivot][column] == 0) {
        pivot++;
      }
      if (pivot == size) {
        throw new IllegalStateException("Cannot invert the matrix of the present units: singular");
      }
      swap(matrix, pivot, column);
      swap(inverse, pivot, column);
      int factor = GaloisField.invert(matrix[column][column]);
      scale(matrix[column], factor);
      scale(inverse[column], factor);
      for (int row = 0; row < size; row++) {
        int multiple = matrix[row][column];
        if (row != column && multiple != 0) {
          addMultiple(matrix[row], matrix[column], multiple);
          addMultiple(inverse[row], inverse[column], multiple);
        }
      }
    }
    return inverse;
  }

  private static void swap(int[][] rows, int a, int b) {
    int[] row = rows[a];
    rows[a] = rows[b];
    rows[b] = row;
  }

  private static void scale(int[] row, int factor) {
    for (int i = 0; i < row.length; i++) {
      row[i] = GaloisField.multiply(row[i], factor);
    }
  }

  private static void addMultiple(int[] row, int[] other, int multiple) {
    for (int i = 0; i < row.length; i++) {
      row[i] ^= GaloisField.multiply(other[i], multiple);
    }
  }
}
