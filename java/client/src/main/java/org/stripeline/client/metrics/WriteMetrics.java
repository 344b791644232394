// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;
import org.stripeline.client.write.WriteStatistics;

/** Publishes the counts of the write pipelines through JMX and metrics2. */
final class WriteMetrics implements WriteMXBean, MetricsSource {
  static final String SOURCE_NAME = "StripelineWrite";

  private final WriteStatistics statistics = WriteStatistics.shared();

  @Override
  public long getStreamsOpened() {
    return statistics.streamsOpened();
  }

  @Override
  public long getStreamsFailed() {
    return statistics.streamsFailed();
  }

  @Override
  public long getStripes() {
    return statistics.stripes();
  }

  @Override
  public long getBytes() {
    return statistics.bytes();
  }

  @Override
  public long getEncodeNanos() {
    return statistics.encodeNanos();
  }

  @Override
  public long getStalls() {
    return statistics.stalls();
  }

  @Override
  public long getStallNanos() {
    return statistics.stallNanos();
  }

  @Override
  public long getLateDataNodes() {
    return statistics.lateDataNodes();
  }

  @Override
  public double getMeanWindowOccupancy() {
    return statistics.meanOccupancy();
  }

  @Override
  public long getMaxWindowOccupancy() {
    return statistics.maxOccupancy();
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(SOURCE_NAME).setContext("stripeline");
    record.addCounter(Interns.info("StreamsOpened", "streams opened"), getStreamsOpened());
    record.addCounter(Interns.info("StreamsFailed", "streams that failed"), getStreamsFailed());
    record.addCounter(Interns.info("Stripes", "stripes encoded"), getStripes());
    record.addCounter(Interns.info("Bytes", "bytes of user data encoded"), getBytes());
    record.addCounter(
        Interns.info("EncodeNanos", "nanoseconds spent encoding and computing checksums"),
        getEncodeNanos());
    record.addCounter(
        Interns.info("Stalls", "times that a writer waited for room in its window"), getStalls());
    record.addCounter(
        Interns.info("StallNanos", "nanoseconds that writers waited"), getStallNanos());
    record.addCounter(
        Interns.info("LateDataNodes", "late DataNodes that writers continued without"),
        getLateDataNodes());
    record.addGauge(
        Interns.info("MeanWindowOccupancy", "stripes in flight, mean"), getMeanWindowOccupancy());
    record.addGauge(
        Interns.info("MaxWindowOccupancy", "stripes in flight, maximum"), getMaxWindowOccupancy());
  }
}
