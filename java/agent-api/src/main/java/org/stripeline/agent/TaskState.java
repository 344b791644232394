// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** The states of an agent's task. */
public enum TaskState {
  /** The task waits for others to end. */
  QUEUED,
  /** The task is running. */
  RUNNING,
  /** All blocks are written and verified. */
  DONE,
  /** The task failed, and has rolled back its writes as far as possible. */
  FAILED,
  /** The task was cancelled, and has rolled back its writes as far as possible. */
  CANCELLED;

  /** Returns whether the state does not change any more. */
  public boolean isFinal() {
    return this != QUEUED && this != RUNNING;
  }
}
