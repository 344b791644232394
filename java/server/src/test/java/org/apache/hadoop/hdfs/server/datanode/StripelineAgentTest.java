// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.Server;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentKeys;

/** Tests that a DataNode runs normally if the agent cannot run. */
class StripelineAgentTest {
  @TempDir private Path dir;

  /** The agent on a Hadoop that lacks a required member. */
  public static final class Lacking extends StripelineAgent {
    public Lacking() {
      super(() -> Collections.singletonList("void nowhere()"));
    }
  }

  @Test
  void doesNotStartIfSomethingIsMissing() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dfs.datanode.plugins", Lacking.class.getName());
    assertThat(warnings(conf)).hasSize(1).first().asString().contains("[void nowhere()]");
  }

  @Test
  void doesNotStartIfASettingIsWrong() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(AgentKeys.TASKS, "-1");
    assertThat(warnings(conf))
        .hasSize(1)
        .first()
        .asString()
        .contains("Cannot use " + AgentKeys.TASKS + " = -1: it must be from 1 to 64");
  }

  /**
   * Checks that the agent adds no other protocol or engine to the requests that a DataNode parses
   * on its IPC port before it authorizes the caller.
   */
  @Test
  void nothingButItsProtocolIsAddedToThePort() throws Exception {
    Set<String> without;
    Configuration conf = new Configuration(false);
    conf.set("dfs.datanode.plugins", "");
    try (AgentCluster cluster = new AgentCluster(dir.resolve("without"), conf, "/a")) {
      without = served(cluster.mini().getDataNodes().get(0));
    }
    assertThat(without)
        .contains("RPC_PROTOCOL_BUFFER org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol 1");
    Configuration usual = new Configuration(false);
    try (AgentCluster cluster = new AgentCluster(dir.resolve("with"), usual, "/a")) {
      Set<String> with = served(cluster.mini().getDataNodes().get(0));
      String added =
          RPC.RpcKind.RPC_PROTOCOL_BUFFER
              + " "
              + AgentProtocol.NAME
              + " "
              + AgentProtocol.CALL_VERSION;
      assertThat(with).contains(added);
      with.remove(added);
      assertThat(with).isEqualTo(without);
      // Engines are registered per JVM, and an earlier test may have started an agent in it.
      assertThat(with.stream().filter(one -> one.startsWith("engine ")))
          .containsExactly("engine " + RPC.RpcKind.RPC_PROTOCOL_BUFFER);
    }
  }

  /** Returns the engines of the DataNode's IPC server, and the protocols of each. */
  private static Set<String> served(DataNode node) throws Exception {
    Set<String> served = new TreeSet<>();
    Method protocols = RPC.Server.class.getDeclaredMethod("getProtocolImplMap", RPC.RpcKind.class);
    protocols.setAccessible(true);
    for (RPC.RpcKind kind : RPC.RpcKind.values()) {
      if (Server.getRpcInvoker(kind) != null) {
        served.add("engine " + kind);
      }
      for (Object key : ((Map<?, ?>) protocols.invoke(node.ipcServer, kind)).keySet()) {
        served.add(kind + " " + field(key, "protocol") + " " + field(key, "version"));
      }
    }
    return served;
  }

  private static Object field(Object of, String name) throws Exception {
    Field field = of.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }

  /**
   * Starts a DataNode, checks that it serves files and has no agent, and returns the agent's
   * warnings.
   */
  private List<String> warnings(Configuration conf) throws Exception {
    List<String> warnings = Collections.synchronizedList(new ArrayList<>());
    Logger log = Logger.getLogger(StripelineAgent.class);
    Level level = log.getLevel();
    AppenderSkeleton appender = appender(warnings);
    log.setAdditivity(false);
    log.setLevel(Level.WARN);
    log.addAppender(appender);
    try (AgentCluster cluster = new AgentCluster(dir, conf, "/a")) {
      DatanodeInfo node = cluster.nodes()[0];
      assertThatThrownBy(() -> cluster.agents().describe(node))
          .isInstanceOfSatisfying(
              AgentException.class,
              e -> assertThat(e.kind()).isEqualTo(AgentException.Kind.NO_AGENT));
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/f");
      DFSTestUtil.createFile(cluster.fs(), file, 1_000, (short) 1, 5);
      assertThat(DFSTestUtil.readFileAsBytes(cluster.fs(), file)).hasSize(1_000);
    } finally {
      log.removeAppender(appender);
      log.setAdditivity(true);
      log.setLevel(level);
    }
    return warnings;
  }

  private static AppenderSkeleton appender(List<String> warnings) {
    return new AppenderSkeleton() {
      @Override
      protected void append(LoggingEvent event) {
        String[] cause = event.getThrowableStrRep();
        warnings.add(event.getRenderedMessage() + (cause == null ? "" : cause[0]));
      }

      @Override
      public boolean requiresLayout() {
        return false;
      }

      @Override
      public void close() {}
    };
  }
}
