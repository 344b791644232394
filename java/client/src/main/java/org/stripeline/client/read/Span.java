// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

/** A range of bytes of an internal block, from {@code lo} to before {@code hi}. */
final class Span {
  static final Span EMPTY = new Span(0, 0);

  final long lo;
  final long hi;

  Span(long lo, long hi) {
    this.lo = lo;
    this.hi = hi;
  }

  boolean isEmpty() {
    return hi <= lo;
  }

  int length() {
    return (int) (hi - lo);
  }

  boolean covers(Span other) {
    return lo <= other.lo && other.hi <= hi;
  }

  /** Returns the least span that covers both; an empty one adds nothing. */
  Span union(Span other) {
    if (isEmpty()) {
      return other;
    }
    return other.isEmpty() ? this : new Span(Math.min(lo, other.lo), Math.max(hi, other.hi));
  }

  @Override
  public String toString() {
    return "[" + lo + ", " + hi + ")";
  }
}
