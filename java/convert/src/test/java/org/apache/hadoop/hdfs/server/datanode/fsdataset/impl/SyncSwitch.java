// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

/** Disables the syncing of replicas to disk by the agents of this JVM, to simulate its absence. */
public final class SyncSwitch {
  private SyncSwitch() {}

  public static void set(boolean enabled) {
    ReplicaSync.method = enabled ? ReplicaSync::toDisk : (data, meta) -> {};
  }
}
