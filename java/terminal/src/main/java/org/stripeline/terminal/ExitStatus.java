// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

/** Exit statuses of every command. */
public final class ExitStatus {
  /** The command succeeded and found nothing wrong. */
  public static final int SOUND = 0;

  /** The command failed, or it found a problem. */
  public static final int FAILED = 1;

  /** The command line is invalid. */
  public static final int USAGE = 2;

  /** The check could not be carried out; its result is unknown. */
  public static final int UNCHECKED = 3;

  private ExitStatus() {}

  /** Returns the status of two parts of a command. What is unknown must not hide a problem. */
  public static int worse(int one, int other) {
    return one == FAILED || other == FAILED ? FAILED : Math.max(one, other);
  }
}
