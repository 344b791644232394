// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.scrub.ledger.Ledger;

/**
 * Closes the ledger when a signal ends the process, before Hadoop closes its file systems, so that
 * all checks are recorded and the next scrub need not wait for the lease.
 */
final class LedgerAtSignal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerAtSignal.class);

  private final Runnable hook;

  LedgerAtSignal(Ledger ledger) {
    hook = () -> end(ledger);
    ShutdownHookManager.get().addShutdownHook(hook, FileSystem.SHUTDOWN_HOOK_PRIORITY + 1);
  }

  private static void end(Ledger ledger) {
    try {
      ledger.close();
    } catch (IOException e) {
      LOG.warn("Cannot close the ledger; what was checked in the last 10 s may be lost", e);
    }
  }

  @Override
  public void close() {
    if (!ShutdownHookManager.get().isShutdownInProgress()) {
      ShutdownHookManager.get().removeShutdownHook(hook);
    }
  }
}
