// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

/** Ends a command with a message for its user and an exit status. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitStatus;

  /**
   * Creates an exception.
   *
   * @param exitStatus one of {@link ExitStatus}
   * @param message "Cannot verb object: reason with values"
   */
  public CommandException(int exitStatus, String message) {
    super(message);
    this.exitStatus = exitStatus;
  }

  /**
   * Returns the exit status of the command.
   *
   * @return one of {@link ExitStatus}
   */
  public int exitStatus() {
    return exitStatus;
  }
}
