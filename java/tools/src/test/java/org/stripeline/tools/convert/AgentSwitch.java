// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import com.google.gson.JsonObject;
import java.lang.reflect.Field;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StripelineAgent;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.RPC;
import org.stripeline.server.agent.AgentProtocol;

/** Stops and starts agents in DataNodes that go on, or puts others in their places. */
final class AgentSwitch {
  private AgentSwitch() {}

  /** Finds a DataNode by its identity. */
  static DataNode node(ConvertCluster cluster, String uuid) {
    for (DataNode node : cluster.mini.getDataNodes()) {
      if (node.getDatanodeUuid().equals(uuid)) {
        return node;
      }
    }
    throw new AssertionError("no DataNode " + uuid);
  }

  /** Ends the agent as a DataNode does, with all that it does at that time. */
  static void stop(DataNode node) {
    plugin(node).stop();
  }

  static void start(DataNode node) {
    plugin(node).start(node);
  }

  private static StripelineAgent plugin(DataNode node) {
    try {
      Field field = DataNode.class.getDeclaredField("plugins");
      field.setAccessible(true);
      for (Object plugin : (List<?>) field.get(node)) {
        if (plugin instanceof StripelineAgent) {
          return (StripelineAgent) plugin;
        }
      }
      throw new AssertionError("no agent in " + node);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Lets an agent answer as one of a later release does, whose protocol is another. */
  static void answerAsLater(DataNode node) {
    AgentProtocol later =
        (method, arguments) -> {
          JsonObject answer = new JsonObject();
          answer.addProperty("protocol", AgentProtocol.NUMBER + 1);
          answer.addProperty("version", "9.8.7");
          answer.addProperty("uuid", node.getDatanodeUuid());
          JsonObject envelope = new JsonObject();
          envelope.add("answer", answer);
          return new Text(envelope.toString());
        };
    node.ipcServer.addProtocol(RPC.RpcKind.RPC_WRITABLE, AgentProtocol.class, later);
  }
}
