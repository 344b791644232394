// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;

/** Says why a cluster could not be started, reached or changed, and how to get on. */
public final class ClusterException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message "Cannot verb object: reason with values"
   */
  public ClusterException(String message) {
    super(message);
  }

  /**
   * Makes an exception that keeps its cause.
   *
   * @param message "Cannot verb object: reason with values"
   * @param cause what went wrong below
   */
  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
