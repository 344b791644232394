// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Runs the main class of a server, and ends with the process that writes to the input. */
public final class ServerMain {
  private ServerMain() {}

  /** Runs with the name of the class and its arguments. */
  public static void main(String[] arguments) throws Exception {
    Thread watch = new Thread(ServerMain::haltAtEndOfInput, "end-with-parent");
    watch.setDaemon(true);
    watch.start();
    String[] own = Arrays.copyOfRange(arguments, 1, arguments.length);
    Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) own);
  }

  private static void haltAtEndOfInput() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The other end is gone.
    }
    Runtime.getRuntime().halt(0);
  }
}
