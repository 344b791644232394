// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;
import umontreal.ssj.simevents.eventlist.RedblackTree;

/**
 * Simulated time: actions that happen at moments, in the order of these; of one moment in the order
 * in which they were asked for. Keeps them in SSJ's event list. Not thread-safe; several clocks can
 * run side by side.
 */
public final class Clock {
  private final Simulator simulator = new Simulator(new RedblackTree());
  private long happened;

  /** Returns seconds since the start. */
  public double now() {
    return simulator.time();
  }

  /** Returns how many actions have happened. */
  public long happened() {
    return happened;
  }

  /**
   * Lets something happen later.
   *
   * @param seconds from now, at least 0
   * @throws IllegalArgumentException if they are negative or no number
   */
  public void after(double seconds, Runnable action) {
    if (!(seconds >= 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "Cannot let something happen in " + seconds + " s: must be a number from 0");
    }
    new Moment(simulator, action).schedule(seconds);
  }

  /** Lets everything happen until nothing is left to or {@link #stop} is called. */
  public void run() {
    if (!simulator.getEventList().isEmpty()) {
      simulator.start();
    }
  }

  /** Ends {@link #run} after the action that calls this; what was to happen never does. */
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
