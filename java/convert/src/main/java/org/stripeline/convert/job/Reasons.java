// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import org.apache.hadoop.ipc.RemoteException;

/** Describes failures in one line. */
public final class Reasons {
  private Reasons() {}

  /** Returns a failure as a sentence: the message if it says what was not possible. */
  public static String cannot(String what, Throwable e) {
    String why = of(e);
    return why.startsWith("Cannot ") ? why : "Cannot " + what + ": " + why;
  }

  /**
   * Returns the first line of the message, since messages of Hadoop's servers contain stack traces.
   */
  public static String of(Throwable e) {
    Throwable cause =
        e instanceof RemoteException ? ((RemoteException) e).unwrapRemoteException() : e;
    String message = cause.getMessage();
    if (message == null) {
      return cause.getClass().getSimpleName();
    }
    // Hadoop adds an address of its wiki to failures of connections; other text may follow.
    String line =
        message.replaceAll("; For more details see: +[^\\s;)]+", "").split("\n", 2)[0].trim();
    return cause.getClass().getPackage().getName().startsWith("org.stripeline")
            || cause.getClass() == java.io.IOException.class
        ? line
        : cause.getClass().getSimpleName() + ": " + line;
  }
}
