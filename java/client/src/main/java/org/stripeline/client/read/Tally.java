// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

/** Receives the cost of a segment. */
public interface Tally {
  /**
   * Records that {@code bytes} were read from a DataNode at {@code networkDistance} in {@code
   * millis}.
   */
  void fetched(int bytes, boolean shortCircuit, int networkDistance, long millis);

  /** Records that decoding took {@code millis}. */
  void decoded(long millis);
}
