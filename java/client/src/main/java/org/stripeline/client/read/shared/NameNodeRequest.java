// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

/**
 * A request to the NameNode that threads share while it is in flight. It is carried out by another
 * thread than those that need it, because they are interrupted when they are given up: all threads
 * of a client share a connection to the NameNode, and an interrupt while it is set up fails the
 * calls of all. A thread can be interrupted while it waits, so that a NameNode that hangs does not
 * block it.
 */
public final class NameNodeRequest<T> {
  private final FetchThreads threads;
  private final String nameNode;
  private final String what;
  private final Call<T> call;

  /** The request that was begun last, null before the first. Guarded by this object's lock. */
  private CompletableFuture<T> last;

  /** A call to the NameNode. */
  public interface Call<T> {
    /** Calls the NameNode. */
    T call() throws IOException;
  }

  /**
   * Creates a request that is not begun yet.
   *
   * @param nameNode the NameNode or nameservice
   * @param what what is requested, for messages
   */
  public NameNodeRequest(FetchThreads threads, String nameNode, String what, Call<T> call) {
    this.threads = threads;
    this.nameNode = nameNode;
    this.what = what;
    this.call = call;
  }

  /** Returns the answer to the request that is in flight, or to a new one. */
  public T answer() throws IOException {
    return answerIf(() -> true);
  }

  /**
   * Returns the answer to the request that is in flight, or to a new one; null if it is not needed.
   */
  public T answerIf(BooleanSupplier isNeeded) throws IOException {
    CompletableFuture<T> request;
    boolean isNew;
    synchronized (this) {
      if (!isNeeded.getAsBoolean()) {
        return null;
      }
      isNew = last == null || last.isDone();
      if (isNew) {
        last = new CompletableFuture<>();
      }
      request = last;
    }
    if (isNew) {
      begin(request);
    }
    return await(request);
  }

  /** Makes later callers begin a new request instead of waiting for the one that is in flight. */
  public synchronized void dropInFlight() {
    last = null;
  }

  private void begin(CompletableFuture<T> request) {
    try {
      threads.request(nameNode, () -> carryOut(request));
    } catch (RuntimeException | Error e) {
      // Otherwise all later requests would wait for this one.
      request.completeExceptionally(e);
      throw e;
    }
  }

  private void carryOut(CompletableFuture<T> request) {
    try {
      request.complete(call.call());
    } catch (IOException | RuntimeException | Error e) {
      request.completeExceptionally(e);
    }
  }

  private T await(CompletableFuture<T> request) throws IOException {
    try {
      return request.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while the NameNode is asked");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof IOException
          ? new IOException(cause.getMessage(), cause)
          : new IOException("Cannot request " + what + ": " + cause, cause);
    }
  }
}
