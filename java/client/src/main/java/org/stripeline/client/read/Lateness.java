// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.natives.Ticker;

/**
 * Determines when the reads of a segment are late, and waits until then; guarded by the segment's
 * lock.
 */
final class Lateness {
  private final ReadContext context;
  private final Ticker ticker;
  private final Standstill standstill;
  private final List<SpanRead> reads;

  Lateness(ReadContext context, List<SpanRead> reads) {
    this.context = context;
    this.ticker = context.ticker();
    this.standstill = new Standstill(context.socketTimeoutMillis());
    this.reads = reads;
  }

  /**
   * Waits for a change of the segment, or until a read is late.
   *
   * @param mayHedge whether late reads matter; otherwise only a change ends the wait, or the end of
   *     a step of {@link Standstill}
   * @return whether a read is late
   */
  boolean await(Segment segment, boolean mayHedge) throws InterruptedException {
    long start = ticker.nanos();
    long untilLateNanos = mayHedge ? untilLateNanos(start) : Long.MAX_VALUE;
    ticker.timedWait(segment, Math.min(untilLateNanos, Standstill.STEP_NANOS));
    if (untilLateNanos == Long.MAX_VALUE) {
      // Every read ends with its own timeout; if the end of all is lost, the caller must not hang.
      standstill.waited(ticker.nanos() - start);
    }
    return untilLateNanos <= 0;
  }

  /** Records that a read has finished or failed. */
  void changed() {
    standstill.changed();
  }

  /** Returns whether the caller has waited too long without a change. */
  boolean isStandstill() {
    return standstill.isOver();
  }

  /** Returns the exception of such a caller of a segment. */
  IOException standstill(String range) {
    return new IOException(
        "Cannot read "
            + range
            + ": no request has completed or failed for "
            + standstill.limitMinutes()
            + " min");
  }

  /** Returns the pending reads that are late and not yet marked. */
  List<SpanRead> late() {
    long now = ticker.nanos();
    List<SpanRead> late = new ArrayList<>();
    for (SpanRead read : reads) {
      if (read.isPending() && !read.late && dueNanos(read) - now <= 0) {
        late.add(read);
      }
    }
    return late;
  }

  private long untilLateNanos(long now) {
    long least = Long.MAX_VALUE;
    for (SpanRead read : reads) {
      if (read.isPending() && !read.late) {
        least = Math.min(least, dueNanos(read) - now);
      }
    }
    return least;
  }

  private long dueNanos(SpanRead read) {
    // A read that was late before, or waits in a lane that was blocked, is only waited for until
    // others suffice.
    return read.again ? sinceNanos(read) : usuallyDueNanos(read);
  }

  private long usuallyDueNanos(SpanRead read) {
    return sinceNanos(read) + Math.max(peersNanos(), context.lateNanos(read.span.length()));
  }

  private static long sinceNanos(SpanRead read) {
    // A queued read is measured from the start of the read that its lane runs, which may belong to
    // a later segment.
    return read.state == SpanRead.State.RUNNING ? read.startedNanos : read.lane.currentSinceNanos();
  }

  /** Returns whether a read that is late has taken long compared with the others, too. */
  boolean isUnusual(SpanRead read) {
    return !read.again || usuallyDueNanos(read) - ticker.nanos() <= 0;
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
