// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

/** Turns off that agents of this JVM make replicas durable, as if they had forgotten it. */
public final class SyncSwitch {
  private SyncSwitch() {}

  public static void set(boolean enabled) {
    ReplicaSync.method = enabled ? ReplicaSync::toDisk : (data, meta) -> {};
  }
}
