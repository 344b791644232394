// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.List;

/**
 * Calls {@code DFSClient.beginFileLease}, which is private, and {@code endFileLease}. Both take the
 * unique key of the stream from Hadoop 3.4 on and the file ID in earlier releases.
 */
final class LeaseCompat {
  private static final MethodHandle BEGIN_BY_KEY = begin(String.class);
  private static final MethodHandle END_BY_KEY = end(String.class);
  private static final MethodHandle KEY = WriteCompat.find(DFSOutputStream.class, "getUniqKey");
  private static final MethodHandle BEGIN_BY_FILE = begin(long.class);
  private static final MethodHandle END_BY_FILE = end(long.class);

  private LeaseCompat() {}

  static List<String> missing() {
    return isByFile() || (BEGIN_BY_KEY != null && END_BY_KEY != null && KEY != null)
        ? Collections.emptyList()
        : Collections.singletonList("DFSClient.beginFileLease or endFileLease");
  }

  private static boolean isByFile() {
    return BEGIN_BY_FILE != null && END_BY_FILE != null;
  }

  /** Registers an open file with the client, which renews its lease from now on. */
  static void begin(DFSClient client, DFSOutputStream out) throws IOException {
    WriteCompat.call(
        () -> {
          if (isByFile()) {
            BEGIN_BY_FILE.invoke(client, out.getFileId(), out);
          } else {
            BEGIN_BY_KEY.invoke(client, (String) KEY.invoke(out), out);
          }
          return null;
        });
  }

  /** Removes a file from those whose leases the client renews. */
  static void end(DFSClient client, DFSOutputStream out) throws IOException {
    WriteCompat.call(
        () -> {
          if (isByFile()) {
            END_BY_FILE.invoke(client, out.getFileId());
          } else {
            END_BY_KEY.invoke(client, (String) KEY.invoke(out));
          }
          return null;
        });
  }

  private static MethodHandle begin(Class<?> key) {
    return WriteCompat.find(DFSClient.class, "beginFileLease", key, DFSOutputStream.class);
  }

  private static MethodHandle end(Class<?> key) {
    return WriteCompat.find(DFSClient.class, "endFileLease", key);
  }
}
