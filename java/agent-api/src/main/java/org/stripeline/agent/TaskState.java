// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** Where a task of an agent is. */
public enum TaskState {
  /** It waits for others to end. */
  QUEUED,
  /** It is at work. */
  RUNNING,
  /** All is written and verified. */
  DONE,
  /** It failed, and has rolled back its writes as far as possible. */
  FAILED,
  /** It was cancelled, and has rolled back its writes as far as possible. */
  CANCELLED;

  /** Returns whether it stays as it is from now on. */
  public boolean isFinal() {
    return this != QUEUED && this != RUNNING;
  }
}
