// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

/** Exit statuses of every command. */
public final class ExitStatus {
  /** Done, and nothing is wrong. */
  public static final int SOUND = 0;

  /** Failed, or something was found. */
  public static final int FAILED = 1;

  /** The command line cannot be carried out as given. */
  public static final int USAGE = 2;

  /** Could not check; says nothing about sound or not. */
  public static final int UNCHECKED = 3;

  private ExitStatus() {}
}
