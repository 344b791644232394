// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.SplittableRandom;

/**
 * Random numbers from a separate source for each concern, so that the draws of one concern do not
 * affect another: two policies with the same seed have the same writes at the same times.
 */
final class Randoms {
  final SplittableRandom writers;
  final SplittableRandom placement;
  final SplittableRandom planning;
  final SplittableRandom writes;
  final SplittableRandom background;
  final SplittableRandom failures;
  final SplittableRandom repairs;

  Randoms(long seed) {
    SplittableRandom root = new SplittableRandom(seed);
    writers = root.split();
    placement = root.split();
    planning = root.split();
    writes = root.split();
    background = root.split();
    failures = root.split();
    repairs = root.split();
  }

  /** Draws the time until the next of events with a given mean rate per second. */
  static double wait(SplittableRandom random, double perSecond) {
    return exponential(random, 1 / perSecond);
  }

  static double exponential(SplittableRandom random, double mean) {
    // StrictMath gives the same result on every machine, which the digest requires.
    return -mean * StrictMath.log(1 - random.nextDouble());
  }
}
