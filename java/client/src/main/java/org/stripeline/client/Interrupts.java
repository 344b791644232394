// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;

/** Distinguishes interrupted I/O from failed I/O. */
public final class Interrupts {
  private Interrupts() {}

  /**
   * Returns whether the exception reports an interruption. A socket timeout is an
   * InterruptedIOException too, but no thread was interrupted.
   */
  public static boolean isInterrupt(IOException e) {
    return e instanceof ClosedByInterruptException
        || e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException);
  }
}
