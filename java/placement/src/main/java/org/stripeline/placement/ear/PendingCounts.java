// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

/** Event counters of {@link PendingStripes} since its creation. */
public final class PendingCounts {
  private final long[] values;

  PendingCounts(long[] values) {
    this.values = values;
  }

  /** Returns the count of an event. */
  public long of(Event event) {
    return values[event.ordinal()];
  }

  /** The events that are counted. */
  public enum Event {
    /** A block for which nodes were selected. */
    ADVISED,
    /** A block for which no nodes were selected. */
    NOT_ADVISED,
    /** A block for which nodes were selected although none of its replicas can be retained. */
    WITHOUT_PLACE,
    /** A candidate that was drawn. */
    TRIED,
    /**
     * A block that was withdrawn because its writer retried with one of the block's nodes excluded.
     */
    WITHDRAWN,
    /** A stripe that was begun. */
    OPENED,
    /** A stripe that received all of its k blocks. */
    SEALED,
    /** A stripe that was closed before it had k blocks because it could accept no further block. */
    CLOSED_SHORT,
    /** A stripe that was discarded because it was unused for longer than the age limit. */
    AGED_OUT,
    /** A stripe that was discarded because the number of stripes exceeded the limit. */
    EVICTED
  }
}
