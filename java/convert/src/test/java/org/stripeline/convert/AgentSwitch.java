// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StripelineAgent;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.server.datanode.AgentEndpoint;
import org.stripeline.server.datanode.AgentService;

/** Stops and starts agents in running DataNodes, or replaces them with modified ones. */
final class AgentSwitch {
  private AgentSwitch() {}

  /** Finds a DataNode by its UUID. */
  static DataNode node(ConvertCluster cluster, String uuid) {
    for (DataNode node : cluster.mini.getDataNodes()) {
      if (node.getDatanodeUuid().equals(uuid)) {
        return node;
      }
    }
    throw new AssertionError("no DataNode " + uuid);
  }

  /** Stops the agent in the same way as a DataNode that shuts down. */
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

  /** Makes an agent execute the next call, but answer neither that call nor any later one. */
  static void loseAnswers(DataNode node) {
    stop(node);
    AgentService service;
    try {
      service = new AgentService(node, node.getConf());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot start an agent", e);
    }
    AtomicBoolean isDone = new AtomicBoolean();
    AgentProtocol mute =
        (controller, request) -> {
          if (!isDone.getAndSet(true)) {
            service.call(controller, request);
            service.close();
          }
          throw new IllegalStateException("the answer is lost");
        };
    node.ipcServer.addProtocol(
        RPC.RpcKind.RPC_PROTOCOL_BUFFER, AgentProtocol.class, new AgentEndpoint(mute, () -> {}));
  }

  /**
   * Makes an agent execute all calls, while its answers to some methods are lost. Ends when the
   * agent is stopped and started.
   *
   * @param isLost returns whether the answer to the named method is lost
   * @return names of the methods that are called
   */
  static List<String> loseAnswers(DataNode node, Predicate<String> isLost) {
    AgentProtocol real = service(node);
    List<String> called = new CopyOnWriteArrayList<>();
    AgentProtocol lossy =
        (controller, request) -> {
          String method =
              JsonParser.parseString(request.getValue().toStringUtf8())
                  .getAsJsonObject()
                  .get("method")
                  .getAsString();
          called.add(method);
          BytesValue answer = real.call(controller, request);
          return isLost.test(method) ? unreachable() : answer;
        };
    answerBy(node, lossy);
    return called;
  }

  /** Disconnects an agent, whose tasks continue. Ends when the agent is stopped and started. */
  static void cutOff(DataNode node) {
    answerBy(node, (controller, request) -> unreachable());
  }

  private static BytesValue unreachable() {
    JsonObject error = new JsonObject();
    error.addProperty("kind", AgentException.Kind.UNREACHABLE.name());
    error.addProperty("message", "no answer");
    JsonObject envelope = new JsonObject();
    envelope.add("error", error);
    return BytesValue.newBuilder().setValue(ByteString.copyFromUtf8(envelope.toString())).build();
  }

  private static AgentProtocol service(DataNode node) {
    try {
      Field field = StripelineAgent.class.getDeclaredField("service");
      field.setAccessible(true);
      return (AgentProtocol) field.get(plugin(node));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static void answerBy(DataNode node, AgentProtocol agent) {
    node.ipcServer.addProtocol(
        RPC.RpcKind.RPC_PROTOCOL_BUFFER, AgentProtocol.class, new AgentEndpoint(agent, () -> {}));
  }

  /** Makes an agent answer like one of a later release with another protocol. */
  static void answerAsLater(DataNode node) {
    AgentProtocol later =
        (controller, request) -> {
          JsonObject answer = new JsonObject();
          answer.addProperty("protocol", AgentProtocol.NUMBER + 1);
          answer.addProperty("version", "9.8.7");
          answer.addProperty("uuid", node.getDatanodeUuid());
          JsonObject envelope = new JsonObject();
          envelope.add("answer", answer);
          return BytesValue.newBuilder()
              .setValue(ByteString.copyFromUtf8(envelope.toString()))
              .build();
        };
    answerBy(node, later);
  }
}
