// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** Where an agent keeps a replica in quarantine. */
public final class QuarantinedReplica {
  /** The directory on the DataNode; null if the DataNode has no replica of the block. */
  public final String directory;

  /** The length of the replica's file, in bytes. */
  public final long bytes;

  /** Whether the replica was removed from the DataNode. */
  public final boolean isRemoved;

  /** Creates a description. */
  public QuarantinedReplica(String directory, long bytes, boolean isRemoved) {
    this.directory = directory;
    this.bytes = bytes;
    this.isRemoved = isRemoved;
  }
}
