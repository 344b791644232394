// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.hadoop.util.VersionInfo;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentInfo;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.AgentRpc;
import org.stripeline.agent.Agents;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.Messages;
import org.stripeline.agent.TaskState;
import org.stripeline.agent.Wire;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;

/** Tests the messages, including those that one side does not support. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgentWireTest {
  private static final String POOL = "BP-1";

  private AgentCluster cluster;
  private DatanodeInfo node;
  private AgentProtocol raw;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    cluster = new AgentCluster(dir, new Configuration(false), "/a", "/a", "/a");
    node = cluster.nodes()[0];
    Configuration conf = new Configuration(cluster.fs().getConf());
    AgentRpc.use(conf);
    raw =
        RPC.getProxy(
            AgentProtocol.class,
            AgentProtocol.CALL_VERSION,
            NetUtils.createSocketAddr(node.getIpcAddr(false)),
            conf);
  }

  @AfterAll
  void stop() {
    RPC.stopProxy(raw);
    cluster.close();
  }

  private JsonObject call(String method, String arguments) throws Exception {
    return send("{\"method\":\"" + method + "\",\"arguments\":" + arguments + '}');
  }

  private JsonObject send(String request) throws Exception {
    BytesValue bytes = BytesValue.newBuilder().setValue(ByteString.copyFromUtf8(request)).build();
    return JsonParser.parseString(raw.call(null, bytes).getValue().toStringUtf8())
        .getAsJsonObject();
  }

  private void check(String method, String arguments, String kind, String message)
      throws Exception {
    check(call(method, arguments), kind, message);
  }

  private static void check(JsonObject reply, String kind, String message) {
    assertThat(reply.has("answer")).isFalse();
    JsonObject error = reply.getAsJsonObject("error");
    assertThat(error.get("kind").getAsString()).as(reply.toString()).isEqualTo(kind);
    assertThat(error.get("message").getAsString()).contains(message);
  }

  @Test
  void anAgentDescribesItself() throws Exception {
    AgentInfo info = cluster.agents().describe(node);
    assertThat(info.protocol).isEqualTo(AgentProtocol.NUMBER);
    assertThat(info.hadoop).isEqualTo(VersionInfo.getVersion());
    assertThat(info.uuid).isEqualTo(node.getDatanodeUuid());
    assertThat(info.coder).contains(info.version);
    // Unknown fields of later versions are ignored.
    assertThat(call("about", "{\"later\":[1]}").has("answer")).isTrue();
  }

  @Test
  void unknownMethodsAreReported() throws Exception {
    check("decode", "{}", "BAD_REQUEST", "no method 'decode' in protocol 3");
    check("poll", "{\"task\":5}", "UNKNOWN_TASK", "Cannot find task 5");
    assertThat(call("cancel", "{\"task\":5}").has("answer")).isTrue();
  }

  @Test
  void malformedArgumentsAreRefused() throws Exception {
    for (String method : Arrays.asList("link", "unlink", "checksum", "encode", "poll")) {
      for (String text : Arrays.asList("{", "[1,2]", "7", "\"x\"", "{\"pool\":{}}x", "\0")) {
        JsonObject reply = call(method, text);
        assertThat(reply.has("error")).as(method + ' ' + text).isTrue();
        assertThat(reply.getAsJsonObject("error").get("kind").getAsString())
            .as(method + ' ' + text + reply)
            .isEqualTo("BAD_REQUEST");
      }
      check(method, "", "BAD_REQUEST", "its form is invalid");
      check(send("{\"method\":\"" + method + "\"}"), "BAD_REQUEST", "no arguments");
      check(method, "null", "BAD_REQUEST", "no arguments");
    }
    for (String text : Arrays.asList("", "null", "7", "[]", "{\"method\":[]}", "{} {}")) {
      check(send(text), "BAD_REQUEST", "Cannot read the request");
    }
    check(send("{\"arguments\":{}}"), "BAD_REQUEST", "it names no method");
    // Accepted by Gson's default reader, but not valid JSON.
    for (String text : Arrays.asList("{'pool':'p'}", "{pool:1}", "{}/**/", "{\"pool\"=1}")) {
      check("link", text, "BAD_REQUEST", "its form is invalid");
    }
    check("link", "{}", "BAD_REQUEST", "no block pool");
    check("link", "{\"pool\":\"p\"}", "BAD_REQUEST", "list of links");
    check("link", "{\"pool\":\"p\",\"links\":[{}]}", "BAD_REQUEST", "no block for a source");
    check("unlink", "{\"pool\":\"p\",\"blocks\":[null]}", "BAD_REQUEST", "list of blocks");
    check("checksum", "{\"pool\":\"p\"}", "BAD_REQUEST", "no block for the block");
    check("encode", "{}", "BAD_REQUEST", "no ticket");
    check("encode", "{\"ticket\":\"t\",\"request\":{}}", "BAD_REQUEST", "no block pool");
  }

  /** Also tests more blocks than one call accepts, which the client splits into several calls. */
  @Test
  void longArgumentsArriveWhole() throws Exception {
    List<AgentBlock> blocks = new ArrayList<>();
    for (long i = 1; i <= 2 * Wire.BLOCKS_MAX + 1; i++) {
      blocks.add(new AgentBlock(-i, 1_000_000, 128 << 20));
    }
    assertThat(cluster.agents().unlink(node, pool(), blocks)).isZero();
    blocks.add(new AgentBlock(1, 1, 1));
    refused(
        AgentException.Kind.BAD_REQUEST,
        "negative ids",
        () -> cluster.agents().unlink(node, pool(), blocks));
  }

  @Test
  void nestingDoesNotExhaustTheStack() throws Exception {
    for (String open : Arrays.asList("[", "{\"a\":")) {
      for (int depth : new int[] {Wire.DEPTH_MAX, 500_000}) {
        String nested = String.join("", Collections.nCopies(depth, open));
        for (String text : Arrays.asList(nested, "{\"pool\":" + nested, "{\"links\":" + nested)) {
          check("link", text, "BAD_REQUEST", "nested objects");
        }
        check(send(nested), "BAD_REQUEST", "Cannot read the request");
      }
    }
    assertThat(cluster.agents().describe(node).uuid).isEqualTo(node.getDatanodeUuid());
  }

  @Test
  void hugeValuesAreRefused() throws Exception {
    String digits = String.join("", Collections.nCopies(1_000_000, "9"));
    for (String number :
        Arrays.asList(digits, "-" + digits, "1e" + digits, "0." + digits, "1e999999999", "1e99")) {
      check("poll", "{\"task\":" + number + '}', "BAD_REQUEST", "its form is invalid");
      check("about", "{\"later\":" + digits + '}', "BAD_REQUEST", "its form is invalid");
    }
    check("poll", "{\"task\":\"" + digits + "\"}", "BAD_REQUEST", "1000000 characters");
    check("poll", "{\"" + digits + "\":1}", "BAD_REQUEST", "1000000 characters");
    check(digits, "{}", "BAD_REQUEST", "1000000 characters");
    String empty = String.join(",", Collections.nCopies(Wire.VALUES_MAX, "{}"));
    check("unlink", "{\"blocks\":[" + empty + "]}", "BAD_REQUEST", "values");
    String blank = String.join("", Collections.nCopies(Wire.REQUEST_MAX, " "));
    check("about", blank + "{}", "BAD_REQUEST", "at most " + Wire.REQUEST_MAX + " are read");
    assertThat(cluster.agents().describe(node).uuid).isEqualTo(node.getDatanodeUuid());
  }

  @Test
  void repliesMayBeLong() {
    String reason = String.join("", Collections.nCopies(Wire.REQUEST_MAX, "r"));
    Messages.Envelope failed = new Messages.Envelope(null, new Messages.Failure("FAILED", reason));
    assertThat(Wire.envelope(Wire.reply(failed)).error.message).isEqualTo(reason);
  }

  @Test
  void listsAndTextsHaveBounds() throws Exception {
    String name = String.join("", Collections.nCopies(300, "n"));
    String blocks = String.join(",", Collections.nCopies(Wire.BLOCKS_MAX + 1, "{}"));
    String pool = "{\"pool\":\"p\",";
    check("link", pool + "\"links\":[" + blocks + "]}", "BAD_REQUEST", "10001 links");
    check("unlink", pool + "\"blocks\":[" + blocks + "]}", "BAD_REQUEST", "10001 blocks");
    check(
        "unlink", "{\"pool\":\"" + name + "\",\"blocks\":[]}", "BAD_REQUEST", "block pool of 300");
    AgentNode there = AgentNode.of(cluster.nodes()[1]);
    AgentBlock data = new AgentBlock(1, 1, 1000);
    EncodeRequest.Source source = new EncodeRequest.Source(data, Arrays.asList(there));
    EncodeRequest.Target parity = target(-2, 1000, "DISK");
    EncodeRequest.Source replicas = new EncodeRequest.Source(data, Collections.nCopies(513, there));
    check(builder("rs", 1, 1).data(replicas).parity(parity), "513 nodes of data block 0");
    EncodeRequest.Builder many = builder("rs", 1, 1);
    for (int i = 0; i < 17; i++) {
      many.data(source).parity(parity).send(new EncodeRequest.Send(0, parity));
    }
    check(many, "17 data; at most 16");
    check(builder(name, 1, 1).data(source).parity(parity), "codec of 300 characters");
    check(
        builder("rs", 1, 1).data(source).parity(target(-2, 1000, name)), "storage type of target");
    check(builder("rs", Integer.MAX_VALUE, 2).data(source).parity(parity), "2147483649 units");
    check(builder("rs", -1, 2).data(source).parity(parity), "-1");
  }

  private String pool() {
    return cluster.mini().getNamesystem().getBlockPoolId();
  }

  @Test
  void aCallThatIsRepeatedBeginsNoSecondTask() throws Exception {
    Adoption file = cluster.adoption(AgentCluster.bytes(AgentCluster.BLOCK, 3));
    EncodeRequest request =
        file.request(node, Arrays.asList(cluster.nodes())).bytesPerSecond(10_000).build();
    String encode = Messages.JSON.toJson(new Messages.EncodeCall("only-once", request));
    long first = task(call("encode", encode));
    assertThat(task(call("encode", encode))).isEqualTo(first);
    cluster.agents().cancel(node, first);
    assertThat(cluster.await(node, first).state).isEqualTo(TaskState.CANCELLED);
  }

  private static long task(JsonObject reply) {
    return reply.getAsJsonObject("answer").get("task").getAsLong();
  }

  @Test
  void requestsThatContradictThemselvesAreRefused() throws Exception {
    DatanodeInfo[] nodes = cluster.nodes();
    AgentNode there = AgentNode.of(nodes[1]);
    AgentBlock data = new AgentBlock(1, 1, 1000);
    EncodeRequest.Source source = new EncodeRequest.Source(data, Arrays.asList(there));
    EncodeRequest.Target parity = target(-2, 1000, "DISK");
    check(builder("rs", 1, 1).parity(parity), "0 data blocks");
    check(builder("rs", 1, 1).data(source).data(source).parity(parity), "2 data blocks");
    check(builder("rs", 1, 1).data(source), "0 parity blocks for 1");
    check(builder("rot13", 1, 1).data(source).parity(parity), "'rot13'");
    check(builder("xor", 2, 2).data(source).parity(parity), "exactly 1 parity unit");
    check(builder("rs", 15, 4).data(source).parity(parity), "19 units");
    check(
        builder("rs", 1, 1).data(source).parity(target(2, 1000, "DISK")), "not an internal block");
    check(builder("rs", 1, 1).data(source).parity(target(-2, 999, "DISK")), "1000 bytes");
    check(builder("rs", 1, 1).data(source).parity(target(-2, 1000, "CLOUD")), "'CLOUD'");
    check(builder("rs", 1, 1).data(source).parity(target(-2, 1000, "RAM_DISK")), "'RAM_DISK'");
    check(builder("rs", 1, 2).data(source).parity(parity).parity(parity), "named twice");
    check(
        builder("rs", 1, 1).data(source).parity(parity).send(new EncodeRequest.Send(1, parity)),
        "data unit 1");
    check(
        builder("rs", 1, 1).data(new EncodeRequest.Source(data, new ArrayList<>())).parity(parity),
        "no nodes to read");
    EncodeRequest.Source longer =
        new EncodeRequest.Source(new AgentBlock(2, 1, 1001), Arrays.asList(there));
    check(builder("rs", 2, 1).data(source).data(longer).parity(parity), "only the last");
    check(builder("rs", 1, 1).data(source).parity(parity).windowBytes(7), "a window of 7");
    check(builder("rs", 1, 1).data(source).parity(parity).bytesPerSecond(-1), "-1 bytes per");
  }

  private EncodeRequest.Target target(long id, long length, String type) throws Exception {
    return new EncodeRequest.Target(
        new AgentBlock(id, 1, length), AgentNode.of(cluster.nodes()[2]), type, "");
  }

  private static EncodeRequest.Builder builder(String codec, int k, int m) {
    return new EncodeRequest.Builder(POOL, codec, k, m);
  }

  private void check(EncodeRequest.Builder builder, String message) {
    refused(
        AgentException.Kind.BAD_REQUEST,
        message,
        () -> cluster.agents().encode(node, builder.build()));
  }

  /** The form of the call of another release. */
  @ProtocolInfo(protocolName = AgentProtocol.NAME, protocolVersion = AgentProtocol.CALL_VERSION + 1)
  interface OtherCall {
    BytesValue call(RpcController controller, BytesValue request) throws ServiceException;
  }

  @Test
  void driversOfAnotherCallVersionAreRefusedByTheServer() throws Exception {
    Configuration conf = new Configuration(cluster.fs().getConf());
    RPC.setProtocolEngine(conf, OtherCall.class, ProtobufRpcEngine2.class);
    OtherCall other =
        RPC.getProxy(
            OtherCall.class,
            AgentProtocol.CALL_VERSION + 1,
            NetUtils.createSocketAddr(node.getIpcAddr(false)),
            conf);
    try {
      Assertions.assertThatThrownBy(() -> other.call(null, BytesValue.getDefaultInstance()))
          .isInstanceOf(ServiceException.class)
          .cause()
          .isInstanceOf(RemoteException.class)
          .hasMessageContaining(AgentProtocol.NAME);
    } finally {
      RPC.stopProxy(other);
    }
  }

  @Test
  void agentsOfAnotherCallVersionCountAsMissing() throws Exception {
    Configuration conf = new Configuration(false);
    RPC.setProtocolEngine(conf, OtherCall.class, ProtobufRpcEngine2.class);
    RPC.Server server =
        new RPC.Builder(conf)
            .setProtocol(OtherCall.class)
            .setInstance(new AgentEndpoint(null, () -> {}))
            .setBindAddress("127.0.0.1")
            .build();
    server.start();
    try {
      refused(
          AgentException.Kind.NO_AGENT,
          "dfs.datanode.plugins",
          () -> cluster.agents().describe(at(server.getListenerAddress().getPort())));
    } finally {
      server.stop();
    }
  }

  @Test
  void missingAgentsAreUnreachable() throws Exception {
    DatanodeInfo gone;
    try (ServerSocket free = new ServerSocket(0)) {
      gone = at(free.getLocalPort());
    }
    refused(
        AgentException.Kind.UNREACHABLE,
        "Cannot call about of agent",
        () -> cluster.agents().describe(gone));
    Agents closed = Agents.connect(cluster.fs().getConf());
    closed.close();
    closed.close();
    Assertions.assertThatThrownBy(() -> closed.describe(node)).hasMessageContaining("closed");
  }

  /**
   * An exception that the server throws before it calls the agent does not mean that there is no
   * agent.
   */
  @Test
  void aBusyServerIsRetriedLater() throws Exception {
    Configuration conf = new Configuration(false);
    AgentRpc.use(conf);
    AgentEndpoint busy =
        new AgentEndpoint(
            null,
            () -> {
              throw new RetriableException("Server is too busy.");
            });
    RPC.Server server =
        new RPC.Builder(conf)
            .setProtocol(AgentProtocol.class)
            .setInstance(busy)
            .setBindAddress("127.0.0.1")
            .build();
    server.start();
    try {
      DatanodeInfo there = at(server.getListenerAddress().getPort());
      refused(
          AgentException.Kind.UNREACHABLE,
          "RetriableException: Server is too busy.",
          () -> cluster.agents().describe(there));
    } finally {
      server.stop();
    }
  }

  private static DatanodeInfo at(int port) {
    return new DatanodeInfo.DatanodeInfoBuilder()
        .setIpAddr("127.0.0.1")
        .setHostName("localhost")
        .setDatanodeUuid("at " + port)
        .setIpcPort(port)
        .build();
  }
}
