// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.util.Arrays;
import org.stripeline.lab.cluster.ChildJvm;

/**
 * Runs a command in a JVM that ends with the one that started it: when its input ends, which also
 * happens if that process is killed, it exits as after a signal and so deletes what it created.
 */
public final class ChildMain {
  /** As after SIGTERM. */
  private static final int TERMINATED = 143;

  private ChildMain() {}

  /**
   * Runs the command.
   *
   * @param arguments the name of its class, and its own arguments
   */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Thread watch = new Thread(ChildMain::exitAtEndOfInput, "end-with-parent");
    watch.setDaemon(true);
    watch.start();
    Class.forName(arguments[0])
        .getMethod("main", String[].class)
        .invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
  }

  private static void exitAtEndOfInput() {
    ChildJvm.awaitEndOfInput();
    System.exit(TERMINATED);
  }
}
