// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import java.util.Collections;
import java.util.Map;
import java.util.stream.Collectors;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.client.write.WriteStatistics;
import org.stripeline.coder.metrics.PublishedMetrics;

/**
 * Publishes the counts of the pipelines as the JMX beans {@code
 * Hadoop:service=Stripeline,name=Read} and {@code name=Write}, and as the metrics2 sources {@code
 * StripelineRead} and {@code StripelineWrite}.
 */
public final class ClientMetrics {
  private ClientMetrics() {}

  /** Publishes the metrics, once per process. */
  public static void publish() {
    Published.touch();
  }

  /** Publishes the metrics when the class is initialized, which happens once. */
  private static final class Published {
    static {
      read().publish();
      write().publish();
    }

    private Published() {}

    static void touch() {}
  }

  private static PublishedMetrics read() {
    PublishedMetrics metrics =
        new PublishedMetrics("Read", "Activity of Stripeline's read pipelines");
    for (ReadCount what : ReadCount.values()) {
      if (what.isFailure()) {
        metrics.failures(what.metricName(), what.description(), () -> count(what));
      } else {
        metrics.counter(what.metricName(), what.description(), () -> count(what));
      }
    }
    return metrics
        .gauge("UsedBufferBytes", "bytes of buffers in use", ReadContext::usedBufferBytes)
        .fraction(
            "SlowestDataNodeMillis",
            "mean milliseconds to fetch a span from the slowest DataNode",
            () -> slowest().getValue())
        .text("SlowestDataNode", "the slowest DataNode", () -> slowest().getKey())
        .text(
            "DataNodeMillis",
            "mean milliseconds to fetch a span by DataNode, as a JSON object",
            ClientMetrics::nodeMillis);
  }

  private static long count(ReadCount what) {
    return ReadContext.counters().get(what);
  }

  /** Returns the slowest DataNode with its mean; an empty name and 0 before the first fetch. */
  private static Map.Entry<String, Double> slowest() {
    Map<String, Double> millis = ReadContext.nodeMillis();
    return millis.isEmpty()
        ? Collections.singletonMap("", 0.0).entrySet().iterator().next()
        : Collections.max(millis.entrySet(), Map.Entry.comparingByValue());
  }

  /** The names are addresses, which need no escaping in JSON. */
  private static String nodeMillis() {
    return ReadContext.nodeMillis().entrySet().stream()
        .map(node -> '"' + node.getKey() + "\":" + node.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static PublishedMetrics write() {
    WriteStatistics statistics = WriteStatistics.shared();
    return new PublishedMetrics("Write", "Activity of Stripeline's write pipelines")
        .counter("StreamsOpened", "streams opened", statistics::streamsOpened)
        .failures("StreamsFailed", "streams that failed", statistics::streamsFailed)
        .counter("Stripes", "stripes encoded, partial ones included", statistics::stripes)
        .counter("Bytes", "bytes of user data encoded", statistics::bytes)
        .counter(
            "EncodeNanos",
            "nanoseconds spent encoding and computing checksums, over all threads",
            statistics::encodeNanos)
        .counter("Stalls", "times that a writer waited for room in its window", statistics::stalls)
        .counter("StallNanos", "nanoseconds that writers waited", statistics::stallNanos)
        .failures(
            "LateDataNodes",
            "late DataNodes that writers continued without",
            statistics::lateDataNodes)
        .fraction(
            "MeanWindowOccupancy",
            "mean number of stripes in progress when another one was begun",
            statistics::meanOccupancy)
        .gauge(
            "MaxWindowOccupancy",
            "maximum number of stripes in progress in any one stream",
            statistics::maxOccupancy);
  }
}
