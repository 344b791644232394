// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;

/**
 * Thrown if the time of a job is over while the operator pauses it: what is in progress is rolled
 * back, and the job stays unfinished, so that the pause is not lost.
 */
public final class PausedException extends IOException {
  private static final long serialVersionUID = 1L;

  PausedException() {
    super("the job is paused, and its time is over");
  }
}
