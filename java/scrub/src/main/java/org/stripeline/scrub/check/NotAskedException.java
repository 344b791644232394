// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import java.io.IOException;

/** A DataNode is not asked for a replica, and will not be for a while: a repetition is no use. */
public final class NotAskedException extends IOException {
  private static final long serialVersionUID = 1;

  /** Creates an exception with a message for people. */
  public NotAskedException(String message) {
    super(message);
  }
}
