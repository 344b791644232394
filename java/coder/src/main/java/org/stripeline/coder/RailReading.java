// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import org.stripeline.natives.RailStatistics;

/** One rail of an {@link EngineMXBean}; counts are of pieces of tasks since the engine started. */
public final class RailReading {
  private final RailStatistics rail;

  RailReading(RailStatistics rail) {
    this.rail = rail;
  }

  /** Returns the rail's name. */
  public String getName() {
    return rail.name();
  }

  /** Returns why the rail is given no work, or an empty text. */
  public String getOutOfService() {
    return rail.outOfService().orElse("");
  }

  /** Returns whether the rail adds to what all do together. */
  public boolean isFed() {
    return rail.isFed();
  }

  /** Returns bytes of data a second that the rail is taken to do. */
  public long getRate() {
    return rail.rate();
  }

  /** Returns the entries waiting in its queues. */
  public long getQueued() {
    return rail.queued();
  }

  /** Returns the pieces done. */
  public long getPieces() {
    return rail.pieces();
  }

  /** Returns the bytes of data of these. */
  public long getDataBytes() {
    return rail.dataBytes();
  }

  /** Returns nanoseconds that its workers were busy. */
  public long getBusyNanos() {
    return rail.busyNanos();
  }

  /** Returns nanoseconds of CPU time of its workers. */
  public long getCpuNanos() {
    return rail.cpuNanos();
  }

  /** Returns the pieces taken over from other rails. */
  public long getStolen() {
    return rail.stolen();
  }

  /** Returns the pieces that it failed. */
  public long getFaults() {
    return rail.faults();
  }

  /** Returns the pieces taken away because it did not answer. */
  public long getRevoked() {
    return rail.revoked();
  }

  /** Returns how often it was put out of service. */
  public long getQuarantines() {
    return rail.quarantines();
  }

  /** Returns the pieces that it compared for other rails. */
  public long getChecks() {
    return rail.checks();
  }

  /** Returns the pieces found to hold wrong bytes. */
  public long getWrong() {
    return rail.wrong();
  }

  /** Returns nanoseconds within which half of its tasks were begun. */
  public long getWaitNanosMedian() {
    return rail.waitNanos(0.5);
  }

  /** Returns nanoseconds within which 99 % of its tasks were begun. */
  public long getWaitNanos99() {
    return rail.waitNanos(0.99);
  }

  /** Returns nanoseconds within which half of its pieces were done. */
  public long getServiceNanosMedian() {
    return rail.serviceNanos(0.5);
  }

  /** Returns nanoseconds within which 99 % of its pieces were done. */
  public long getServiceNanos99() {
    return rail.serviceNanos(0.99);
  }
}
