// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.List;

/** Determines when the reads of a segment are late; guarded by the segment's lock. */
final class Lateness {
  private final ReadContext context;
  private final List<SpanRead> reads;

  Lateness(ReadContext context, List<SpanRead> reads) {
    this.context = context;
    this.reads = reads;
  }

  /**
   * Returns the nanoseconds until the first pending read is late; zero or less if one is late
   * already.
   */
  long untilLateNanos(long now) {
    long least = Long.MAX_VALUE;
    for (SpanRead read : reads) {
      if (read.isPending() && !read.late) {
        least = Math.min(least, dueNanos(read) - now);
      }
    }
    return least;
  }

  boolean isLate(SpanRead read, long now) {
    return dueNanos(read) - now <= 0;
  }

  private long dueNanos(SpanRead read) {
    // A queued read is measured from the start of the read that its lane runs, which may belong to
    // a later segment.
    long start =
        read.state == SpanRead.State.RUNNING ? read.startedNanos : read.lane.currentSinceNanos();
    return start + Math.max(peersNanos(), context.lateNanos(read.span.length()));
  }

  /**
   * Once half of the spans have arrived, the others may take three times the duration of the
   * slowest.
   */
  private long peersNanos() {
    long slowest = 0;
    int done = 0;
    for (SpanRead read : reads) {
      if (read.state == SpanRead.State.DONE) {
        done++;
        slowest = Math.max(slowest, read.nanos);
      }
    }
    return 2 * done >= reads.size() ? Math.max(context.hedgeMinNanos(), 3 * slowest) : 0;
  }
}
