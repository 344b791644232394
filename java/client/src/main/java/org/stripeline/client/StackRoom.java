// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

/**
 * The room that a caller's stack must have before its call changes what streams share. An overflow
 * within a queue or a lock of the JDK could leave it in a state in which no stream of the process
 * goes on.
 */
public final class StackRoom {
  /** About 12 KiB if they are compiled, twice as much if not. */
  private static final int FRAMES = 256;

  private StackRoom() {}

  /**
   * Returns if the stack has room for a call of a stream.
   *
   * @throws StackOverflowError if it has not; nothing has changed
   */
  public static void require() {
    descend(FRAMES);
  }

  private static int descend(int frames) {
    return frames == 0 ? 0 : 1 + descend(frames - 1);
  }
}
