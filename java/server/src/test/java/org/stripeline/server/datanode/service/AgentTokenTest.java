// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.Agents;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.server.datanode.AgentCluster;

/** Tests the calls that holders of block tokens may make without being superusers. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class AgentTokenTest {
  @TempDir private static Path dir;
  private static AgentCluster cluster;

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

  private static AgentCluster.Adoption file(long seed) throws Exception {
    return cluster.adoption(AgentCluster.bytes(2 * AgentCluster.BLOCK + 99_999, seed));
  }

  private static Agents holder(Token<BlockTokenIdentifier> token) throws IOException {
    return holder(cluster, token);
  }

  private static Agents holder(AgentCluster cluster, Token<BlockTokenIdentifier> token)
      throws IOException {
    return Agents.connect(cluster.fs().getConf(), token.encodeToUrlString());
  }

  /** Returns a request whose sources have the given tokens. */
  private static EncodeRequest request(AgentCluster.Adoption file, IntFunction<String> tokens)
      throws IOException {
    DatanodeInfo agent = file.node(0, 0);
    EncodeRequest plain = file.request(agent, file.free(agent)).build();
    EncodeRequest.Builder builder =
        new EncodeRequest.Builder(plain.pool, plain.codec, plain.dataUnits, plain.parityUnits)
            .rack(plain.rack);
    for (int unit = 0; unit < plain.data.size(); unit++) {
      EncodeRequest.Source source = plain.data.get(unit);
      builder.data(new EncodeRequest.Source(source.block, source.nodes, tokens.apply(unit)));
    }
    plain.parity.forEach(builder::parity);
    return builder.build();
  }

  private static EncodeRequest request(AgentCluster.Adoption file) throws IOException {
    return request(file, unit -> text(file, unit));
  }

  private static String text(AgentCluster.Adoption file, int unit) {
    try {
      return file.blocks.get(unit).getBlockToken().encodeToUrlString();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Encodes a group with tokens only. */
  static void encode(AgentCluster cluster) throws Exception {
    AgentCluster.Adoption file =
        cluster.adoption(AgentCluster.bytes(2 * AgentCluster.BLOCK + 99_999, 77));
    DatanodeInfo agent = file.node(0, 0);
    try (Agents holder = holder(cluster, file.tokens[0])) {
      long task = holder.encode(agent, request(file));
      assertThat(AgentSecurityTest.await(holder, agent, task).error).isNull();
      holder.cancel(agent, task);
    }
  }

  @Test
  void aHolderHasItsGroupEncoded() throws Exception {
    encode(cluster);
  }

  @Test
  void holdersMayCallNothingElse() throws Exception {
    AgentCluster.Adoption file = file(1);
    DatanodeInfo agent = file.node(0, 0);
    List<AgentBlock> blocks = Arrays.asList(file.internal(0));
    try (Agents holder = holder(file.tokens[0])) {
      refused(AgentException.Kind.DENIED, "not enough for 'about'", () -> holder.describe(agent));
      refused(
          AgentException.Kind.DENIED,
          "not enough for 'link'",
          () -> holder.link(agent, file.pool(), Arrays.asList(file.link(0))));
      refused(
          AgentException.Kind.DENIED,
          "not enough for 'unlink'",
          () -> holder.unlink(agent, file.pool(), blocks));
      refused(
          AgentException.Kind.DENIED,
          "not enough for 'checksum'",
          () -> holder.checksum(agent, file.pool(), file.source(0)));
    }
  }

  @Test
  void holdersMayNotEncodeOtherGroups() throws Exception {
    AgentCluster.Adoption file = file(2);
    AgentCluster.Adoption other = file(3);
    DatanodeInfo agent = other.node(0, 0);
    long task = cluster.agents().encode(agent, request(other));
    try (Agents holder = holder(file.tokens[0])) {
      refused(
          AgentException.Kind.DENIED,
          "its token is for block group " + file.group.getBlockId(),
          () -> holder.encode(agent, request(other)));
      refused(
          AgentException.Kind.DENIED,
          "not " + other.group.getBlockId(),
          () -> holder.poll(agent, task, 0));
      refused(
          AgentException.Kind.DENIED,
          "not " + other.group.getBlockId(),
          () -> holder.cancel(agent, task));
    }
    assertThat(cluster.await(agent, task).error).isNull();
  }

  @Test
  void blocksAreReadOnlyWithTheirTokens() throws Exception {
    AgentCluster.Adoption file = file(4);
    AgentCluster.Adoption other = file(5);
    DatanodeInfo agent = file.node(0, 0);
    long block = file.source(1).id;
    try (Agents holder = holder(file.tokens[0])) {
      refused(
          AgentException.Kind.DENIED,
          "no token to read block " + block,
          () -> holder.encode(agent, request(file, unit -> unit == 1 ? null : text(file, unit))));
      refused(
          AgentException.Kind.DENIED,
          "does not allow reading block " + block,
          () -> holder.encode(agent, request(file, unit -> text(unit == 1 ? other : file, unit))));
      refused(
          AgentException.Kind.DENIED,
          "does not allow reading block " + block,
          () -> holder.encode(agent, request(file, unit -> unit == 1 ? "?" : text(file, unit))));
    }
  }

  @Test
  void hostsThatTheNameNodeDoesNotKnowAreNotConnectedTo() throws Exception {
    AgentCluster.Adoption file = file(8);
    DatanodeInfo agent = file.node(0, 0);
    EncodeRequest request = request(file);
    EncodeRequest.Source first = request.data.get(0);
    DatanodeInfo stranger =
        new DatanodeInfo.DatanodeInfoBuilder()
            .setFrom(first.nodes.get(0).toDatanodeInfo())
            .setDatanodeUuid("stranger")
            .build();
    EncodeRequest.Builder builder =
        new EncodeRequest.Builder(
                request.pool, request.codec, request.dataUnits, request.parityUnits)
            .data(
                new EncodeRequest.Source(
                    first.block, Arrays.asList(AgentNode.of(stranger)), first.token));
    request.data.subList(1, request.data.size()).forEach(builder::data);
    request.parity.forEach(builder::parity);
    try (Agents holder = holder(file.tokens[0])) {
      refused(
          AgentException.Kind.NOT_READY,
          "no DataNode stranger",
          () -> holder.encode(agent, builder.build()));
    }
  }

  @Test
  void tokensThatLetReadAreNotEnough() throws Exception {
    AgentCluster.Adoption file = file(6);
    DatanodeInfo agent = file.node(0, 0);
    try (Agents holder = holder(file.blocks.get(0).getBlockToken())) {
      refused(
          AgentException.Kind.DENIED,
          "does not allow writing block",
          () -> holder.encode(agent, request(file)));
    }
  }

  @Test
  void forgedTokensAreRefused() throws Exception {
    AgentCluster.Adoption file = file(7);
    DatanodeInfo agent = file.node(0, 0);
    Token<BlockTokenIdentifier> forged = new Token<>(file.tokens[0]);
    byte[] password = forged.getPassword().clone();
    password[0] ^= 1;
    forged.setPassword(password);
    try (Agents holder = holder(forged)) {
      refused(AgentException.Kind.DENIED, "DIGEST", () -> holder.encode(agent, request(file)));
    }
  }
}
