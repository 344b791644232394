// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.StripelineAgent;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.BytesValue;
import org.apache.hadoop.util.DataChecksum;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.AgentRpc;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.BlockFingerprints.Outcome;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.fingerprint.Location;
import org.stripeline.server.datanode.AgentBeans;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.server.datanode.scrub.Quarantine;
import org.stripeline.testkit.Conditions;

/** Tests fingerprints through the calls of clients. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgentFingerprintTest {
  private static final int K = AgentCluster.K;
  private static final int UNITS = K + AgentCluster.M;
  private static final int WINDOW = 64 << 10;
  private static final int WINDOWS = AgentCluster.BLOCK / WINDOW;

  private AgentCluster cluster;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setLong(AgentKeys.SCRUB_BANDWIDTH, 0);
    cluster = new AgentCluster(dir, conf, "/a", "/a", "/a", "/a", "/a");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  /** A file of one group, whose last data block is short. */
  private final class Group {
    final LocatedBlock[] blocks;

    Group(String name) throws IOException {
      org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path("/coded");
      cluster.fs().mkdirs(directory);
      cluster.fs().setErasureCodingPolicy(directory, cluster.policy().getName());
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(directory, name);
      try (FSDataOutputStream out = cluster.fs().create(path)) {
        out.write(AgentCluster.bytes(2 * AgentCluster.BLOCK + 99_999, 5));
      }
      // DataNodes report the last blocks after the file is closed.
      Conditions.await("all blocks of " + path, () -> located(path).getLocations().length == UNITS);
      LocatedBlock group = located(path);
      blocks =
          StripedBlockUtil.parseStripedBlockGroup(
              (LocatedStripedBlock) group, AgentCluster.BLOCK, K, AgentCluster.M);
    }

    private LocatedBlock located(org.apache.hadoop.fs.Path path) throws IOException {
      String name = path.toUri().getPath();
      return cluster.fs().getClient().getLocatedBlocks(name, 0, Long.MAX_VALUE).get(0);
    }

    DatanodeInfo node(int unit) {
      return blocks[unit].getLocations()[0];
    }

    FingerprintRequest.Builder request(int unit, long seed) {
      AgentBlock block = AgentBlock.of(blocks[unit].getBlock());
      return new FingerprintRequest.Builder(blocks[unit].getBlock().getBlockPoolId(), block)
          .function(seed, 2, WINDOW)
          .windows(0, WINDOWS);
    }

    /** Returns what the fingerprints of all units say about each window. */
    List<Location> locate(long seed) throws IOException {
      byte[][][] prints = new byte[UNITS][][];
      for (int unit = 0; unit < UNITS; unit++) {
        BlockFingerprints answer =
            cluster.agents().fingerprint(node(unit), request(unit, seed).build());
        assertThat(answer.outcome).as(answer.message).isEqualTo(Outcome.READ);
        assertThat(answer.badChunkCount).isZero();
        prints[unit] = answer.fingerprints();
      }
      List<Location> locations = new ArrayList<>();
      try (ErasureCodec codec = ErasureCodec.create(Code.of("rs"), K, AgentCluster.M)) {
        for (int window = 0; window < WINDOWS; window++) {
          byte[][] of = new byte[UNITS][];
          for (int unit = 0; unit < UNITS; unit++) {
            of[unit] = prints[unit][window];
          }
          locations.add(Location.of(codec, of));
        }
      }
      return locations;
    }

    /** Changes a byte of a block and computes its checksums again. */
    void damage(int unit, int at) throws IOException {
      ReplicaProbe probe = cluster.probe(node(unit));
      long id = blocks[unit].getBlock().getBlockId();
      byte[] data = Files.readAllBytes(probe.file(id).toPath());
      data[at] ^= 0x40;
      Files.write(probe.file(id).toPath(), data);
      DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
      byte[] sums = new byte[checksum.getChecksumSize(data.length)];
      checksum.calculateChunkedSums(data, 0, data.length, sums, 0);
      try (DataOutputStream out =
          new DataOutputStream(Files.newOutputStream(probe.meta(id).toPath()))) {
        BlockMetadataHeader.writeHeader(out, checksum);
        out.write(sums);
      }
    }
  }

  @Test
  void damageBeneathChecksumsIsLocated() throws Exception {
    Group group = new Group("located");
    for (Location location : group.locate(1)) {
      assertThat(location.verdict()).isEqualTo(Location.Verdict.CONSISTENT);
    }
    group.damage(1, WINDOW + 77);
    group.damage(K, 3 * WINDOW);
    List<Location> locations = group.locate(-2);
    int[][] expected = {{}, {1}, {}, {K}};
    for (int window = 0; window < WINDOWS; window++) {
      assertThat(locations.get(window).units()).as("window %s", window).isEqualTo(expected[window]);
      assertThat(locations.get(window).verdict())
          .isEqualTo(window % 2 == 0 ? Location.Verdict.CONSISTENT : Location.Verdict.LOCATED);
    }
  }

  @Test
  void readsAreCounted() throws Exception {
    Group group = new Group("counted");
    String uuid = group.node(0).getDatanodeUuid();
    long calls = AgentBeans.number(uuid, "FingerprintCalls");
    long bytes = AgentBeans.number(uuid, "FingerprintedBytes");
    long bad = AgentBeans.number(uuid, "FingerprintedBadChunks");
    long cached = AgentBeans.number(uuid, "FingerprintedCachedBytes");
    Path file = cluster.probe(group.node(0)).file(group.blocks[0].getBlock().getBlockId()).toPath();
    byte[] data = Files.readAllBytes(file);
    data[0] ^= 1;
    Files.write(file, data);
    FingerprintRequest request = group.request(0, 3).windows(0, 2).build();
    BlockFingerprints answer = cluster.agents().fingerprint(group.node(0), request);
    assertThat(answer.badChunks).containsExactly(0L);
    assertThat(AgentBeans.number(uuid, "FingerprintCalls")).isEqualTo(calls + 1);
    assertThat(AgentBeans.number(uuid, "FingerprintedBytes")).isEqualTo(bytes + 2 * WINDOW);
    assertThat(AgentBeans.number(uuid, "FingerprintedBadChunks")).isEqualTo(bad + 1);
    assertThat(AgentBeans.number(uuid, "FingerprintedCachedBytes"))
        .isEqualTo(cached + (answer.cached ? 2 * WINDOW : 0));
    assertThat(AgentBeans.number(uuid, "BufferBytes")).isPositive();
  }

  @Test
  void onlySuperusersGetFingerprints() throws Exception {
    Group group = new Group("private");
    UserGroupInformation reader =
        UserGroupInformation.createUserForTesting("reader", new String[] {"users"});
    Configuration conf = cluster.fs().getConf();
    try (Agents agents =
        reader.doAs((PrivilegedExceptionAction<Agents>) () -> Agents.connect(conf))) {
      refused(
          AgentException.Kind.DENIED,
          "Cannot serve user reader",
          () -> agents.fingerprint(group.node(0), group.request(0, 1).build()));
    }
  }

  /** It may not have found all of its replicas: what it does not know is not known to be absent. */
  @Test
  void aDataNodeThatHasNotRegisteredCallsNothingAbsent() throws Exception {
    Group group = new Group("unregistered");
    DatanodeInfo node = group.node(0);
    String pool = group.blocks[0].getBlock().getBlockPoolId();
    long id = group.blocks[0].getBlock().getBlockId() + 1_000_000;
    AgentBlock absent = new AgentBlock(id, 1, 1);
    FingerprintRequest request =
        new FingerprintRequest.Builder(pool, absent).function(1, 2, WINDOW).windows(0, 1).build();
    assertThat(cluster.agents().fingerprint(node, request).outcome).isEqualTo(Outcome.ABSENT);
    DataNodeFaultInjector before = DataNodeFaultInjector.get();
    DataNodeFaultInjector.set(
        new DataNodeFaultInjector() {
          @Override
          public void noRegistration() throws IOException {
            throw new IOException("for a test");
          }
        });
    try {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> cluster.agents().fingerprint(node, request),
              () -> cluster.agents().quarantine(node, pool, absent, false),
              () -> cluster.agents().unlink(node, pool, List.of(absent)))) {
        refused(AgentException.Kind.UNREACHABLE, "has not registered", call);
      }
    } finally {
      DataNodeFaultInjector.set(before);
    }
  }

  /** The quarantine is locked, as it is for ever by a call that waits for a disk that hangs. */
  @Test
  void callsThatWaitForTheQuarantineLeaveHandlersFree() throws Exception {
    Group group = new Group("waiting");
    DatanodeInfo node = group.node(0);
    AgentBlock block = AgentBlock.of(group.blocks[0].getBlock());
    String pool = group.blocks[0].getBlock().getBlockPoolId();
    BytesValue keep =
        RawAgent.message(
            "quarantine",
            "{\"pool\":\"" + pool + "\",\"block\":" + RawAgent.block(block) + ",\"remove\":false}");
    // With the default of 10 handlers, 3 calls work at the same time.
    int count = 3;
    AgentProtocol raw = RawAgent.connect(cluster, node);
    ExecutorService threads = Executors.newFixedThreadPool(count);
    CompletionService<String> calls = new ExecutorCompletionService<>(threads);
    Object quarantine = quarantine(node.getDatanodeUuid());
    ReentrantLock lock = (ReentrantLock) field(quarantine, Quarantine.class, "lock");
    // What is kept is due to be looked through.
    set(quarantine, "expiredMillis", 0L);
    lock.lock();
    try {
      BlockFingerprints read = cluster.agents().fingerprint(node, group.request(0, 1).build());
      assertThat(read.outcome).isEqualTo(Outcome.READ);
      for (int i = 0; i < count; i++) {
        calls.submit(() -> raw.call(null, keep).getValue().toStringUtf8());
      }
      Future<String> first = calls.poll(30, TimeUnit.SECONDS);
      assertThat(first).as("a call that does not wait").isNotNull();
      assertThat(first.get()).contains("\"BUSY\"");
      lock.unlock();
      for (int i = 1; i < count; i++) {
        assertThat(calls.take().get()).contains("\"answer\"");
      }
    } finally {
      if (lock.isHeldByCurrentThread()) {
        lock.unlock();
      }
      threads.shutdownNow();
      RPC.stopProxy(raw);
    }
  }

  private Object quarantine(String uuid) throws ReflectiveOperationException {
    for (DataNode node : cluster.mini().getDataNodes()) {
      if (node.getDatanodeUuid().equals(uuid)) {
        Object agent = ((List<?>) field(node, DataNode.class, "plugins")).get(0);
        Object service = field(agent, StripelineAgent.class, "service");
        return field(service, AgentService.class, "quarantine");
      }
    }
    throw new AssertionError("no DataNode " + uuid);
  }

  private static void set(Object quarantine, String name, Object value)
      throws ReflectiveOperationException {
    Field field = Quarantine.class.getDeclaredField(name);
    field.setAccessible(true);
    field.set(quarantine, value);
  }

  private static Object field(Object of, Class<?> type, String name)
      throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }

  @Test
  void agentsOfOtherVersionsAreNamed() throws Exception {
    String refusal = "{\"error\":{\"kind\":\"BAD_REQUEST\",\"message\":\"no method\"}}";
    String old = "{\"answer\":{\"protocol\":3,\"version\":\"0.0.9\",\"uuid\":\"u\"}}";
    String current =
        "{\"answer\":{\"protocol\":3,\"version\":\"1\",\"methods\":[\"fingerprint\"]}}";
    String odd =
        "{\"answer\":{\"outcome\":\"LATER\",\"windows\":1,\"fingerprints\":\"AA==\",\"message\":"
            + "\"\",\"checksumType\":\"\",\"badWindows\":[],\"badChunks\":[]}}";
    check(old, refusal, AgentException.Kind.UNSUPPORTED, "version 0.0.9 of the agent");
    check(current, refusal, AgentException.Kind.BAD_REQUEST, "no method");
    check(current, odd, AgentException.Kind.FAILED, "does not fit the request");
    check(current, odd.replace("LATER", "READ"), AgentException.Kind.FAILED, "does not fit");
    String other =
        odd.replace("LATER", "READ")
            .replace("AA==", Base64.getEncoder().encodeToString(new byte[128]))
            .replace("\"badWindows\":[]", "\"badWindows\":[1]");
    check(current, other, AgentException.Kind.FAILED, "does not fit");
  }

  /** Asks an agent that gives these replies. */
  private void check(String about, String reply, AgentException.Kind kind, String message)
      throws Exception {
    Configuration conf = new Configuration(false);
    AgentRpc.use(conf);
    AgentProtocol protocol =
        (controller, request) -> {
          boolean isAbout = request.getValue().toStringUtf8().contains("\"about\"");
          ByteString text = ByteString.copyFromUtf8(isAbout ? about : reply);
          return BytesValue.newBuilder().setValue(text).build();
        };
    RPC.Server server =
        new RPC.Builder(conf)
            .setProtocol(AgentProtocol.class)
            .setInstance(new AgentEndpoint(protocol, () -> {}))
            .setBindAddress("127.0.0.1")
            .build();
    server.start();
    try {
      DatanodeInfo there =
          new DatanodeInfo.DatanodeInfoBuilder()
              .setIpAddr("127.0.0.1")
              .setHostName("localhost")
              .setIpcPort(server.getListenerAddress().getPort())
              .build();
      FingerprintRequest request =
          new FingerprintRequest.Builder("BP-1", new AgentBlock(1, 1, 1)).build();
      refused(kind, message, () -> cluster.agents().fingerprint(there, request));
    } finally {
      server.stop();
    }
  }
}
