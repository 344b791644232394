// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.concurrent.atomic.LongAdder;

/** What the read pipelines of this JVM have done since it started. */
public final class ReadCounters {
  final LongAdder bytesDelivered = new LongAdder();
  final LongAdder bytesFetched = new LongAdder();
  final LongAdder segments = new LongAdder();
  final LongAdder degradedSegments = new LongAdder();
  final LongAdder bytesDecoded = new LongAdder();
  final LongAdder hedges = new LongAdder();
  final LongAdder hedgesWon = new LongAdder();
  final LongAdder stalls = new LongAdder();
  final LongAdder corruptions = new LongAdder();
  final LongAdder failures = new LongAdder();

  ReadCounters() {}

  /** Returns bytes handed to callers. */
  public long bytesDelivered() {
    return bytesDelivered.sum();
  }

  /** Returns bytes that came from DataNodes, parity and unused read-ahead included. */
  public long bytesFetched() {
    return bytesFetched.sum();
  }

  /** Returns segments (up to some stripes fetched together) that were asked for. */
  public long segments() {
    return segments.sum();
  }

  /** Returns segments of which something had to be decoded. */
  public long degradedSegments() {
    return degradedSegments.sum();
  }

  /** Returns bytes that were computed rather than fetched. */
  public long bytesDecoded() {
    return bytesDecoded.sum();
  }

  /** Returns late spans in whose stead others were asked. */
  public long hedges() {
    return hedges.sum();
  }

  /** Returns hedges whose replacement was there before the late span. */
  public long hedgesWon() {
    return hedgesWon.sum();
  }

  /** Returns how often a caller had to wait for a segment. */
  public long stalls() {
    return stalls.sum();
  }

  /** Returns internal blocks found corrupt. */
  public long corruptions() {
    return corruptions.sum();
  }

  /** Returns segments that could not be read. */
  public long failures() {
    return failures.sum();
  }
}
