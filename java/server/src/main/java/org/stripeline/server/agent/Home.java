// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** Where a task runs, and what its streams need of there. */
final class Home {
  final DataNode dataNode;
  final LocalReplicas replicas;
  final Agents peers;
  final AgentSettings settings;
  final AgentMetrics metrics;
  final BufferPool buffers;

  Home(
      DataNode dataNode,
      LocalReplicas replicas,
      Agents peers,
      AgentSettings settings,
      AgentMetrics metrics,
      BufferPool buffers) {
    this.dataNode = dataNode;
    this.replicas = replicas;
    this.peers = peers;
    this.settings = settings;
    this.metrics = metrics;
    this.buffers = buffers;
  }

  boolean isHere(AgentNode node) {
    return node.uuid.equals(dataNode.getDatanodeUuid());
  }

  Progress.Distance distance(String rack, AgentNode node) {
    if (isHere(node)) {
      return Progress.Distance.LOCAL;
    }
    return node.rack.equals(rack) ? Progress.Distance.RACK : Progress.Distance.REMOTE;
  }

  /** Reads a replica at rest, wherever it is. */
  BlockChecksum checksum(String pool, EncodeRequest.Target target) throws IOException {
    return isHere(target.node)
        ? replicas.checksum(pool, target.block)
        : peers.checksum(target.node.toDatanodeInfo(), pool, target.block);
  }

  /** Removes a replica that a task has written, wherever it is. */
  void unlink(String pool, EncodeRequest.Target target) throws IOException {
    List<AgentBlock> one = Collections.singletonList(target.block);
    if (isHere(target.node)) {
      replicas.unlink(pool, one);
    } else {
      peers.unlink(target.node.toDatanodeInfo(), pool, one);
    }
  }
}
