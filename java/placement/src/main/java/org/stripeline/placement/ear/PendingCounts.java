// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

/** What {@link PendingStripes} have done since they were created. */
public final class PendingCounts {
  private final long[] values;

  PendingCounts(long[] values) {
    this.values = values;
  }

  /** Returns one of the counts. */
  public long of(Event event) {
    return values[event.ordinal()];
  }

  /** What is counted. */
  public enum Event {
    /** A block for which nodes were named. */
    ADVISED,
    /** A block for which none were. */
    NOT_ADVISED,
    /** A block for which nodes were named though none of its replicas will be able to stay. */
    WITHOUT_PLACE,
    /** A candidate drawn. */
    TRIED,
    /** A block taken back since its writer came again with one of its nodes excluded. */
    WITHDRAWN,
    /** A stripe begun. */
    OPENED,
    /** A stripe that got all of its k blocks. */
    SEALED,
    /** A stripe that took no further block before it had k. */
    CLOSED_SHORT,
    /** A stripe given up since nobody wrote to it for too long. */
    AGED_OUT,
    /** A stripe given up since others were more than could be kept. */
    EVICTED
  }
}
