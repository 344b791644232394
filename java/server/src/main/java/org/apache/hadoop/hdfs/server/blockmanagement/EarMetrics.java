// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.stripeline.coder.metrics.PublishedMetrics;
import org.stripeline.placement.ear.PendingCounts.Event;

/**
 * Publishes the counts of the placement policy that a NameNode uses as the JMX bean {@code
 * Hadoop:service=Stripeline,name=Placement} and the metrics2 source {@code StripelinePlacement}.
 */
final class EarMetrics {
  private static final LongAdder ERRORS = new LongAdder();
  private static final LongAdder LEFT = new LongAdder();
  private static final LongAdder OVERRULED = new LongAdder();

  /** Guarded by the class. */
  private static PublishedMetrics published;

  private EarMetrics() {}

  /** Counts a block that could not be placed because of an unexpected exception. */
  static void failed() {
    ERRORS.increment();
  }

  /** Counts a block in the directories for which no placement was tried. */
  static void left() {
    LEFT.increment();
  }

  /** Counts a block for which Hadoop's checks did not accept all DataNodes of its placement. */
  static void overruled() {
    OVERRULED.increment();
  }

  /**
   * Publishes the counts of a policy instead of those of the one before, which the NameNode has
   * replaced.
   *
   * @param stripes the pending stripes; null if the policy places no blocks
   * @param isInvalid whether the policy places no blocks because its settings are invalid
   */
  static synchronized void publish(EarStripes stripes, boolean isInvalid) {
    if (published != null) {
      published.close();
    }
    published =
        new PublishedMetrics("Placement", "Activity of Stripeline's placement policy")
            .failureState(
                "SettingsInvalid",
                "1 if settings are invalid, so that Hadoop's policy places all blocks",
                () -> isInvalid)
            .failures("Errors", "blocks left to Hadoop's policy by an exception", ERRORS::sum)
            .counter("BlocksPlaced", "blocks placed for encoding", of(stripes, Event.ADVISED))
            .counter(
                "BlocksLeftToHadoop",
                "blocks in the directories without a placement for encoding",
                () -> LEFT.sum() + of(stripes, Event.NOT_ADVISED).getAsLong())
            .counter(
                "BlocksOverruled",
                "blocks placed for encoding of which Hadoop's checks moved a replica elsewhere",
                OVERRULED::sum)
            .counter(
                "BlocksWithoutPlace",
                "blocks placed although none of their replicas can be retained",
                of(stripes, Event.WITHOUT_PLACE))
            .counter(
                "BlocksWithdrawn",
                "blocks placed again because their writer excluded a DataNode",
                of(stripes, Event.WITHDRAWN))
            .counter("Candidates", "candidates drawn for placements", of(stripes, Event.TRIED))
            .counter("StripesOpened", "stripes begun", of(stripes, Event.OPENED))
            .counter("StripesSealed", "stripes with all k blocks", of(stripes, Event.SEALED))
            .counter(
                "StripesClosedShort",
                "stripes closed with fewer than k blocks",
                of(stripes, Event.CLOSED_SHORT))
            .counter(
                "StripesAgedOut",
                "stripes discarded because no block followed for an hour",
                of(stripes, Event.AGED_OUT))
            .counter(
                "StripesEvicted",
                "stripes discarded because there were too many",
                of(stripes, Event.EVICTED))
            .publish();
  }

  private static LongSupplier of(EarStripes stripes, Event event) {
    return () -> stripes == null ? 0 : stripes.count(event);
  }
}
