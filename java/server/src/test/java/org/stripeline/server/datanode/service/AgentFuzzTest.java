// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.ipc.protobuf.RpcHeaderProtos.RpcResponseHeaderProto;
import org.apache.hadoop.ipc.protobuf.RpcHeaderProtos.RpcResponseHeaderProto.RpcStatusProto;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.Wire;
import org.stripeline.server.datanode.AgentCluster;

/** Tests that a user without rights sends arbitrary bytes to the port of an agent. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("full")
@Tag("own-jvm")
class AgentFuzzTest {
  private static final String USER = "mallory";
  private static final int THREADS = 3;
  private static final int ROUNDS = 1_000;
  private static final int OVERSIZED = Wire.REQUEST_MAX + 1;

  /** By default, the server refuses longer frames. */
  private static final int FRAME_MAX = 64 << 20;

  private AgentCluster cluster;
  private DatanodeInfo node;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    cluster = new AgentCluster(dir, new Configuration(false), "/a", "/a", "/a");
    node = cluster.nodes()[0];
    UserGroupInformation.createUserForTesting(USER, new String[] {"users"});
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private List<RpcResponseHeaderProto> call(RPC.RpcKind kind, byte[]... request) throws Exception {
    return RawRpc.send(
        node.getIpcPort(),
        true,
        RawRpc.preamble(),
        RawRpc.context(USER),
        RawRpc.call(kind, request));
  }

  /**
   * If the engine for Writables were loaded, such a call would allocate arrays of the given length.
   */
  @Test
  void callsOfOtherEnginesAreNotRead() throws Exception {
    byte[] frame = RawRpc.call(RPC.RpcKind.RPC_WRITABLE, RawRpc.writable(50_000_000));
    assertThat(frame).hasSizeLessThan(150);
    long before = allocated();
    for (RPC.RpcKind kind : new RPC.RpcKind[] {RPC.RpcKind.RPC_WRITABLE, RPC.RpcKind.RPC_BUILTIN}) {
      RpcResponseHeaderProto reply = call(kind, RawRpc.writable(50_000_000)).get(0);
      assertThat(reply.getStatus()).isEqualTo(RpcStatusProto.FATAL);
      assertThat(reply.getErrorMsg()).contains("Unknown rpc kind");
    }
    assertThat(allocated() - before).isLessThan(10 << 20);
  }

  /** The caller is refused before protobuf parses the invalid message. */
  @Test
  void callersAreCheckedBeforeTheirRequests() throws Exception {
    byte[] broken = {5, 10, 127, 1, 2, 3};
    RpcResponseHeaderProto reply =
        call(
                RPC.RpcKind.RPC_PROTOCOL_BUFFER,
                RawRpc.method("call", AgentProtocol.NAME, AgentProtocol.CALL_VERSION),
                broken)
            .get(0);
    assertThat(reply.getStatus()).isEqualTo(RpcStatusProto.ERROR);
    assertThat(reply.getExceptionClassName())
        .isEqualTo(AgentService.NotAdmittedException.class.getName());
    assertThat(reply.getErrorMsg()).contains("Cannot serve user " + USER + ": it is neither");
  }

  /** Stack traces of the server's threads would quickly fill the log of a DataNode. */
  @Test
  void refusalsAreLoggedInOneLine() throws Exception {
    List<LoggingEvent> events = Collections.synchronizedList(new ArrayList<>());
    Logger log = Logger.getLogger(Server.class);
    Level level = log.getLevel();
    AppenderSkeleton appender = appender(events);
    log.setLevel(Level.INFO);
    log.addAppender(appender);
    try {
      callThatIsRefused();
    } finally {
      log.removeAppender(appender);
      log.setLevel(level);
    }
    assertThat(events)
        .filteredOn(event -> event.getRenderedMessage().contains("Cannot serve user " + USER))
        .hasSize(1)
        .allMatch(event -> event.getThrowableInformation() == null);
  }

  private void callThatIsRefused() throws Exception {
    assertThat(
            call(
                    RPC.RpcKind.RPC_PROTOCOL_BUFFER,
                    RawRpc.method("call", AgentProtocol.NAME, AgentProtocol.CALL_VERSION),
                    request(new byte[0]))
                .get(0)
                .getStatus())
        .isEqualTo(RpcStatusProto.ERROR);
  }

  private static AppenderSkeleton appender(List<LoggingEvent> events) {
    return new AppenderSkeleton() {
      @Override
      protected void append(LoggingEvent event) {
        events.add(event);
      }

      @Override
      public boolean requiresLayout() {
        return false;
      }

      @Override
      public void close() {}
    };
  }

  @Test
  void whateverIsSentIsAnsweredWithErrorsOnly() throws Exception {
    encode();
    long live = live();
    long allocated = allocated();
    long sent = 0;
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Long>> running = new ArrayList<>();
      for (int seed = 0; seed < THREADS; seed++) {
        Random random = new Random(seed);
        running.add(threads.submit(() -> fuzz(random)));
      }
      for (Future<Long> one : running) {
        do {
          assertThat(cluster.agents().describe(node).uuid).isEqualTo(node.getDatanodeUuid());
        } while (!one.isDone());
        sent += one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    // Frames are read whole, and copied once or twice; answers contain stack traces of the server's
    // threads.
    assertThat(allocated() - allocated).isLessThan(4 * sent + THREADS * ROUNDS * (256L << 10));
    assertThat(live() - live).isLessThan(32 << 20);
    encode();
  }

  /** Encodes a group as a superuser. */
  private void encode() throws Exception {
    AgentCluster.Adoption file = cluster.adoption(AgentCluster.bytes(AgentCluster.BLOCK, 1));
    EncodeRequest request = file.request(node, Arrays.asList(cluster.nodes())).build();
    long task = cluster.agents().encode(node, request);
    assertThat(cluster.await(node, task).error).isNull();
    for (int i = 0; i < AgentCluster.M; i++) {
      EncodeRequest.Target parity = request.parity.get(i);
      cluster
          .agents()
          .unlink(parity.node.toDatanodeInfo(), file.pool(), Arrays.asList(parity.block));
    }
    cluster.fs().delete(file.plain, false);
    cluster.fs().delete(file.temporary, false);
  }

  /** Sends random requests, and returns the number of bytes sent. */
  private long fuzz(Random random) throws Exception {
    long sent = 0;
    for (int round = 0; round < ROUNDS; round++) {
      boolean isWhole = random.nextBoolean();
      byte[] bytes = isWhole ? wholeCall(random, round) : broken(random);
      sent += bytes.length;
      for (RpcResponseHeaderProto reply : RawRpc.send(node.getIpcPort(), isWhole, bytes)) {
        assertThat(reply.getStatus())
            .as("reply to %s, round %s", Arrays.toString(bytes), round)
            .isNotEqualTo(RpcStatusProto.SUCCESS);
      }
    }
    return sent;
  }

  /** Returns bytes that are not a connection with a valid call. */
  private static byte[] broken(Random random) throws Exception {
    byte[] noise = bytes(random, 1 + random.nextInt(2_000));
    byte[] good =
        RawRpc.join(RawRpc.preamble(), RawRpc.context(USER), wholeFrame("{\"method\":\"about\"}"));
    switch (random.nextInt(5)) {
      case 0:
        return noise;
      case 1:
        return RawRpc.join("hrpc".getBytes(StandardCharsets.US_ASCII), noise);
      case 2:
        return RawRpc.join(RawRpc.preamble(), length(random), noise);
      case 3:
        return RawRpc.join(RawRpc.preamble(), RawRpc.context(USER), length(random), noise);
      default:
        return Arrays.copyOf(good, 1 + random.nextInt(good.length - 1));
    }
  }

  /** Returns the length of a frame that is not sent. */
  private static byte[] length(Random random) {
    int[] lengths = {
      -1,
      Integer.MIN_VALUE,
      Integer.MAX_VALUE,
      FRAME_MAX + 1,
      -random.nextInt(Integer.MAX_VALUE),
      FRAME_MAX + 1 + random.nextInt(FRAME_MAX),
      random.nextInt(1 << 16)
    };
    int length = lengths[random.nextInt(lengths.length)];
    return ByteBuffer.allocate(4).putInt(length).array();
  }

  /** Returns a connection with one call, which the server has to answer. */
  private static byte[] wholeCall(Random random, int round) throws Exception {
    return RawRpc.join(RawRpc.preamble(), RawRpc.context(USER), frame(random, round));
  }

  private static byte[] frame(Random random, int round) throws Exception {
    byte[] noise = bytes(random, random.nextInt(2_000));
    byte[] method = RawRpc.method("call", AgentProtocol.NAME, AgentProtocol.CALL_VERSION);
    switch (random.nextInt(7)) {
      case 0:
        return RawRpc.call(RPC.RpcKind.RPC_WRITABLE, RawRpc.writable(random.nextInt()), noise);
      case 1:
        return RawRpc.call(RPC.RpcKind.RPC_BUILTIN, noise);
      case 2:
        return RawRpc.call(RPC.RpcKind.RPC_PROTOCOL_BUFFER, method, noise);
      case 3:
        return RawRpc.call(
            RPC.RpcKind.RPC_PROTOCOL_BUFFER,
            RawRpc.method("call" + random.nextInt(2), AgentProtocol.NAME, random.nextInt(4)),
            noise);
      case 4:
        String json = json(random, 0);
        byte[] message = request(json.getBytes(StandardCharsets.UTF_8));
        return RawRpc.call(
            RPC.RpcKind.RPC_PROTOCOL_BUFFER,
            method,
            Arrays.copyOf(message, random.nextInt(message.length + 1)));
      case 5:
        byte[] large = round % 50 == 0 ? new byte[OVERSIZED] : noise;
        return RawRpc.call(RPC.RpcKind.RPC_PROTOCOL_BUFFER, method, request(large));
      default:
        return wholeFrame(json(random, 0));
    }
  }

  private static byte[] wholeFrame(String json) throws Exception {
    return RawRpc.call(
        RPC.RpcKind.RPC_PROTOCOL_BUFFER,
        RawRpc.method("call", AgentProtocol.NAME, AgentProtocol.CALL_VERSION),
        request(json.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] request(byte[] bytes) throws Exception {
    return RawRpc.delimited(BytesValue.newBuilder().setValue(ByteString.copyFrom(bytes)).build());
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Returns random JSON with names that occur in requests. */
  private static String json(Random random, int depth) {
    String[] names = {"method", "arguments", "pool", "links", "blocks", "request", "data", "task"};
    String[] values = {"null", "1e999", "-1", "\"encode\"", "\"link\"", "\"about\"", "{}", "[]"};
    int kind = depth > 6 ? 0 : random.nextInt(3);
    if (kind == 0) {
      return values[random.nextInt(values.length)];
    }
    List<String> parts = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      String name = kind == 1 ? "" : '"' + names[random.nextInt(names.length)] + "\":";
      parts.add(name + json(random, depth + 1));
    }
    String inner = String.join(",", parts);
    return kind == 1 ? '[' + inner + ']' : '{' + inner + '}';
  }

  /** Returns the bytes of heap in use after garbage collection. */
  private static long live() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  /** Returns the bytes that the threads of the DataNode's IPC server have allocated so far. */
  private long allocated() {
    ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = 0;
    int threads = 0;
    for (ThreadInfo thread : bean.getThreadInfo(bean.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().matches(".* port " + node.getIpcPort())) {
        sum += bean.getThreadAllocatedBytes(thread.getThreadId());
        threads++;
      }
    }
    assertThat(threads).isGreaterThan(2);
    return sum;
  }
}
