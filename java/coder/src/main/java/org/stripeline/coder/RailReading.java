// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import org.stripeline.natives.engine.RailStatistics;

/**
 * The readings of one rail of an {@link EngineMXBean}; counts are of pieces of tasks since the
 * engine was opened.
 */
public final class RailReading {
  private final RailStatistics rail;

  RailReading(RailStatistics rail) {
    this.rail = rail;
  }

  /** Returns the rail's name. */
  public String getName() {
    return rail.name();
  }

  /** Returns the reason why the rail receives no work, or an empty string. */
  public String getOutOfService() {
    return rail.outOfService().orElse("");
  }

  /** Returns whether the rail increases the total rate. */
  public boolean isFed() {
    return rail.isFed();
  }

  /** Returns the estimated rate of the rail in bytes of data per second. */
  public long getRate() {
    return rail.rate();
  }

  /** Returns the number of entries in its queues. */
  public long getQueued() {
    return rail.queued();
  }

  /** Returns the number of pieces that it has completed. */
  public long getPieces() {
    return rail.pieces();
  }

  /** Returns the bytes of data of these pieces. */
  public long getDataBytes() {
    return rail.dataBytes();
  }

  /** Returns the nanoseconds that its workers were busy. */
  public long getBusyNanos() {
    return rail.busyNanos();
  }

  /** Returns the nanoseconds of CPU time of its workers. */
  public long getCpuNanos() {
    return rail.cpuNanos();
  }

  /** Returns the number of pieces taken from other rails. */
  public long getStolen() {
    return rail.stolen();
  }

  /** Returns the number of pieces that it failed. */
  public long getFaults() {
    return rail.faults();
  }

  /** Returns the number of pieces taken away because it did not answer. */
  public long getRevoked() {
    return rail.revoked();
  }

  /** Returns how often it was taken out of service. */
  public long getQuarantines() {
    return rail.quarantines();
  }

  /** Returns the number of pieces that it compared for other rails. */
  public long getChecks() {
    return rail.checks();
  }

  /** Returns the number of pieces with wrong bytes. */
  public long getWrong() {
    return rail.wrong();
  }

  /** Returns the nanoseconds within which half of its tasks were started. */
  public long getWaitNanosMedian() {
    return rail.waitNanos(0.5);
  }

  /** Returns the nanoseconds within which 99 % of its tasks were started. */
  public long getWaitNanos99() {
    return rail.waitNanos(0.99);
  }

  /** Returns the nanoseconds within which half of its pieces were completed. */
  public long getServiceNanosMedian() {
    return rail.serviceNanos(0.5);
  }

  /** Returns the nanoseconds within which 99 % of its pieces were completed. */
  public long getServiceNanos99() {
    return rail.serviceNanos(0.99);
  }
}
