// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.ipc.protobuf.RpcHeaderProtos.RpcResponseHeaderProto;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.testkit.Conditions;

/** Hundreds of connections of a user without rights, while a superuser calls the same agent. */
@Tag("own-jvm")
class AgentCrowdTest {
  private static final String USER = "mallory";
  private static final int IDLE = 400;
  private static final int CALLERS = 8;
  private static final int CALLS_EACH = 100;
  private static final int WINDOW = 64 << 10;

  private static final String[] METHODS = {"fingerprint", "quarantine", "encode"};

  private final AtomicInteger refused = new AtomicInteger();

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void superusersAreServedBesideACrowd(@TempDir Path dir) throws Exception {
    UserGroupInformation.createUserForTesting(USER, new String[] {"users"});
    List<Socket> idle = new ArrayList<>();
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    AtomicBoolean isOver = new AtomicBoolean();
    try (AgentCluster cluster = new AgentCluster(dir, new Configuration(false), "/a")) {
      DataNode dataNode = cluster.dataNode(cluster.nodes()[0]);
      DatanodeInfo node = cluster.nodes()[0];
      FingerprintRequest request = cluster.fingerprints(WINDOW, 1);
      Agents agents = cluster.agents();
      agents.fingerprint(node, request);
      int threads = ManagementFactory.getThreadMXBean().getThreadCount();
      Random random = new Random(3);
      for (int i = 0; i < IDLE; i++) {
        idle.add(halfOpen(node, random));
      }
      List<Future<?>> crowd = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        crowd.add(callers.submit(() -> call(node, isOver)));
      }
      long slowest = 0;
      do {
        long start = System.nanoTime();
        assertThat(agents.describe(node).uuid).isEqualTo(node.getDatanodeUuid());
        BlockFingerprints answer = agents.fingerprint(node, request);
        assertThat(answer.outcome).isEqualTo(BlockFingerprints.Outcome.READ);
        slowest = Math.max(slowest, System.nanoTime() - start);
      } while (refused.get() < CALLERS * CALLS_EACH);
      assertThat(TimeUnit.NANOSECONDS.toSeconds(slowest)).isLessThan(10);
      assertThat(ManagementFactory.getThreadMXBean().getThreadCount())
          .as("a connection has no thread")
          .isLessThan(threads + CALLERS + 30);
      isOver.set(true);
      for (Future<?> one : crowd) {
        one.get();
      }
      for (Socket socket : idle) {
        socket.close();
      }
      Conditions.await(
          "the end of the connections", () -> dataNode.ipcServer.getNumOpenConnections() < 10);
    } finally {
      isOver.set(true);
      callers.shutdownNow();
    }
  }

  /** Returns a connection that sends a part of a call, or noise, and nothing afterwards. */
  private static Socket halfOpen(DatanodeInfo node, Random random) throws IOException {
    Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), node.getIpcPort());
    byte[] whole = RawRpc.join(RawRpc.preamble(), RawRpc.context(USER), frame(METHODS[0]));
    byte[] part = new byte[random.nextInt(whole.length)];
    if (random.nextInt(4) == 0) {
      random.nextBytes(part);
    } else {
      System.arraycopy(whole, 0, part, 0, part.length);
    }
    socket.getOutputStream().write(part);
    return socket;
  }

  private static byte[] frame(String method) throws IOException {
    return RawRpc.call(RawAgent.message(method, "{}"));
  }

  /** Sends calls, each through a connection of its own, all of which must be refused. */
  private Void call(DatanodeInfo node, AtomicBoolean isOver) throws IOException {
    for (int i = 0; !isOver.get(); i++) {
      RpcResponseHeaderProto reply =
          RawRpc.send(
                  node.getIpcPort(),
                  true,
                  RawRpc.preamble(),
                  RawRpc.context(USER),
                  frame(METHODS[i % METHODS.length]))
              .get(0);
      assertThat(reply.getExceptionClassName())
          .isEqualTo(AgentService.NotAdmittedException.class.getName());
      refused.incrementAndGet();
    }
    return null;
  }
}
