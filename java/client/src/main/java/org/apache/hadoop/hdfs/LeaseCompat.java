// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;

/**
 * Calls the private method {@code DFSClient.beginFileLease}, which takes the unique key of the
 * stream from Hadoop 3.4 on and the file ID in earlier releases.
 */
final class LeaseCompat {
  private static final MethodHandle BY_KEY = begin(String.class);
  private static final MethodHandle KEY = key();
  private static final MethodHandle BY_FILE = begin(long.class);

  private LeaseCompat() {}

  static List<String> missing() {
    return BY_FILE != null || (BY_KEY != null && KEY != null)
        ? Collections.emptyList()
        : Collections.singletonList("DFSClient.beginFileLease");
  }

  /** Registers an open file with the client, which renews its lease from now on. */
  static void begin(DFSClient client, DFSOutputStream out) throws IOException {
    try {
      if (BY_FILE != null) {
        BY_FILE.invoke(client, out.getFileId(), out);
      } else {
        BY_KEY.invoke(client, (String) KEY.invoke(out), out);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  private static MethodHandle begin(Class<?> key) {
    try {
      Method method =
          DFSClient.class.getDeclaredMethod("beginFileLease", key, DFSOutputStream.class);
      method.setAccessible(true);
      return MethodHandles.lookup().unreflect(method);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  private static MethodHandle key() {
    try {
      return MethodHandles.lookup()
          .unreflect(DFSOutputStream.class.getDeclaredMethod("getUniqKey"));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }
}
