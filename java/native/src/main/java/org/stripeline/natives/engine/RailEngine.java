// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.natives.codec.EcException;

/**
 * Erasure coding with all coders of this machine, by calls that wait or by issued tasks.
 *
 * <p>An engine has threads for each of its rails. A rail that fails, hangs or writes wrong bytes is
 * taken out of service, its work is repeated on other rails, and one WARN reports it. Several
 * threads may share an engine.
 *
 * <pre>{@code
 * try (RailEngine engine = RailEngine.open(EngineConfiguration.defaults())) {
 *   RailCodec codec = engine.codec(Code.RS, 6, 3);
 *   EngineTask one = codec.iencode(data, parity);
 *   EngineTask other = codec.iencode(moreData, moreParity);
 *   CompletableFuture.allOf(one, other).join();
 * }
 * }</pre>
 */
public final class RailEngine implements AutoCloseable {
  private static final List<String> RAILS_OF_CPUS = Arrays.asList("cpu", "isal");

  private final long handle;
  private final boolean closeable;
  private final EngineCompletions completions;
  private final AtomicLong numbers = new AtomicLong();
  private final boolean hasDevices;
  private volatile boolean closed;

  private RailEngine(EngineConfiguration configuration, boolean closeable, ThreadFactory threads)
      throws EcException {
    this.closeable = closeable;
    this.handle = openNative(configuration);
    this.completions = new EngineCompletions(handle);
    try {
      List<RailStatistics> rails = EngineStatistics.of(handle).rails();
      hasDevices = !rails.stream().allMatch(rail -> RAILS_OF_CPUS.contains(rail.name()));
      completions.start(threads);
    } catch (RuntimeException | Error e) {
      EngineBridge.close(handle);
      // Processes the last reports and releases the handle, as the thread would have done.
      completions.run();
      EcException failure =
          new EcException(
              EcException.Kind.CONFIGURATION,
              "Cannot open the engine: the thread that completes tasks cannot be started: " + e);
      failure.initCause(e);
      throw failure;
    }
  }

  /**
   * Opens a separate engine; at most 64 may be open in a process. It stays open until it is closed,
   * even if no references to it remain.
   *
   * @param configuration the configuration of the engine
   * @throws EcException if there is no native library, no rail, no thread, or a value is wrong; the
   *     message states which
   * @throws IllegalArgumentException if the configuration is null, or the maximum number of engines
   *     is open
   */
  public static RailEngine open(EngineConfiguration configuration) throws EcException {
    return open(configuration, EngineCompletions::newThread);
  }

  /** Opens an engine with a thread from {@code threads} that completes its tasks. */
  static RailEngine open(EngineConfiguration configuration, ThreadFactory threads)
      throws EcException {
    return new RailEngine(configuration, true, threads);
  }

  /**
   * Returns the engine of this process, configured by the system properties {@code
   * stripeline.engine.*} at the time of the first call. Closing it does nothing.
   *
   * @throws EcException as {@link #open}, on every call
   */
  public static RailEngine shared() throws EcException {
    EcException failure = Shared.FAILURE;
    if (failure != null) {
      throw new EcException(failure.kind(), failure.getMessage());
    }
    return Shared.INSTANCE;
  }

  /**
   * Returns a codec whose work this engine does; creating one takes about a microsecond.
   *
   * @param code the code
   * @param dataUnits number of data units, at least 1
   * @param parityUnits number of parity units, at least 1; exactly 1 for {@link Code#XOR}
   * @throws IllegalArgumentException if the code does not support these numbers, or 1024 others
   *     have been used in this process
   * @throws IllegalStateException if this engine is closed
   */
  public RailCodec codec(Code code, int dataUnits, int parityUnits) {
    if (code == null) {
      throw new IllegalArgumentException("Cannot create codec: the code is null");
    }
    checkOpen("create codec");
    return new EngineCodec(this, code, dataUnits, parityUnits);
  }

  /**
   * Waits until all of these tasks have ended, with or without success, and then throws the failure
   * of the first one that failed.
   *
   * @param tasks the tasks
   * @throws IOException if one failed
   * @throws java.util.concurrent.CancellationException if one was cancelled
   * @throws CompletionException if a future that depends on tasks failed
   * @throws IllegalStateException on the thread that completes tasks
   */
  public void awaitAll(Collection<? extends CompletableFuture<?>> tasks) throws IOException {
    refuseOnOwnThread("wait for tasks");
    for (CompletableFuture<?> task : tasks) {
      awaitEnd(task);
    }
    for (CompletableFuture<?> task : tasks) {
      try {
        task.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof EcException) {
          EcException cause = (EcException) e.getCause();
          EcException failure = new EcException(cause.kind(), cause.getMessage());
          failure.initCause(cause);
          throw failure;
        }
        throw e;
      }
    }
  }

  /**
   * Waits until all tasks that any thread has issued so far have ended, with or without success.
   *
   * @throws IllegalStateException on the thread that completes tasks
   */
  public void awaitAll() {
    refuseOnOwnThread("wait for tasks");
    for (EngineTask task : completions.underWay()) {
      awaitEnd(task);
    }
  }

  /**
   * Returns the counts of this engine and its rails.
   *
   * @throws IllegalStateException if this engine is closed
   */
  public EngineStatistics statistics() {
    return EngineStatistics.of(handle);
  }

  /**
   * Returns this engine as a JSON object: {@code scheduling}, {@code candidates} (the requested
   * rails, with the reason for each that is not used), {@code issued}, {@code outstanding} and
   * {@code rails}, with the statistics of each rail in use; the same as from the C interface.
   *
   * @throws IllegalStateException if this engine is closed
   */
  public String describe() {
    return EngineBridge.describe(handle);
  }

  /**
   * Closes this engine, after calls of other threads that wait inside it have returned. Pieces that
   * its rails have started are finished, waiting tasks end with {@link EcException.Kind#CLOSED},
   * and all buffers are released when this returns, except those that a device that hangs accesses
   * in place. To finish all tasks, wait for them first, for example with {@link #awaitAll()}.
   * Calling it again does nothing.
   *
   * @throws IllegalStateException on the thread that completes tasks, which it would wait for
   */
  @Override
  public void close() {
    if (!closeable) {
      return;
    }
    refuseOnOwnThread("close the engine");
    synchronized (completions) {
      if (!closed) {
        closed = true;
        EngineBridge.close(handle);
      }
    }
    completions.join();
  }

  @Override
  public String toString() {
    try {
      return "RailEngine(" + statistics().names() + ")";
    } catch (IllegalStateException e) {
      return "RailEngine(closed)";
    }
  }

  /** Returns whether it was opened with a rail other than those that compute on the CPUs. */
  boolean hasDevices() {
    return hasDevices;
  }

  long handle() {
    return handle;
  }

  void checkOpen(String verb) {
    if (closed) {
      throw new IllegalStateException("Cannot " + verb + ": the engine is closed");
    }
  }

  /** Creates a task that keeps these buffers until it is reported or forgotten. */
  EngineTask newTask(Object... kept) {
    EngineTask task = new EngineTask(this, numbers.incrementAndGet(), kept);
    completions.add(task);
    return task;
  }

  /** Removes a task that was not issued. */
  void forget(EngineTask task) {
    completions.forget(task);
  }

  boolean cancel(EngineTask task) {
    try {
      return EngineBridge.cancel(handle, task.number());
    } catch (IllegalStateException e) {
      // The engine is closed, so the task has ended.
      return false;
    }
  }

  private void refuseOnOwnThread(String verb) {
    if (completions.isCurrentThread()) {
      throw new IllegalStateException(
          "Cannot " + verb + ": this is the thread that completes tasks, which must not wait");
    }
  }

  private static void awaitEnd(CompletableFuture<?> task) {
    task.handle((result, failure) -> null).join();
    if (task instanceof EngineTask) {
      ((EngineTask) task).awaitEnd();
    }
  }

  private static long openNative(EngineConfiguration configuration) throws EcException {
    if (configuration == null) {
      throw new IllegalArgumentException("Cannot open the engine: the configuration is null");
    }
    EngineBridge.requireLibrary("open the engine");
    try {
      return EngineBridge.open(configuration.text());
    } catch (EcException e) {
      throw e;
    } catch (IOException e) {
      throw new EcException(EcException.Kind.INTERNAL, e.getMessage());
    } catch (UnsatisfiedLinkError e) {
      throw new EcException(
          EcException.Kind.CONFIGURATION,
          "Cannot open the engine: the native library "
              + CoderStatus.current().origin().orElse("in use")
              + " has none; it is older than this jar");
    }
  }

  private static final class Shared {
    static final RailEngine INSTANCE;
    static final EcException FAILURE;

    static {
      RailEngine engine = null;
      EcException failure = null;
      try {
        EngineConfiguration configuration = EngineConfiguration.of(System.getProperties());
        engine = new RailEngine(configuration, false, EngineCompletions::newThread);
      } catch (EcException e) {
        failure = e;
      } catch (IllegalArgumentException e) {
        failure = new EcException(EcException.Kind.CONFIGURATION, e.getMessage());
      }
      INSTANCE = engine;
      FAILURE = failure;
    }

    private Shared() {}
  }
}
