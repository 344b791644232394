// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.List;

/**
 * Calls {@code DFSClient.updateFileSystemReadStats}, which takes the duration of the read from
 * Hadoop 3.4 on.
 */
final class ReadStatisticsCompat {
  private static final MethodHandle WITH_TIME = find(int.class, int.class, long.class);
  private static final MethodHandle WITHOUT_TIME = find(int.class, int.class);

  private ReadStatisticsCompat() {}

  static List<String> missing() {
    return WITH_TIME == null && WITHOUT_TIME == null
        ? Collections.singletonList("DFSClient.updateFileSystemReadStats")
        : Collections.emptyList();
  }

  /**
   * Counts bytes read from a DataNode at {@code distance} in the statistics of the calling thread.
   */
  static void update(DFSClient client, int distance, int bytes, long millis) {
    try {
      if (WITH_TIME != null) {
        WITH_TIME.invokeExact(client, distance, bytes, millis);
      } else {
        WITHOUT_TIME.invokeExact(client, distance, bytes);
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("DFSClient.updateFileSystemReadStats threw", e);
    }
  }

  private static MethodHandle find(Class<?>... parameters) {
    try {
      return MethodHandles.lookup()
          .findVirtual(
              DFSClient.class,
              "updateFileSystemReadStats",
              MethodType.methodType(void.class, parameters));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
