// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.check.GroupLocations.Unnamed;

/** Why the NameNode may not name replicas that exist, for reasons that all files have in common. */
final class UnnamedReplicas {
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final DistributedFileSystem fs;
  private final Ticker ticker;
  private boolean isKnown;
  private Unnamed known;
  private long readAt;

  UnnamedReplicas(DistributedFileSystem fs, Ticker ticker) {
    this.fs = fs;
    this.ticker = ticker;
  }

  /** Returns the reason, or {@code NONE}. */
  synchronized Unnamed reason() throws IOException {
    if (fs.isInSafeMode()) {
      // After a start of the NameNode; DataNodes report for a while after it has ended.
      isKnown = false;
      return Unnamed.NOT_REPORTED;
    }
    if (!isKnown || ticker.nanos() - readAt > REFRESH_NANOS) {
      known = read();
      readAt = ticker.nanos();
      isKnown = true;
    }
    return known;
  }

  private Unnamed read() throws IOException {
    for (DatanodeInfo node : fs.getDataNodeStats(DatanodeReportType.LIVE)) {
      if (node.getLastBlockReportTime() == 0) {
        return Unnamed.NOT_REPORTED;
      }
    }
    for (DatanodeInfo node : fs.getDataNodeStats(DatanodeReportType.ALL)) {
      if (node.isMaintenance()) {
        return Unnamed.IN_MAINTENANCE;
      }
    }
    return Unnamed.NONE;
  }
}
