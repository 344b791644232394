// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.util.Map;

/** What the agent of one DataNode has done since it started. */
public interface AgentMXBean {

  /** Returns the identity of the DataNode, or the empty string before it has registered. */
  String getDataNodeUuid();

  /** Returns the address and port of the DataNode's data transfers. */
  String getDataNode();

  /** Returns every {@link AgentCount} by its metric name. */
  Map<String, Long> getCounts();

  /** Returns the tasks that run. */
  int getRunningTasks();

  /** Returns the tasks that wait. */
  int getQueuedTasks();

  /** Returns the bytes of buffers that the agent holds, in use or kept. */
  long getBufferBytes();
}
