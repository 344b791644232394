// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.SplittableRandom;

/**
 * Random numbers, one source for each concern, so that what one draws does not change what another
 * sees: two policies with one seed meet the same writes at the same moments.
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

  /** Draws how long it takes until the next of so many events per second. */
  static double wait(SplittableRandom random, double perSecond) {
    return exponential(random, 1 / perSecond);
  }

  static double exponential(SplittableRandom random, double mean) {
    // StrictMath: the same on every machine, as the digest is to be.
    return -mean * StrictMath.log(1 - random.nextDouble());
  }
}
