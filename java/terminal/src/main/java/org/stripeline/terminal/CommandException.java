// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

/** Ends a command with a text for its user and an exit status. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitStatus;

  /**
   * Makes an exception.
   *
   * @param exitStatus one of {@link ExitStatus}
   * @param message "Cannot verb object: reason with values"
   */
  public CommandException(int exitStatus, String message) {
    super(message);
    this.exitStatus = exitStatus;
  }

  /**
   * Exit status of the command.
   *
   * @return one of {@link ExitStatus}
   */
  public int exitStatus() {
    return exitStatus;
  }
}
