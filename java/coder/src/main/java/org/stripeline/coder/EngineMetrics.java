// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;
import org.stripeline.coder.metrics.PublishedMetrics;
import org.stripeline.natives.engine.RailEngine;
import org.stripeline.natives.engine.RailStatistics;

/**
 * Publishes the counts of an engine and its rails: the JMX beans {@code
 * Hadoop:service=Stripeline,name=Engine} and {@code name=Rail,rail=...}, and the metrics2 sources
 * {@code StripelineEngine} and {@code StripelineRail-...}, whose records have the rail as a tag.
 * The engine counts in any case; reading one count takes some microseconds.
 */
final class EngineMetrics {
  private EngineMetrics() {}

  /** Publishes the metrics of an engine, whose rails do not change. */
  static void publish(RailEngine engine) {
    new PublishedMetrics("Engine", "Activity of the erasure coding engine")
        .text(
            "Description",
            "the engine as JSON, with the rails that are not used and why",
            engine::describe)
        .counter("Issued", "tasks issued", () -> engine.statistics().issued())
        .gauge("Outstanding", "tasks that have not ended", () -> engine.statistics().outstanding())
        .publish();
    List<RailStatistics> rails = engine.statistics().rails();
    for (int i = 0; i < rails.size(); i++) {
      publish(engine, i, rails.get(i).name());
    }
  }

  private static void publish(RailEngine engine, int index, String name) {
    new Rail(engine, index)
        .metrics(name)
        .publish(Collections.singletonMap("rail", name.replace(':', '-')), "-" + name);
  }

  /** Reads one rail of an engine. */
  private static final class Rail {
    private final RailEngine engine;
    private final int index;

    Rail(RailEngine engine, int index) {
      this.engine = engine;
      this.index = index;
    }

    private RailStatistics now() {
      return engine.statistics().rails().get(index);
    }

    private long read(ToLongFunction<RailStatistics> count) {
      return count.applyAsLong(now());
    }

    PublishedMetrics metrics(String name) {
      return new PublishedMetrics("Rail", "Activity of a rail of the erasure coding engine")
          .tag("Rail", "name of the rail", () -> name)
          .text(
              "OutOfServiceCause",
              "reason why it gets no tasks",
              () -> now().outOfService().orElse(""))
          .failureState(
              "OutOfService", "1 if it gets no tasks", () -> now().outOfService().isPresent())
          .gauge(
              "Active",
              "1 if it is in use because it raises the total rate",
              () -> now().isActive() ? 1 : 0)
          .gauge("Rate", "estimated bytes of data per second", () -> read(RailStatistics::rate))
          .gauge("Queued", "entries waiting in its queues", () -> read(RailStatistics::queued))
          .counter("Pieces", "pieces of tasks completed", () -> read(RailStatistics::pieces))
          .counter(
              "DataBytes",
              "bytes of data of completed pieces",
              () -> read(RailStatistics::dataBytes))
          .counter(
              "BusyNanos",
              "nanoseconds that its workers were busy",
              () -> read(RailStatistics::busyNanos))
          .counter(
              "CpuNanos",
              "nanoseconds of CPU time of its workers",
              () -> read(RailStatistics::cpuNanos))
          .counter("Stolen", "pieces taken from other rails", () -> read(RailStatistics::stolen))
          .counter(
              "Checks",
              "pieces of other rails that it compared",
              () -> read(RailStatistics::checks))
          .failures("Faults", "pieces that failed on it", () -> read(RailStatistics::faults))
          .failures(
              "Revoked",
              "pieces revoked because it did not answer",
              () -> read(RailStatistics::revoked))
          .failures(
              "Quarantines",
              "times it was put out of service",
              () -> read(RailStatistics::quarantines))
          .failures("Wrong", "pieces with wrong bytes", () -> read(RailStatistics::wrong))
          .gauge(
              "WaitNanosMedian",
              "median nanoseconds from issue to start of its tasks",
              () -> now().waitNanos(0.5))
          .gauge(
              "WaitNanos99",
              "99th percentile of the nanoseconds from issue to start of its tasks",
              () -> now().waitNanos(0.99))
          .gauge(
              "ServiceNanosMedian",
              "median nanoseconds to code a piece",
              () -> now().serviceNanos(0.5))
          .gauge(
              "ServiceNanos99",
              "99th percentile of the nanoseconds to code a piece",
              () -> now().serviceNanos(0.99));
    }
  }
}
