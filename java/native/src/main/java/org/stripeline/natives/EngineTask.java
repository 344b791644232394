// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.util.concurrent.CompletableFuture;

/**
 * The promise of a task's result, and what keeps its buffers.
 *
 * <p>It is completed when no rail touches the buffers any more, by a thread of the engine that
 * completes all tasks: what depends on it must be short and must not wait for another task; use the
 * {@code Async} methods for anything else. It must not end the JVM where a shutdown hook closes the
 * engine, which waits for that thread. The task fails with an {@link EcException}, or, if it was
 * cancelled, with a {@link java.util.concurrent.CancellationException}. If other code completes it,
 * for example by {@code orTimeout}, the buffers may still be in use; {@link RailEngine#awaitAll()}
 * waits for them.
 */
public final class EngineTask extends CompletableFuture<ComparisonResult> {
  private final RailEngine engine;
  private final long number;

  /** Set when the engine has taken the task. */
  volatile boolean issued;

  /** The buffers, until the task has ended. */
  @SuppressWarnings("unused")
  private Object[] kept;

  /** Guards what follows. Not this, which others may lock while they wait. */
  private final Object end = new Object();

  /** Whether the engine has told how the task ended, or cannot tell any more. */
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
   * Gives the task up: what no rail has begun is not begun any more.
   *
   * <p>Other than {@link CompletableFuture#cancel} this does not complete the future at once, but
   * when no rail touches the buffers any more, soon after.
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

  private boolean isOver() {
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

  /** Takes the end that the engine has reported. */
  void end(ComparisonResult result) {
    kept = null;
    setOver();
    complete(result);
  }

  /** Takes it that the engine reports nothing; something may still use the buffers. */
  void giveUp(EcException failure) {
    setOver();
    completeExceptionally(failure);
  }

  /** Takes the failure that the engine has reported. */
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
