// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Decides which units of a block group are late: those whose oldest packet has waited for its
 * acknowledgement for longer than a limit. The limit is a configured time, or a multiple of what as
 * many other units need as there are data units, whichever is longer. So no unit is late where the
 * client itself, or more DataNodes than there is parity, are slow.
 *
 * <p>It learns by looking at regular times. For one thread.
 */
public final class LateUnits {
  /** A unit is late after this many times what others need. */
  private static final int FACTOR = 4;

  private final int dataUnits;
  private final int lossesMax;
  private final long leastNanos;
  private final long periodNanos;
  private final Unit[] units;
  private boolean started;
  private long last;

  /** Time that counts: what passed between two looks, but at most two periods. */
  private long clock;

  /**
   * Creates one for units that have been given nothing.
   *
   * @param units data and parity units of a group
   * @param dataUnits how many of them are data
   * @param lossesMax most units that a group may lose
   * @param leastNanos least wait of a late unit
   * @param periodNanos time between two looks
   */
  public LateUnits(int units, int dataUnits, int lossesMax, long leastNanos, long periodNanos) {
    this.dataUnits = dataUnits;
    this.lossesMax = lossesMax;
    this.leastNanos = leastNanos;
    this.periodNanos = periodNanos;
    this.units = new Unit[units];
    for (int unit = 0; unit < units; unit++) {
      restart(unit);
    }
  }

  /**
   * Begins a look at all units. Of a longer time without one, in which this process stood still,
   * two periods count.
   */
  public void look(long nowNanos) {
    clock += started ? Math.min(nowNanos - last, 2 * periodNanos) : 0;
    started = true;
    last = nowNanos;
  }

  /** Forgets a unit: another streamer writes it from now on. */
  public void restart(int unit) {
    units[unit] = new Unit();
  }

  /** Notes whether a unit has failed; one that goes on after that has not waited yet. */
  public void failed(int unit, boolean failed) {
    if (units[unit].failed && !failed) {
      restart(unit);
    }
    units[unit].failed = failed;
  }

  /**
   * Notes how far a unit is.
   *
   * @param queued number of the last packet that it was given
   * @param acknowledged number of the last packet that was acknowledged
   */
  public void progress(int unit, long queued, long acknowledged) {
    units[unit].progress(queued, acknowledged, clock);
  }

  /** Returns the late units; none if the group would lose more than it may with them. */
  public List<Integer> late() {
    List<Integer> late = new ArrayList<>();
    int failed = 0;
    for (int unit = 0; unit < units.length; unit++) {
      if (units[unit].failed) {
        failed++;
      } else if (waitNanos(unit) > limitNanos(unit)) {
        late.add(unit);
      }
    }
    return late.size() + failed <= lossesMax ? late : new ArrayList<>();
  }

  /** Returns for how long the oldest packet of a unit has waited for its acknowledgement. */
  public long waitNanos(int unit) {
    return units[unit].waitNanos(clock);
  }

  /** Returns the wait beyond which a unit is late. */
  public long limitNanos(int unit) {
    long needed = othersNeedNanos(unit);
    return needed > Long.MAX_VALUE / FACTOR
        ? Long.MAX_VALUE
        : Math.max(leastNanos, FACTOR * needed);
  }

  /** Returns the time in which as many other units acknowledge as there are data units. */
  public long othersNeedNanos(int unit) {
    long[] needs = new long[units.length];
    for (int other = 0; other < units.length; other++) {
      needs[other] =
          other == unit || units[other].failed ? Long.MAX_VALUE : units[other].needNanos(clock);
    }
    Arrays.sort(needs);
    return needs[dataUnits - 1];
  }

  /** One unit: when its outstanding packets were seen first, and how long earlier ones took. */
  private static final class Unit {
    private final ArrayDeque<long[]> outstanding = new ArrayDeque<>();
    private long marked = -1;
    private long needNanos;
    private boolean failed;

    void progress(long queued, long acknowledged, long clock) {
      if (queued > marked) {
        marked = queued;
        outstanding.add(new long[] {queued, clock});
      }
      while (!outstanding.isEmpty() && outstanding.peek()[0] <= acknowledged) {
        // A slow one is forgotten after some tens of quick ones.
        needNanos = Math.max(clock - outstanding.remove()[1], needNanos - needNanos / 8);
      }
    }

    long waitNanos(long clock) {
      return outstanding.isEmpty() ? 0 : clock - outstanding.peek()[1];
    }

    long needNanos(long clock) {
      return Math.max(needNanos, waitNanos(clock));
    }
  }
}
