// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/** What the values of all replicas show about one window of a group. */
final class WindowVerdict {
  /** The kind of a verdict, from the best to the worst. */
  enum Kind {
    /** All values that were given match. */
    CONSISTENT,
    /** There are too few values to compare. */
    UNCHECKED,
    /** The replicas in {@link #copies()} are wrong, and the others are right. */
    LOCATED,
    /** Some replicas are wrong; those in {@link #copies()} may be, and any if there are none. */
    UNLOCATED
  }

  private final Kind kind;
  private final Set<Copy> copies;

  private WindowVerdict(Kind kind, Collection<Copy> copies) {
    this.kind = kind;
    this.copies = Collections.unmodifiableSet(new LinkedHashSet<>(copies));
  }

  static WindowVerdict consistent() {
    return new WindowVerdict(Kind.CONSISTENT, Collections.emptySet());
  }

  static WindowVerdict unchecked() {
    return new WindowVerdict(Kind.UNCHECKED, Collections.emptySet());
  }

  /** Returns the verdict that these replicas are wrong; consistent if there are none. */
  static WindowVerdict located(Collection<Copy> wrong) {
    return wrong.isEmpty() ? consistent() : new WindowVerdict(Kind.LOCATED, wrong);
  }

  static WindowVerdict unlocated(Collection<Copy> candidates) {
    return new WindowVerdict(Kind.UNLOCATED, candidates);
  }

  Kind kind() {
    return kind;
  }

  Set<Copy> copies() {
    return copies;
  }

  boolean isDamage() {
    return kind == Kind.LOCATED || kind == Kind.UNLOCATED;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WindowVerdict
        && ((WindowVerdict) other).kind == kind
        && ((WindowVerdict) other).copies.equals(copies);
  }

  @Override
  public int hashCode() {
    return kind.hashCode() * 31 + copies.hashCode();
  }

  @Override
  public String toString() {
    return kind + " " + copies;
  }
}
