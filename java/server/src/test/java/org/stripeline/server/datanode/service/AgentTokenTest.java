// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSelector;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.KerberosInfo;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenInfo;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.server.datanode.AgentCluster;

/** Tests that block tokens give no access, although the DataNode's IPC server accepts them. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class AgentTokenTest {
  @TempDir private static Path dir;
  private static AgentCluster cluster;

  /** The protocol of the agents, for a client that authenticates with a block token. */
  @ProtocolInfo(protocolName = AgentProtocol.NAME, protocolVersion = AgentProtocol.CALL_VERSION)
  @TokenInfo(BlockTokenSelector.class)
  @KerberosInfo(serverPrincipal = DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY)
  interface TokenProtocol {
    BytesValue call(RpcController controller, BytesValue request) throws ServiceException;
  }

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setBoolean("dfs.block.access.token.enable", true);
    cluster = new AgentCluster(dir, conf, "/a", "/b", "/b", "/b", "/b");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static AgentCluster.Adoption file(AgentCluster cluster) throws Exception {
    return cluster.adoption(AgentCluster.bytes(2 * AgentCluster.BLOCK + 99_999, 77));
  }

  /** Sends a request with nothing but a block token. */
  private static void call(
      AgentCluster cluster, DatanodeInfo node, Token<BlockTokenIdentifier> token, String method)
      throws Exception {
    Configuration conf = new Configuration(cluster.fs().getConf());
    RPC.setProtocolEngine(conf, TokenProtocol.class, ProtobufRpcEngine2.class);
    UserGroupInformation holder = UserGroupInformation.createRemoteUser("block-token");
    holder.addToken(token);
    TokenProtocol proxy =
        holder.doAs(
            (PrivilegedExceptionAction<TokenProtocol>)
                () ->
                    RPC.getProxy(
                        TokenProtocol.class,
                        AgentProtocol.CALL_VERSION,
                        NetUtils.createSocketAddr(node.getIpcAddr(false)),
                        holder,
                        conf,
                        NetUtils.getDefaultSocketFactory(conf),
                        10_000));
    String json = "{\"method\":\"" + method + "\",\"arguments\":{\"task\":1}}";
    ByteString bytes = ByteString.copyFrom(json, StandardCharsets.UTF_8);
    try {
      proxy.call(null, BytesValue.newBuilder().setValue(bytes).build());
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  /** Checks that holders of tokens of a superuser may call nothing. */
  static void refusesHolders(AgentCluster cluster) throws Exception {
    AgentCluster.Adoption file = file(cluster);
    DatanodeInfo agent = file.node(0, 0);
    Token<BlockTokenIdentifier> read = file.blocks.get(0).getBlockToken();
    assertThat(read.getIdentifier()).isNotEmpty();
    for (String method :
        new String[] {"about", "link", "encode", "poll", "cancel", "unlink", "fingerprint"}) {
      assertThatThrownBy(() -> call(cluster, agent, file.token, method))
          .as(method)
          .hasMessageContaining("NotAdmittedException")
          .hasMessageContaining("it authenticated with a token");
      assertThatThrownBy(() -> call(cluster, agent, read, method))
          .as(method)
          .hasMessageContaining("it authenticated with a token");
    }
  }

  @Test
  void holdersOfTokensMayCallNothing() throws Exception {
    refusesHolders(cluster);
  }

  @Test
  void forgedTokensAreRefused() throws Exception {
    AgentCluster.Adoption file = file(cluster);
    Token<BlockTokenIdentifier> forged = new Token<>(file.token);
    byte[] password = forged.getPassword().clone();
    password[0] ^= 1;
    forged.setPassword(password);
    assertThatThrownBy(() -> call(cluster, file.node(0, 0), forged, "poll"))
        .hasMessageContaining("DIGEST");
  }
}
