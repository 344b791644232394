// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

/** A range of bytes of an internal block, from {@code lo} (inclusive) to {@code hi} (exclusive). */
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

  /** Returns the smallest span that covers both; an empty span adds nothing. */
  Span union(Span other) {
    if (isEmpty()) {
      return other;
    }
    return other.isEmpty() ? this : new Span(Math.min(lo, other.lo), Math.max(hi, other.hi));
  }

  /** Returns the bytes that are in both spans. */
  Span intersection(Span other) {
    return new Span(Math.max(lo, other.lo), Math.min(hi, other.hi));
  }

  /**
   * Returns the part of this span that is not in {@code other}; the whole span if two parts would
   * remain.
   */
  Span without(Span other) {
    if (other.lo <= lo && other.hi > lo) {
      return other.hi >= hi ? EMPTY : new Span(other.hi, hi);
    }
    return other.lo < hi && other.hi >= hi ? new Span(lo, other.lo) : this;
  }

  @Override
  public String toString() {
    return "[" + lo + ", " + hi + ")";
  }
}
