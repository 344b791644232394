// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.metrics;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;

/** Publishes the counts of the read pipelines through JMX and metrics2. */
final class ReadMetrics implements ReadMXBean, MetricsSource {
  static final String SOURCE_NAME = "StripelineRead";

  @Override
  public Map<String, Long> getCounts() {
    Map<String, Long> counts = new TreeMap<>();
    for (ReadCount what : ReadCount.values()) {
      counts.put(what.metricName(), ReadContext.counters().get(what));
    }
    return counts;
  }

  @Override
  public long getUsedBufferBytes() {
    return ReadContext.usedBufferBytes();
  }

  @Override
  public Map<String, Double> getDataNodeMillis() {
    return ReadContext.nodeMillis();
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(SOURCE_NAME).setContext("stripeline");
    for (ReadCount what : ReadCount.values()) {
      record.addCounter(
          Interns.info(what.metricName(), what.description()), ReadContext.counters().get(what));
    }
    record.addGauge(
        Interns.info("UsedBufferBytes", "bytes of buffers in use"), getUsedBufferBytes());
  }
}
