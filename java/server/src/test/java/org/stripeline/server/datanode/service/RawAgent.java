// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.AgentRpc;
import org.stripeline.server.datanode.AgentCluster;

/** Messages to agents as text, also such as {@code Agents} would not send. */
final class RawAgent {
  private RawAgent() {}

  /** Connects to the agent of a DataNode; the caller stops the proxy. */
  static AgentProtocol connect(AgentCluster cluster, DatanodeInfo node) throws IOException {
    Configuration conf = new Configuration(cluster.fs().getConf());
    AgentRpc.use(conf);
    return RPC.getProxy(
        AgentProtocol.class,
        AgentProtocol.CALL_VERSION,
        NetUtils.createSocketAddr(node.getIpcAddr(false)),
        conf);
  }

  static BytesValue message(String method, String arguments) {
    String text = "{\"method\":\"" + method + "\",\"arguments\":" + arguments + '}';
    return BytesValue.newBuilder().setValue(ByteString.copyFromUtf8(text)).build();
  }

  static String block(AgentBlock block) {
    return block(block.id, block.generationStamp, block.length);
  }

  static String block(long id, long stamp, long length) {
    return "{\"id\":" + id + ",\"generationStamp\":" + stamp + ",\"length\":" + length + '}';
  }
}
