// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.Map;
import java.util.concurrent.ThreadFactory;

/**
 * Replaces the threads that fetch for contexts without a cluster, which are created while it is
 * open.
 */
public final class OtherThreads implements AutoCloseable {
  private final Map<String, FetchThreads> shared;
  private final FetchThreads before;

  /** Sets threads from the factories {@code fetching} and {@code setAside}. */
  @SuppressWarnings("unchecked")
  public OtherThreads(int most, ThreadFactory fetching, ThreadFactory setAside) throws Exception {
    java.lang.reflect.Field field = ReadContext.class.getDeclaredField("THREADS");
    field.setAccessible(true);
    shared = (Map<String, FetchThreads>) field.get(null);
    before = shared.put("", new FetchThreads(most, fetching, setAside));
  }

  @Override
  public void close() {
    if (before == null) {
      shared.remove("");
    } else {
      shared.put("", before);
    }
  }
}
