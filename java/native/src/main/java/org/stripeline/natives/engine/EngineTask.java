// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.util.concurrent.CompletableFuture;
import org.stripeline.natives.codec.EcException;

/**
 * The future of a task's result, which also keeps the task's buffers reachable.
 *
 * <p>It is completed when no rail accesses the buffers any more, by the engine's thread that
 * completes all tasks. Dependent actions must therefore be short and must not wait for another
 * task; use the {@code Async} methods for anything else. A dependent action must not end the JVM if
 * a shutdown hook closes the engine, because closing waits for that thread. The task fails with an
 * {@link EcException}, or with a {@link java.util.concurrent.CancellationException} if it was
 * cancelled. If other code completes it, for example {@code orTimeout}, the buffers may still be in
 * use; {@link RailEngine#awaitAll()} waits for them.
 */
public final class EngineTask extends CompletableFuture<ComparisonResult> {
  private final RailEngine engine;
  private final long number;

  /** Set when the engine has accepted the task. */
  volatile boolean issued;

  /** The buffers, until the task has ended. */
  @SuppressWarnings("unused")
  private Object[] kept;

  /**
   * Guards the fields below. A separate object, because other code may lock the future while it
   * waits.
   */
  private final Object end = new Object();

  /** Whether the engine has reported the end of the task, or cannot report it any more. */
  private boolean over;

  EngineTask(RailEngine engine, long number, Object... kept) {
    this.engine = engine;
    this.number = number;
    this.kept = kept;
  }

  static EngineTask ended(ComparisonResult result) {
    EngineTask task = new EngineTask(null, 0);
    task.end(result);
    return task;
  }

  static EngineTask failed(EcException failure) {
    EngineTask task = new EngineTask(null, 0);
    task.giveUp(failure);
    return task;
  }

  long number() {
    return number;
  }

  /**
   * Cancels the task: pieces that no rail has started are not started.
   *
   * <p>Unlike {@link CompletableFuture#cancel}, this does not complete the future at once, but
   * shortly after, when no rail accesses the buffers any more.
   *
   * @param mayInterruptIfRunning has no effect
   * @return true if the task was cancelled, by this call or before, even if it then ends as failed;
   *     false if it had already ended otherwise
   */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean givenUp = !isOver() && engine.cancel(this);
    return givenUp || isCancelled();
  }

  /** Waits until the engine has reported the end, even if other code has completed this future. */
  void awaitEnd() {
    boolean interrupted = false;
    synchronized (end) {
      while (!over) {
        try {
          end.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isOver() {
    synchronized (end) {
      return over;
    }
  }

  private void setOver() {
    synchronized (end) {
      over = true;
      end.notifyAll();
    }
  }

  /** Completes the task with the result that the engine has reported. */
  void end(ComparisonResult result) {
    kept = null;
    setOver();
    complete(result);
  }

  /** Fails the task because the engine will not report its end; its buffers may still be in use. */
  void giveUp(EcException failure) {
    setOver();
    completeExceptionally(failure);
  }

  /** Fails the task with the failure that the engine has reported. */
  void fail(EcException failure) {
    kept = null;
    setOver();
    if (failure.kind() == EcException.Kind.CANCELLED) {
      super.cancel(false);
    } else {
      completeExceptionally(failure);
    }
  }
}
