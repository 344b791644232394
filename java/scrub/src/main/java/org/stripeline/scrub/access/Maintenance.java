// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.access;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.stripeline.natives.Ticker;

/**
 * Whether DataNodes are in maintenance. The NameNode does not name their replicas, which count all
 * the same.
 */
final class Maintenance {
  private static final long REFRESH_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final DistributedFileSystem fs;
  private final Ticker ticker;
  private boolean isKnown;
  private boolean isAny;
  private long readAt;

  Maintenance(DistributedFileSystem fs, Ticker ticker) {
    this.fs = fs;
    this.ticker = ticker;
  }

  synchronized boolean isAny() throws IOException {
    if (!isKnown || ticker.nanos() - readAt > REFRESH_NANOS) {
      isAny = false;
      for (DatanodeInfo node : fs.getDataNodeStats(DatanodeReportType.ALL)) {
        isAny |= node.isMaintenance();
      }
      readAt = ticker.nanos();
      isKnown = true;
    }
    return isAny;
  }
}
