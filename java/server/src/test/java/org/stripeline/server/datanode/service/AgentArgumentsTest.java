// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.apache.hadoop.ipc.RPC;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentKeys;

/** Sends arguments of which one or two are not as clients send them. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgentArgumentsTest {
  private static final int ROUNDS = 2_000;

  @TempDir Path directory;
  private final Random random = new Random(6);
  private AgentCluster cluster;
  private DatanodeInfo node;
  private AgentProtocol raw;
  private ReplicaProbe probe;
  private AgentBlock block;
  private final Map<String, String> right = new LinkedHashMap<>();
  private final List<String> odd = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    Configuration conf = new Configuration(false);
    conf.setLong(AgentKeys.SCRUB_BANDWIDTH, 0);
    cluster = new AgentCluster(directory, conf, "/a");
    try (FSDataOutputStream out = cluster.fs().create(new org.apache.hadoop.fs.Path("/file"))) {
      out.write(AgentCluster.bytes(2 * AgentCluster.BLOCK, 5));
    }
    LocatedBlock located =
        cluster.fs().getClient().getLocatedBlocks("/file", 0, AgentCluster.BLOCK).get(0);
    node = located.getLocations()[0];
    raw = RawAgent.connect(cluster, node);
    probe = cluster.probe(node);
    block = AgentBlock.of(located.getBlock());
    right.put("pool", '"' + located.getBlock().getBlockPoolId() + '"');
    right.put("block", RawAgent.block(block));
    odd.addAll(
        List.of(
            "null",
            "0",
            "1",
            "-1",
            "63",
            "64",
            "512",
            "1024",
            "4096",
            "4097",
            "8",
            "5",
            "4",
            "2147483647",
            "-2147483648",
            "2097152",
            "2097216",
            "9223372036854775807",
            "-9223372036854775808",
            "140737488355328",
            "1e3",
            "1.5",
            "\"x\"",
            "\"../..\"",
            "\"\\u0000\"",
            "\"" + "x".repeat(5000) + "\"",
            "[]",
            "{}",
            "[[]]",
            "{\"id\":1}",
            RawAgent.block(block.id, block.generationStamp, 0),
            RawAgent.block(block.id, block.generationStamp, -1),
            RawAgent.block(block.id, 0, block.length),
            RawAgent.block(Long.MIN_VALUE, 1, 1),
            RawAgent.block(block.id, block.generationStamp, Long.MAX_VALUE)));
  }

  @AfterEach
  void stop() {
    RPC.stopProxy(raw);
    cluster.close();
  }

  /** Says what became of a call. */
  private interface Outcome {
    String of(JsonObject answer);
  }

  /** Returns the outcomes of many calls, and the kinds of their errors. */
  private Set<String> send(String method, Outcome outcome) throws Exception {
    Set<String> seen = new HashSet<>();
    for (int round = 0; round < ROUNDS; round++) {
      String arguments = arguments();
      String text = raw.call(null, RawAgent.message(method, arguments)).getValue().toStringUtf8();
      JsonObject reply = JsonParser.parseString(text).getAsJsonObject();
      String kind =
          reply.has("answer")
              ? outcome.of(reply.getAsJsonObject("answer"))
              : reply.getAsJsonObject("error").get("kind").getAsString();
      assertThat(kind).as("%s: %s", arguments, text).isNotEqualTo("FAILED");
      seen.add(kind);
    }
    assertThat(cluster.agents().describe(node).uuid).isNotEmpty();
    assertThat(probe.users()).isZero();
    return seen;
  }

  /** Returns arguments that are right, except for up to two of them. */
  private String arguments() {
    Map<String, String> values = new LinkedHashMap<>(right);
    List<String> names = new ArrayList<>(right.keySet());
    for (int i = random.nextInt(3); i > 0; i--) {
      values.put(names.get(random.nextInt(names.size())), odd.get(random.nextInt(odd.size())));
    }
    return values.entrySet().stream()
        .filter(one -> random.nextInt(20) > 0)
        .map(one -> '"' + one.getKey() + "\":" + one.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  @Test
  void anyArgumentsOfFingerprintAreRefusedOrAnswered() throws Exception {
    odd.add("true");
    right.put("firstWindow", "0");
    right.put("windows", "2");
    right.put("windowBytes", "65536");
    right.put("seed", "-7");
    right.put("sums", "2");
    right.put("bytesPerSecond", "0");

    Set<String> seen = send("fingerprint", answer -> answer.get("outcome").getAsString());

    // Of other block pools the DataNode knows nothing.
    assertThat(seen).contains("BAD_REQUEST", "READ", "DIFFERENT", "ABSENT", "UNREACHABLE");
    assertThat(seen)
        .isSubsetOf("BAD_REQUEST", "READ", "DIFFERENT", "ABSENT", "UNREACHABLE", "UNFITTING");
  }

  @Test
  void anyArgumentsOfQuarantineRemoveNothingAndKeepOnlyTheBlock() throws Exception {
    ReplicaProbe.Held before = probe.held();
    Outcome outcome = answer -> answer.has("directory") ? "KEPT" : "ABSENT";

    // Never the generation stamp of the replica, which could be removed once it is kept.
    List<String> all = new ArrayList<>(odd);
    odd.removeIf(one -> one.contains("\"generationStamp\":" + block.generationStamp));
    right.put("remove", "true");
    right.put("block", RawAgent.block(block.id, block.generationStamp + 1, block.length));
    assertThat(send("quarantine", outcome))
        .containsExactlyInAnyOrder("BAD_REQUEST", "CHANGED", "ABSENT", "UNREACHABLE");

    odd.addAll(all);
    right.put("remove", "false");
    right.put("block", RawAgent.block(block));
    assertThat(send("quarantine", outcome))
        .containsExactlyInAnyOrder("BAD_REQUEST", "CHANGED", "ABSENT", "UNREACHABLE", "KEPT");

    assertThat(probe.held()).usingRecursiveComparison().isEqualTo(before);
    assertThat(probe.names(block.id)).isEqualTo(2);
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files.filter(path -> path.toString().contains("stripeline-quarantine/BP-")))
          .as("of the pool, with one replica of two files")
          .hasSize(4);
    }
  }
}
