// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Runs an action once when issued work has ended, and never before, because the action gives
 * buffers back that a device may write until then. Created before the work is issued, so that
 * nothing needs memory afterwards.
 */
public final class IssuedEnd implements BiConsumer<Object, Throwable> {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Consumer<Throwable> action;
  private final AtomicBoolean hasRun = new AtomicBoolean();

  /**
   * Creates the end of some work.
   *
   * @param action gets why the work failed, or null; it must not throw
   */
  public IssuedEnd(Consumer<Throwable> action) {
    this.action = action;
  }

  /** Has the action run when the work has ended; this thread waits if there is no other way. */
  public void follow(CompletableFuture<?> issued) {
    try {
      issued.whenComplete(this);
    } catch (RuntimeException | Error e) {
      while (!issued.isDone()) {
        LockSupport.parkNanos(POLL_NANOS);
      }
      accept(null, e);
    }
  }

  /** Runs the action, if it has not run yet. */
  @Override
  public void accept(Object result, Throwable why) {
    if (hasRun.compareAndSet(false, true)) {
      action.accept(why);
    }
  }
}
