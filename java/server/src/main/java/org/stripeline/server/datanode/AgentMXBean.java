// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.util.Map;

/** The counters of one DataNode's agent since its start. */
public interface AgentMXBean {

  /** Returns the UUID of the DataNode, or the empty string before it has registered. */
  String getDataNodeUuid();

  /** Returns the version of Stripeline. */
  String getVersion();

  /** Returns {@code native} or {@code java}, the coder that the DataNode's process uses. */
  String getImplementation();

  /** Returns the instruction set of its kernels, or {@code java}. */
  String getIsa();

  /** Returns the address and port of the DataNode's data transfers. */
  String getDataNode();

  /** Returns every {@link AgentCount} by its metric name. */
  Map<String, Long> getCounts();

  /** Returns the number of running tasks. */
  int getRunningTasks();

  /** Returns the number of queued tasks. */
  int getQueuedTasks();

  /** Returns the bytes of the agent's buffers, including unused ones. */
  long getBufferBytes();
}
