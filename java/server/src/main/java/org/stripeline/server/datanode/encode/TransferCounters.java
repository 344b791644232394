// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.stripeline.agent.EncodeResult;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentMetrics;

/** Counts the bytes that one task has read and sent, by network distance. */
final class TransferCounters {
  private final AgentMetrics metrics;
  private final AtomicLong done = new AtomicLong();
  private final AtomicLongArray read = new AtomicLongArray(Distance.values().length);
  private final AtomicLongArray sent = new AtomicLongArray(Distance.values().length);

  TransferCounters(AgentMetrics metrics) {
    this.metrics = metrics;
  }

  /** Counts bytes that were read and verified. */
  void read(Distance distance, long bytes) {
    read.addAndGet(distance.ordinal(), bytes);
    done.addAndGet(bytes);
    metrics.add(distance.read, bytes);
  }

  /** Counts bytes that were passed to the network. */
  void sent(Distance distance, long bytes) {
    sent.addAndGet(distance.ordinal(), bytes);
    done.addAndGet(bytes);
    metrics.add(distance.sent, bytes);
  }

  long done() {
    return done.get();
  }

  long[] read() {
    return values(read);
  }

  long[] sent() {
    return values(sent);
  }

  private static long[] values(AtomicLongArray counts) {
    long[] values = new long[counts.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = counts.get(i);
    }
    return values;
  }

  /** Network distances, in the order of {@link EncodeResult}. */
  enum Distance {
    LOCAL(AgentCount.READ_LOCAL, AgentCount.SENT_LOCAL),
    RACK(AgentCount.READ_RACK, AgentCount.SENT_RACK),
    REMOTE(AgentCount.READ_REMOTE, AgentCount.SENT_REMOTE);

    private final AgentCount read;
    private final AgentCount sent;

    Distance(AgentCount read, AgentCount sent) {
      this.read = read;
      this.sent = sent;
    }
  }
}
