// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.Closeable;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import javax.management.ObjectName;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.apache.hadoop.metrics2.util.MBeans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Counts the operations of one agent, and publishes them as the JMX bean {@code
 * Hadoop:service=Stripeline,name=Agent} and the metrics2 source {@code StripelineAgent}. If several
 * DataNodes share a process, Hadoop numbers the beans; each bean names its DataNode.
 */
public final class AgentMetrics implements AgentMXBean, MetricsSource, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentMetrics.class);
  private static final String SOURCE_NAME = "StripelineAgent";

  private final DataNode dataNode;
  private final LongAdder[] counts = new LongAdder[AgentCount.values().length];
  private volatile IntSupplier running = () -> 0;
  private volatile IntSupplier queued = () -> 0;
  private volatile LongSupplier bufferBytes = () -> 0;
  private String source;
  private ObjectName bean;

  /** Creates counters for the agent of a DataNode, which are not published yet. */
  public AgentMetrics(DataNode dataNode) {
    this.dataNode = dataNode;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Publishes the metrics. A failure is only logged, since it must not stop the agent. */
  public synchronized void publish(
      IntSupplier runningTasks, IntSupplier queuedTasks, LongSupplier bytes) {
    running = runningTasks;
    queued = queuedTasks;
    bufferBytes = bytes;
    try {
      bean = MBeans.register("Stripeline", "Agent", this);
      // The name must be unique in the process. It becomes part of a bean name, in which a colon is
      // not allowed.
      String name = SOURCE_NAME + '-' + dataNode.getDisplayName().replace(':', '-');
      DefaultMetricsSystem.instance().register(name, "Activity of Stripeline's agent", this);
      source = name;
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Cannot publish metrics; the agent runs without them", e);
    }
  }

  /** Adds to a counter. */
  public void add(AgentCount what, long count) {
    counts[what.ordinal()].add(count);
  }

  long get(AgentCount what) {
    return counts[what.ordinal()].sum();
  }

  @Override
  public String getDataNodeUuid() {
    String uuid = dataNode.getDatanodeUuid();
    return uuid == null ? "" : uuid;
  }

  @Override
  public String getVersion() {
    return CoderStatus.current().version();
  }

  @Override
  public String getImplementation() {
    return CoderStatus.current().implementation();
  }

  @Override
  public String getIsa() {
    return CoderStatus.current().isa();
  }

  @Override
  public String getDataNode() {
    return dataNode.getDisplayName();
  }

  @Override
  public Map<String, Long> getCounts() {
    Map<String, Long> all = new TreeMap<>();
    for (AgentCount what : AgentCount.values()) {
      all.put(what.metricName(), get(what));
    }
    return all;
  }

  @Override
  public int getRunningTasks() {
    return running.getAsInt();
  }

  @Override
  public int getQueuedTasks() {
    return queued.getAsInt();
  }

  @Override
  public long getBufferBytes() {
    return bufferBytes.getAsLong();
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder record = collector.addRecord(SOURCE_NAME).setContext("stripeline");
    record.tag(Interns.info("DataNode", "address of the DataNode"), getDataNode());
    for (AgentCount what : AgentCount.values()) {
      record.addCounter(Interns.info(what.metricName(), what.description()), get(what));
    }
    record.addGauge(Interns.info("RunningTasks", "running tasks"), getRunningTasks());
    record.addGauge(Interns.info("QueuedTasks", "queued tasks"), getQueuedTasks());
    record.addGauge(Interns.info("BufferBytes", "bytes of buffers held"), getBufferBytes());
  }

  /** Unregisters the metrics. */
  @Override
  public synchronized void close() {
    if (bean != null) {
      MBeans.unregister(bean);
      bean = null;
    }
    if (source != null) {
      DefaultMetricsSystem.instance().unregisterSource(source);
      source = null;
    }
  }
}
