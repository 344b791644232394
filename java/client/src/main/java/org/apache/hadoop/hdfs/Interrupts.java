// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;

/** Tells input and output that was interrupted from such that failed. */
final class Interrupts {
  private Interrupts() {}

  /** A time-out of a socket is an InterruptedIOException too, but nobody interrupted it. */
  static boolean isInterrupt(IOException e) {
    return e instanceof ClosedByInterruptException
        || e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException);
  }
}
