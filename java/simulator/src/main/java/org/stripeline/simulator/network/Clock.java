// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;
import umontreal.ssj.simevents.eventlist.RedblackTree;

/**
 * Simulated time: runs actions in the order of their times, and actions of the same time in the
 * order in which they were scheduled. Uses SSJ's event list. Not thread-safe; separate clocks can
 * be used in parallel.
 */
public final class Clock {
  private final Simulator simulator = new Simulator(new RedblackTree());
  private long happened;

  /** Returns seconds since the start. */
  public double now() {
    return simulator.time();
  }

  /** Returns how many actions were run. */
  public long happened() {
    return happened;
  }

  /**
   * Schedules an action.
   *
   * @param seconds from now, at least 0
   * @throws IllegalArgumentException if they are negative or NaN
   */
  public void after(double seconds, Runnable action) {
    if (!(seconds >= 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "Cannot schedule an event in " + seconds + " s: must be a number from 0");
    }
    new Moment(simulator, action).schedule(seconds);
  }

  /** Runs all scheduled actions until none is left or {@link #stop} is called. */
  public void run() {
    if (!simulator.getEventList().isEmpty()) {
      simulator.start();
    }
  }

  /** Ends {@link #run} after the current action; the remaining actions are never run. */
  public void stop() {
    simulator.stop();
  }

  private final class Moment extends Event {
    private final Runnable action;

    Moment(Simulator simulator, Runnable action) {
      super(simulator);
      this.action = action;
    }

    @Override
    public void actions() {
      happened++;
      action.run();
    }
  }
}
