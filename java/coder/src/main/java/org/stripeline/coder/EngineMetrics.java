// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.apache.hadoop.metrics2.util.MBeans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.engine.EngineStatistics;
import org.stripeline.natives.engine.RailEngine;

/**
 * Publishes the counts of an engine and its rails: as the JMX bean {@code
 * Hadoop:service=Stripeline, name=Engine}, and as the metrics2 source {@code StripelineEngine},
 * with one record for the engine and one for each rail, identified by the tag {@code Rail}. The
 * engine counts in any case; reading the counts takes some microseconds.
 */
final class EngineMetrics implements EngineMXBean, MetricsSource {
  private static final Logger LOG = LoggerFactory.getLogger(EngineMetrics.class);
  private static final String SOURCE_NAME = "StripelineEngine";
  private static final String RAIL_RECORD = "StripelineRail";
  private static final String CONTEXT = "stripeline";

  private final RailEngine engine;

  EngineMetrics(RailEngine engine) {
    this.engine = engine;
  }

  /**
   * Publishes the metrics; a failure is only logged, because metrics must not stop reads and
   * writes.
   */
  static void publish(RailEngine engine) {
    EngineMetrics metrics = new EngineMetrics(engine);
    try {
      MBeans.register("Stripeline", "Engine", metrics);
      DefaultMetricsSystem.instance()
          .register(SOURCE_NAME, "Activity of the erasure coding engine", metrics);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Cannot publish the engine's metrics; coding continues without them", e);
    }
  }

  @Override
  public String getDescription() {
    return engine.describe();
  }

  @Override
  public long getIssued() {
    return engine.statistics().issued();
  }

  @Override
  public long getOutstanding() {
    return engine.statistics().outstanding();
  }

  @Override
  public List<RailReading> getRails() {
    return engine.statistics().rails().stream().map(RailReading::new).collect(Collectors.toList());
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    EngineStatistics statistics = engine.statistics();
    collector
        .addRecord(SOURCE_NAME)
        .setContext(CONTEXT)
        .addCounter(Interns.info("Issued", "tasks issued"), statistics.issued())
        .addGauge(
            Interns.info("Outstanding", "tasks that have not ended"), statistics.outstanding());
    statistics.rails().forEach(rail -> add(collector, new RailReading(rail)));
  }

  private static void add(MetricsCollector collector, RailReading rail) {
    MetricsRecordBuilder record = collector.addRecord(RAIL_RECORD).setContext(CONTEXT);
    record.tag(Interns.info("Rail", "name of the rail"), rail.getName());
    record.tag(Interns.info("OutOfService", "reason why it gets no tasks"), rail.getOutOfService());
    record.addGauge(Interns.info("Fed", "1 if it raises the total rate"), rail.isFed() ? 1 : 0);
    record.addGauge(Interns.info("Rate", "estimated bytes of data per second"), rail.getRate());
    record.addGauge(Interns.info("Queued", "entries waiting in its queues"), rail.getQueued());
    record.addCounter(Interns.info("Pieces", "pieces of tasks completed"), rail.getPieces());
    record.addCounter(
        Interns.info("DataBytes", "bytes of data of completed pieces"), rail.getDataBytes());
    record.addCounter(Interns.info("BusyNanos", "time its workers were busy"), rail.getBusyNanos());
    record.addCounter(Interns.info("CpuNanos", "CPU time of its workers"), rail.getCpuNanos());
    record.addCounter(Interns.info("Stolen", "pieces stolen from other rails"), rail.getStolen());
    record.addCounter(Interns.info("Faults", "pieces that failed on it"), rail.getFaults());
    record.addCounter(
        Interns.info("Revoked", "pieces revoked because it did not answer"), rail.getRevoked());
    record.addCounter(
        Interns.info("Quarantines", "times it was put out of service"), rail.getQuarantines());
    record.addCounter(
        Interns.info("Checks", "pieces of other rails that it checked"), rail.getChecks());
    record.addCounter(Interns.info("Wrong", "pieces with wrong bytes"), rail.getWrong());
    record.addGauge(
        Interns.info("WaitNanosMedian", "median time from issue to start of its tasks"),
        rail.getWaitNanosMedian());
    record.addGauge(
        Interns.info("WaitNanos99", "99th percentile of the time from issue to start of its tasks"),
        rail.getWaitNanos99());
    record.addGauge(
        Interns.info("ServiceNanosMedian", "median time to code a piece"),
        rail.getServiceNanosMedian());
    record.addGauge(
        Interns.info("ServiceNanos99", "99th percentile of the time to code a piece"),
        rail.getServiceNanos99());
  }
}
