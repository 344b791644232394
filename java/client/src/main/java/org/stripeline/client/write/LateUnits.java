// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Determines which units of a block group are late: those whose oldest packet has been waiting for
 * its acknowledgement for longer than a limit. The limit is the longer of a configured time and a
 * multiple of the time that the fastest k other units need, where k is the number of data units.
 * Therefore no unit is late if the client itself, or more DataNodes than there are parity units,
 * are slow.
 *
 * <p>The state is updated by periodic checks. For use by one thread.
 */
public final class LateUnits {
  /** A unit is late after this multiple of the time that others need. */
  private static final int FACTOR = 4;

  private final int dataUnits;
  private final int lossesMax;
  private final long leastNanos;
  private final long periodNanos;
  private final Unit[] units;
  private boolean started;
  private long last;

  /**
   * The measured time: the sum of the intervals between checks, each counted as at most two
   * periods.
   */
  private long clock;

  /**
   * Creates an object for units that have not received any packet.
   *
   * @param units data and parity units of a group
   * @param dataUnits how many of them are data
   * @param lossesMax the maximum number of units that a group may lose
   * @param leastNanos the minimum wait of a late unit
   * @param periodNanos time between two checks
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
   * Begins a check of all units. An interval of more than two periods, in which this process was
   * stopped, counts as two periods.
   */
  public void look(long nowNanos) {
    clock += started ? Math.min(nowNanos - last, 2 * periodNanos) : 0;
    started = true;
    last = nowNanos;
  }

  /** Resets a unit that another streamer writes from now on. */
  public void restart(int unit) {
    units[unit] = new Unit();
  }

  /** Records whether a unit has failed; a unit that recovers starts with no waiting time. */
  public void failed(int unit, boolean failed) {
    if (units[unit].failed && !failed) {
      restart(unit);
    }
    units[unit].failed = failed;
  }

  /**
   * Records the progress of a unit.
   *
   * @param queued sequence number of the last packet that was queued
   * @param acknowledged sequence number of the last packet that was acknowledged
   */
  public void progress(int unit, long queued, long acknowledged) {
    units[unit].progress(queued, acknowledged, clock);
  }

  /** Returns the late units; returns none if the group would lose more units than it may. */
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

  /** Returns how long the oldest packet of a unit has been waiting for its acknowledgement. */
  public long waitNanos(int unit) {
    return units[unit].waitNanos(clock);
  }

  /** Returns the wait after which a unit is late. */
  public long limitNanos(int unit) {
    long needed = othersNeedNanos(unit);
    return needed > Long.MAX_VALUE / FACTOR
        ? Long.MAX_VALUE
        : Math.max(leastNanos, FACTOR * needed);
  }

  /**
   * Returns the time that the fastest k other units need for an acknowledgement, where k is the
   * number of data units.
   */
  public long othersNeedNanos(int unit) {
    long[] needs = new long[units.length];
    for (int other = 0; other < units.length; other++) {
      needs[other] =
          other == unit || units[other].failed ? Long.MAX_VALUE : units[other].needNanos(clock);
    }
    Arrays.sort(needs);
    return needs[dataUnits - 1];
  }

  /**
   * The state of one unit: when its outstanding packets were first seen, and the duration of
   * earlier ones.
   */
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
        // The weight of a slow packet decays to nothing within some tens of fast ones.
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
