// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

/** Checks arrays that a caller passes without offsets, each of which is a whole unit. */
final class WholeArrays {
  private WholeArrays() {}

  /** Returns the common length of all arrays; nulls are left to the codec's checks. */
  static int length(String verb, byte[][] inputs, byte[][] outputs) {
    if (inputs == null || outputs == null) {
      throw new IllegalArgumentException(
          "Cannot "
              + verb
              + ": the array of "
              + (inputs == null ? "inputs" : "outputs")
              + " is null");
    }
    int length = -1;
    for (byte[][] arrays : new byte[][][] {inputs, outputs}) {
      for (int i = 0; i < arrays.length; i++) {
        if (arrays[i] == null || arrays[i].length == length) {
          continue;
        }
        if (length >= 0) {
          throw new IllegalArgumentException(
              "Cannot "
                  + verb
                  + ": "
                  + (arrays == inputs ? "input " : "output ")
                  + i
                  + " has "
                  + arrays[i].length
                  + " bytes, but those before it have "
                  + length);
        }
        length = arrays[i].length;
      }
    }
    return Math.max(length, 0);
  }
}
