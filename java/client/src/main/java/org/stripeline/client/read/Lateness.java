// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.List;

/** When the reads of a segment are late; under the segment's lock. */
final class Lateness {
  private final ReadContext context;
  private final List<SpanRead> reads;

  Lateness(ReadContext context, List<SpanRead> reads) {
    this.context = context;
    this.reads = reads;
  }

  /** Returns nanoseconds until the first pending read is late; none or less if one is. */
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
    // In a queue it is as late as what stands before it, which may be of a segment further ahead.
    long start =
        read.state == SpanRead.State.RUNNING ? read.startedNanos : read.lane.currentSinceNanos();
    return start + Math.max(peersNanos(), context.lateNanos(read.span.length()));
  }

  /** Where half of the spans are in, three times what they took is what the others may take. */
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
