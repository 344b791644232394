// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.util.Arrays;

/** Runs the main class of a server, and ends with the process that writes to the input. */
public final class ServerMain {
  private ServerMain() {}

  /** Runs with the name of the class and its arguments. */
  public static void main(String[] arguments) throws Exception {
    Jvm.atEndOfInput(() -> Runtime.getRuntime().halt(0));
    String[] own = Arrays.copyOfRange(arguments, 1, arguments.length);
    Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) own);
  }
}
