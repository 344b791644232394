// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.Closeable;
import java.util.Collections;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.stripeline.coder.metrics.PublishedMetrics;
import org.stripeline.natives.codec.CoderStatus;

/**
 * Counts the operations of one agent, and publishes them as the JMX bean {@code
 * Hadoop:service=Stripeline,name=Agent} and the metrics2 source {@code StripelineAgent}. If several
 * DataNodes share a process, Hadoop numbers the beans; each bean names its DataNode.
 */
public final class AgentMetrics implements Closeable {
  private final DataNode dataNode;
  private final LongAdder[] counts = new LongAdder[AgentCount.values().length];
  private PublishedMetrics published;

  /** Creates counters for the agent of a DataNode, which are not published yet. */
  public AgentMetrics(DataNode dataNode) {
    this.dataNode = dataNode;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Publishes the metrics. */
  public synchronized void publish(
      IntSupplier runningTasks, IntSupplier queuedTasks, LongSupplier bufferBytes) {
    PublishedMetrics metrics =
        new PublishedMetrics("Agent", "Activity of Stripeline's agent")
            .text(
                "DataNodeUuid", "UUID of the DataNode; empty before it has registered", this::uuid)
            .text("Version", "version of Stripeline", () -> CoderStatus.current().version())
            .text("Implementation", "native or java", () -> CoderStatus.current().implementation())
            .text(
                "Isa", "instruction set of the kernels, or java", () -> CoderStatus.current().isa())
            .tag("DataNode", "address of the DataNode", dataNode::getDisplayName);
    for (AgentCount what : AgentCount.values()) {
      if (what.isFailure()) {
        metrics.failures(what.metricName(), what.description(), () -> get(what));
      } else {
        metrics.counter(what.metricName(), what.description(), () -> get(what));
      }
    }
    published =
        metrics
            .gauge("RunningTasks", "running tasks", runningTasks::getAsInt)
            .gauge("QueuedTasks", "queued tasks", queuedTasks::getAsInt)
            .gauge("BufferBytes", "bytes of buffers held, including unused ones", bufferBytes)
            .publish(Collections.emptyMap(), '-' + dataNode.getDisplayName());
  }

  private String uuid() {
    String uuid = dataNode.getDatanodeUuid();
    return uuid == null ? "" : uuid;
  }

  /** Adds to a counter. */
  public void add(AgentCount what, long count) {
    counts[what.ordinal()].add(count);
  }

  long get(AgentCount what) {
    return counts[what.ordinal()].sum();
  }

  /** Withdraws the metrics. */
  @Override
  public synchronized void close() {
    if (published != null) {
      published.close();
      published = null;
    }
  }
}
