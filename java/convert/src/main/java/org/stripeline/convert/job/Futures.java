// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Waits for results of other threads, and rethrows their exceptions in this thread. */
public final class Futures {
  private Futures() {}

  public static <T> T get(Future<T> future) throws IOException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof IOException) {
        throw (IOException) cause;
      }
      if (cause instanceof Error) {
        throw (Error) cause;
      }
      throw new IOException(cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait: interrupted", e);
    }
  }
}
