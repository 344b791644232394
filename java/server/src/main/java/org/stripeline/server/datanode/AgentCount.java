// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

/** The counters of an agent. */
public enum AgentCount {
  /** Replicas that were linked. */
  LINKS("Links", "replicas linked"),
  /** Replicas among them whose bytes had to be copied. */
  COPIES("Copies", "replicas copied because they could not be linked"),
  /** Replicas that were removed again. */
  UNLINKS("Unlinks", "replicas unlinked"),
  /** Bytes read from the DataNode's own replicas. */
  READ_LOCAL("ReadLocalBytes", "bytes of data read from this DataNode"),
  /** Bytes read from other DataNodes of the rack. */
  READ_RACK("ReadRackBytes", "bytes of data read from this rack"),
  /** Bytes read from other racks. */
  READ_REMOTE("ReadRemoteBytes", "bytes of data read from other racks"),
  /** Bytes written to the DataNode itself. */
  SENT_LOCAL("SentLocalBytes", "bytes written to this DataNode"),
  /** Bytes sent within the rack. */
  SENT_RACK("SentRackBytes", "bytes sent to this rack"),
  /** Bytes sent to other racks. */
  SENT_REMOTE("SentRemoteBytes", "bytes sent to other racks"),
  /** Bytes read from disk to verify what was written. */
  VERIFIED("VerifiedBytes", "bytes read from disks to verify them"),
  /** Replicas that were abandoned during a read in favor of the next one. */
  READ_FAILOVERS("ReadFailovers", "reads that switched to another replica"),
  /** Calls that read windows for fingerprints. */
  FINGERPRINT_CALLS("FingerprintCalls", "calls for fingerprints that read a replica"),
  /** Bytes read for fingerprints. */
  FINGERPRINTED("FingerprintedBytes", "bytes read for fingerprints"),
  /** Bytes among them that went through the page cache. */
  FINGERPRINTED_CACHED(
      "FingerprintedCachedBytes", "bytes read for fingerprints through the page cache"),
  /** Calls for fingerprints that were refused for now. */
  FINGERPRINTS_BUSY("FingerprintsBusy", "calls for fingerprints refused for now"),
  /** Chunks with wrong checksums, found while reading for fingerprints. */
  CHUNKS_BAD("FingerprintedBadChunks", "chunks with wrong checksums, found for fingerprints"),
  /** Replicas that could not be read for fingerprints. */
  REPLICAS_UNREADABLE("FingerprintedUnreadable", "calls for fingerprints that could not read"),
  /** Replicas that were linked into the quarantine. */
  QUARANTINED("QuarantinedReplicas", "replicas linked into the quarantine"),
  /** Tasks that have succeeded. */
  TASKS_DONE("TasksDone", "tasks that have succeeded"),
  /** Tasks that have failed. */
  TASKS_FAILED("TasksFailed", "tasks that have failed"),
  /** Tasks that were cancelled. */
  TASKS_CANCELLED("TasksCancelled", "tasks that were cancelled"),
  /** Calls that failed or were refused, except those of {@link #CALLS_BUSY}. */
  CALLS_FAILED("CallsFailed", "calls that failed, or were refused for good"),
  /** Calls that the caller retries, which is no failure. */
  CALLS_BUSY("CallsBusy", "calls refused for now: too many, or the NameNode was not ready");

  private final String metricName;
  private final String description;

  AgentCount(String metricName, String description) {
    this.metricName = metricName;
    this.description = description;
  }

  /** Returns the name in metrics sinks and beans. */
  public String metricName() {
    return metricName;
  }

  /** Returns whether the counter stays 0 unless something fails. */
  public boolean isFailure() {
    switch (this) {
      case READ_FAILOVERS:
      case CHUNKS_BAD:
      case REPLICAS_UNREADABLE:
      case TASKS_FAILED:
      case CALLS_FAILED:
        return true;
      default:
        return false;
    }
  }

  /** Returns a description of the counter. */
  public String description() {
    return description;
  }
}
