// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.util.concurrent.CompletableFuture;

/**
 * The promise of a task's verdict, and what keeps its buffers.
 *
 * <p>It is completed when no rail touches the buffers any more, by a thread of the engine that
 * completes all tasks: what depends on it must be short and must not wait for another task; use the
 * {@code Async} methods for anything else. It fails with an {@link EcException}, or, if it was
 * cancelled, with a {@link java.util.concurrent.CancellationException}. Whoever completes it by
 * other means learns nothing about the buffers.
 */
public final class EngineTask extends CompletableFuture<Verdict> {
  private final RailEngine engine;
  private final long number;

  /** The buffers, until the task has ended. */
  private Object[] kept;

  EngineTask(RailEngine engine, long number, Object... kept) {
    this.engine = engine;
    this.number = number;
    this.kept = kept;
  }

  static EngineTask ended(Verdict verdict) {
    EngineTask task = new EngineTask(null, 0);
    task.complete(verdict);
    return task;
  }

  static EngineTask failed(EcException failure) {
    EngineTask task = new EngineTask(null, 0);
    task.completeExceptionally(failure);
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
   * @return whether the task will end cancelled; false if it had ended already
   */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    if (isDone()) {
      return isCancelled();
    }
    return engine.cancel(this);
  }

  /** Takes the end that the engine has reported. */
  void end(Verdict verdict) {
    kept = null;
    complete(verdict);
  }

  void fail(EcException failure) {
    kept = null;
    if (failure.kind() == EcException.Kind.CANCELLED) {
      super.cancel(false);
    } else {
      completeExceptionally(failure);
    }
  }
}
