// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

/** Thrown if the blocks of a group cannot be placed; the message has the numbers. */
public final class PlacementException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public PlacementException(String message) {
    super(message);
  }
}
