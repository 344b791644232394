// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;

/** Replaces the threads that fetch, of this JVM, until it is closed. */
public final class OtherThreads implements AutoCloseable {
  private final AtomicReference<FetchThreads> shared;
  private final FetchThreads before;

  /** Sets threads from the factories {@code fetching} and {@code setAside}. */
  @SuppressWarnings("unchecked")
  public OtherThreads(int most, ThreadFactory fetching, ThreadFactory setAside) throws Exception {
    java.lang.reflect.Field field = ReadContext.class.getDeclaredField("THREADS");
    field.setAccessible(true);
    shared = (AtomicReference<FetchThreads>) field.get(null);
    before = shared.getAndSet(new FetchThreads(most, fetching, setAside));
  }

  @Override
  public void close() {
    shared.set(before);
  }
}
