// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.protobuf.RpcHeaderProtos.RpcResponseHeaderProto;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.testkit.Conditions;

/** Tests agents with protected data connections and authorization of callers. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class AgentSecurityTest {
  @TempDir private Path dir;

  @ParameterizedTest
  @ValueSource(strings = {"", "AES/CTR/NoPadding"})
  void encodesWithBlockTokensAndEncryption(String cipher) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setBoolean("dfs.block.access.token.enable", true);
    conf.setBoolean("dfs.encrypt.data.transfer", true);
    conf.set("dfs.encrypt.data.transfer.cipher.suites", cipher);
    try (AgentCluster cluster = new AgentCluster(dir, conf, "/a", "/b", "/b", "/b", "/b")) {
      encode(cluster, cluster.agents());
    }
  }

  /** Links, reads from other DataNodes, sends and verifies, through any {@link Agents}. */
  static void encode(AgentCluster cluster, Agents agents) throws Exception {
    Adoption file = cluster.adoption(AgentCluster.bytes(2 * AgentCluster.BLOCK + 99_999, 1));
    DatanodeInfo agent = file.node(0, 0);
    List<DatanodeInfo> targets = file.free(agent);
    agents.link(agent, file.pool(), Arrays.asList(file.link(0)));
    EncodeRequest.Builder builder = file.request(agent, targets);
    EncodeRequest request = withSourcesElsewhere(file, agent, builder.build());
    Map<String, String> before = cluster.held();
    long cancelled = agents.encode(agent, slow(request));
    Conditions.await(
        "it to begin", () -> !cluster.probe(targets.get(0)).held().temporary.isEmpty());
    agents.cancel(agent, cancelled);
    assertThat(await(agents, agent, cancelled).error).isEqualTo("cancelled");
    cluster.awaitHeld(before);
    TaskReport report = await(agents, agent, agents.encode(agent, request));
    assertThat(report.error).isNull();
    assertThat(report.state).isEqualTo(TaskState.DONE);
    assertThat(report.result.readLocal).isZero();
    assertThat(report.result.sentLocal).isZero();
    for (int i = 0; i < AgentCluster.M; i++) {
      AgentBlock parity = file.internal(AgentCluster.K + i);
      assertThat(agents.checksum(targets.get(i), file.pool(), parity).crc32c)
          .isEqualTo(report.result.written.get(i).crc32c);
    }
  }

  /** Polls a task to its end. */
  static TaskReport await(Agents agents, DatanodeInfo agent, long task) throws IOException {
    TaskReport report;
    do {
      report = agents.poll(agent, task, 1_000);
    } while (!report.state.isFinal());
    return report;
  }

  private static EncodeRequest slow(EncodeRequest request) {
    return copy(request, request.data).bytesPerSecond(20_000).build();
  }

  private static EncodeRequest withSourcesElsewhere(
      Adoption file, DatanodeInfo agent, EncodeRequest request) {
    List<EncodeRequest.Source> sources = new ArrayList<>();
    for (int unit = 0; unit < file.blocks.size(); unit++) {
      DatanodeInfo[] elsewhere =
          Arrays.stream(file.blocks.get(unit).getLocations())
              .filter(node -> !node.equals(agent))
              .toArray(DatanodeInfo[]::new);
      sources.add(file.from(unit, elsewhere));
    }
    return copy(request, sources).build();
  }

  private static EncodeRequest.Builder copy(
      EncodeRequest request, List<EncodeRequest.Source> sources) {
    EncodeRequest.Builder builder =
        new EncodeRequest.Builder(
                request.pool, request.codec, request.dataUnits, request.parityUnits)
            .rack(request.rack);
    sources.forEach(builder::data);
    request.parity.forEach(builder::parity);
    return builder;
  }

  @Test
  void servesOnlySuperusers() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setBoolean("dfs.permissions.enabled", false);
    conf.setBoolean("hadoop.security.authorization", true);
    try (AgentCluster cluster = new AgentCluster(dir, conf, "/a")) {
      DatanodeInfo node = cluster.nodes()[0];
      assertThat(cluster.agents().describe(node).uuid).isEqualTo(node.getDatanodeUuid());
      for (String group : new String[] {"users", "supergroup"}) {
        UserGroupInformation user =
            UserGroupInformation.createUserForTesting("user-of-" + group, new String[] {group});
        try (Agents agents = connect(user, cluster)) {
          if (group.equals("supergroup")) {
            assertThat(agents.describe(node).uuid).isEqualTo(node.getDatanodeUuid());
          } else {
            refused(AgentException.Kind.DENIED, "user-of-users", () -> agents.describe(node));
            AgentBlock block = new AgentBlock(-1, 1, 1);
            refused(
                AgentException.Kind.DENIED,
                "user-of-users",
                () -> agents.unlink(node, "pool", Arrays.asList(block)));
          }
        }
      }
    }
  }

  private static Agents connect(UserGroupInformation user, AgentCluster cluster) throws Exception {
    return user.doAs(
        (PrivilegedExceptionAction<Agents>) () -> Agents.connect(cluster.fs().getConf()));
  }

  /** Returns settings with an access list of the agents' protocol. */
  private static Configuration agentsOnlyFor(String user) {
    Configuration conf = new Configuration(false);
    conf.setBoolean("hadoop.security.authorization", true);
    conf.set("security.stripeline.agent.protocol.acl", user);
    return conf;
  }

  /**
   * The list of Hadoop's own protocols is replaced by one that includes the agent's; all must still
   * be served.
   */
  @Test
  void obeysServiceAuthorization() throws Exception {
    try (AgentCluster cluster = new AgentCluster(dir, agentsOnlyFor("another-user"), "/a")) {
      DatanodeInfo node = cluster.nodes()[0];
      refused(AgentException.Kind.DENIED, "not authorized", () -> cluster.agents().describe(node));
      assertThat(cluster.fs().getClient().getNamenode().getStats()).isNotEmpty();
      assertThat(
              org.apache.hadoop.hdfs.DFSUtilClient.createClientDatanodeProtocolProxy(
                      node, cluster.fs().getConf(), 10_000, false)
                  .getDatanodeInfo()
                  .getUptime())
          .isNotNegative();
    }
  }

  /** The server itself checks only the list of the protocol that a connection names. */
  @Test
  void obeysServiceAuthorizationOnConnectionsOfOtherProtocols() throws Exception {
    try (AgentCluster cluster = new AgentCluster(dir, agentsOnlyFor("another-user"), "/a")) {
      int port = cluster.nodes()[0].getIpcPort();
      String user = UserGroupInformation.getCurrentUser().getShortUserName();
      RpcResponseHeaderProto reply =
          RawRpc.send(
                  port,
                  true,
                  RawRpc.preamble(),
                  RawRpc.context(user, ClientDatanodeProtocol.class.getName()),
                  RawRpc.call(RawAgent.message("about", "{}")))
              .get(0);
      assertThat(reply.getExceptionClassName())
          .isEqualTo(AgentService.NotAdmittedException.class.getName());
      assertThat(reply.getErrorMsg()).contains("not authorized");
    }
  }
}
