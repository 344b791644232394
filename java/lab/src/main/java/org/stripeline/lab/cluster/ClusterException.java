// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;

/**
 * Thrown if a cluster could not be started, reached or changed; the message has the reason and the
 * remedy.
 */
public final class ClusterException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception.
   *
   * @param message "Cannot verb object: reason with values"
   */
  public ClusterException(String message) {
    super(message);
  }

  /**
   * Creates an exception with a cause.
   *
   * @param message "Cannot verb object: reason with values"
   * @param cause the underlying error
   */
  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
