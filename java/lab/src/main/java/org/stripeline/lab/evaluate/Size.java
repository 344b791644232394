// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

/** How much an evaluation measures. */
enum Size {
  /** Seconds for each measurement: a functional test, whose figures mean nothing. */
  TRIAL,
  /** About 20 minutes on two processors. */
  QUICK,
  /** About four hours. */
  FULL;

  /** Returns the value for this size. */
  <T> T choose(T trial, T quick, T full) {
    return this == TRIAL ? trial : this == QUICK ? quick : full;
  }
}
