// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import org.apache.hadoop.ipc.RemoteException;

/** Says in one line why something failed. */
public final class Reasons {
  private Reasons() {}

  /** First line of the message: those of Hadoop's servers carry stack traces. */
  public static String of(Throwable e) {
    Throwable cause =
        e instanceof RemoteException ? ((RemoteException) e).unwrapRemoteException() : e;
    String message = cause.getMessage();
    if (message == null) {
      return cause.getClass().getSimpleName();
    }
    String line = message.split("\n", 2)[0].trim();
    return cause.getClass().getPackage().getName().startsWith("org.stripeline")
            || cause.getClass() == java.io.IOException.class
        ? line
        : cause.getClass().getSimpleName() + ": " + line;
  }
}
