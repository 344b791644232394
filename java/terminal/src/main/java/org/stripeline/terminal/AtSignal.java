// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

/** Prints something when a signal ends the process during a command. */
public final class AtSignal implements AutoCloseable {
  private static final long LIMIT_MS = 3000;

  private final Thread hook;

  /**
   * Waits for the end of the process, until this is closed.
   *
   * @param printer runs while the command continues
   */
  public AtSignal(Runnable printer) {
    hook = new Thread(() -> runOrGiveUp(printer), "stripeline-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Runs a printer for at most {@link #LIMIT_MS}: while the output of the process is not read, a
   * thread that writes to it waits, and may hold locks that the printer needs.
   */
  public static void runOrGiveUp(Runnable printer) {
    Thread writer = new Thread(printer, "stripeline-explanation");
    writer.setDaemon(true);
    writer.start();
    try {
      writer.join(LIMIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: let the hook print its text.
      try {
        hook.join();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
