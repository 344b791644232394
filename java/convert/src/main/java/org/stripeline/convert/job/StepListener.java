// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

/** Receives the steps of a driver. Tests stop a driver at a step by throwing an Error. */
public interface StepListener {
  /** Ignores all steps. */
  StepListener NONE = (step, path) -> {};

  /**
   * Called when a file has reached a step.
   *
   * @param path path of the file
   */
  void reached(Step step, String path);
}
