// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

/** Is told where a driver is; tests let it die there by throwing an Error. */
public interface StepListener {
  /** Listens to nothing. */
  StepListener NONE = (step, path) -> {};

  /**
   * A file has come to a step.
   *
   * @param path the file
   */
  void reached(Step step, String path);
}
