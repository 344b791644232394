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

  /** Returns what is in both. */
  Span intersection(Span other) {
    return new Span(Math.max(lo, other.lo), Math.min(hi, other.hi));
  }

  /** Returns what is in this and not in another; all of this where that would be two spans. */
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
