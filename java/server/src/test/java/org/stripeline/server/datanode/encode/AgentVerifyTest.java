// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.Checksum;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.SlowDisk;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.BlockClaim;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.Messages;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.server.datanode.AgentSettings;
import org.stripeline.server.datanode.ForwardingAgents;
import org.stripeline.server.datanode.replica.LocalReplicas;

/** Tests that sent blocks are read from disk, and that replicas which differ are rolled back. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class AgentVerifyTest {
  private AgentCluster cluster;
  private Adoption file;
  private DatanodeInfo agent;
  private List<DatanodeInfo> targets;
  private final AtomicLong now = new AtomicLong();

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    cluster = new AgentCluster(dir, new Configuration(false), "/a", "/b", "/b", "/b", "/b");
  }

  @BeforeEach
  void write() throws Exception {
    file = cluster.adoption(AgentCluster.bytes(2 * AgentCluster.BLOCK + 1, 1));
    agent = file.node(0, 0);
    targets = file.free(agent);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  /** Agents that damage a replica before it is read from disk, or return a wrong checksum. */
  private final class Tampering extends ForwardingAgents {
    private final boolean lie;

    Tampering(boolean lie) {
      super(cluster.agents());
      this.lie = lie;
    }

    @Override
    public BlockChecksum checksum(
        DatanodeInfo node, String pool, AgentBlock block, long offset, long bytes, boolean sync)
        throws IOException {
      if (lie) {
        BlockChecksum read = super.checksum(node, pool, block, offset, bytes, sync);
        return new BlockChecksum(read.length, read.crc32c ^ 1);
      }
      AgentFailureTest.flip(cluster.probe(node).file(block.id), 7);
      return super.checksum(node, pool, block, offset, bytes, sync);
    }
  }

  private TaskContext context(DatanodeInfo where, Agents peers) {
    DataNode node = cluster.dataNode(where);
    AgentSettings settings = new AgentSettings(node.getConf());
    AgentMetrics metrics = new AgentMetrics(node);
    LocalReplicas replicas = new LocalReplicas(node, settings, metrics, Clock.systemUTC());
    BufferPool buffers = new BufferPool(settings.window, 0);
    return new TaskContext(node, replicas, peers, settings, metrics, buffers, now::get);
  }

  private RateLimiter unbound() {
    return new RateLimiter(0, null, () -> null, now::get);
  }

  private GroupEncoder encoder(Agents peers) throws IOException {
    TaskContext context = context(agent, peers);
    EncodeRequest request = file.request(agent, targets).build();
    return new GroupEncoder(
        context,
        request,
        "stripeline-agent-test",
        new TransferCounters(context.metrics),
        unbound());
  }

  /** Agents whose calls compute checksums from an array. */
  private static class Reading extends ForwardingAgents {
    private final byte[] bytes;
    final List<String> calls = new ArrayList<>();

    Reading(byte[] bytes) {
      super(null);
      this.bytes = bytes;
    }

    @Override
    public BlockChecksum checksum(
        DatanodeInfo node, String pool, AgentBlock block, long offset, long count, boolean sync)
        throws IOException {
      calls.add(offset + "+" + count + (sync ? " synced" : ""));
      return of(bytes, (int) offset, (int) count);
    }

    static BlockChecksum of(byte[] bytes, int offset, int count) {
      Checksum crc = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
      crc.update(bytes, offset, count);
      return new BlockChecksum(count, (int) crc.getValue());
    }
  }

  @Test
  void aLongReplicaIsReadByManyCallsAtTheRateOfItsTask() throws Exception {
    int part = TaskContext.CHECK_BYTES;
    byte[] bytes = AgentCluster.bytes(2 * part + 5, 2);
    Reading peers = new Reading(bytes);
    AtomicInteger asked = new AtomicInteger();
    RateLimiter limiter =
        new RateLimiter(
            0,
            null,
            () -> {
              asked.incrementAndGet();
              return null;
            },
            now::get);

    BlockChecksum read =
        context(agent, peers)
            .checksum(
                "pool",
                AgentNode.of(targets.get(0)),
                new AgentBlock(-16, 1, bytes.length),
                limiter);

    assertThat(read).usingRecursiveComparison().isEqualTo(Reading.of(bytes, 0, bytes.length));
    assertThat(peers.calls)
        .containsExactly("0+" + part + " synced", part + "+" + part, 2 * part + "+5");
    assertThat(asked).hasValue(3);
  }

  @Test
  void aSyncThatTakesLongIsRepeated() throws Exception {
    byte[] bytes = AgentCluster.bytes(100, 3);
    long length = 3L * 60 << 20;
    AtomicInteger timeouts = new AtomicInteger();
    Reading slow =
        new Reading(bytes) {
          @Override
          public BlockChecksum checksum(
              DatanodeInfo node, String pool, AgentBlock block, long at, long count, boolean sync)
              throws IOException {
            if (sync && timeouts.getAndDecrement() > 0) {
              now.addAndGet(TimeUnit.MINUTES.toNanos(1));
              if (timeouts.get() == 0) {
                throw new AgentException(AgentException.Kind.BUSY, "slow");
              }
              throw new AgentException(
                  AgentException.Kind.UNREACHABLE, "slow", new SocketTimeoutException());
            }
            return new BlockChecksum(count, 0);
          }
        };
    TaskContext context = context(agent, slow);
    AgentNode node = AgentNode.of(targets.get(0));
    AgentBlock block = new AgentBlock(-16, 1, length);

    timeouts.set(4);
    assertThat(context.checksum("pool", node, block, unbound()).length).isEqualTo(length);
    timeouts.set(5);
    refused(
        AgentException.Kind.BUSY, "slow", () -> context.checksum("pool", node, block, unbound()));
    timeouts.set(6);
    refused(
        AgentException.Kind.UNREACHABLE,
        "slow",
        () -> context.checksum("pool", node, block, unbound()));
  }

  /** A disk that blocks the first call would also block every other one. */
  @Test
  void aReplicaIsMadeDurableByOneCallAtATime() throws Exception {
    LocalReplicas replicas = context(agent, null).replicas;
    AgentBlock block = AgentBlock.of(file.blocks.get(0).getBlock());
    Messages.ChecksumCall call =
        new Messages.ChecksumCall(file.pool(), block, 0, block.length, true);
    FutureTask<BlockChecksum> first = new FutureTask<>(() -> replicas.checksum(call));
    try (SlowDisk disk = new SlowDisk()) {
      new Thread(first, "first sync").start();
      disk.awaitAsked();
      refused(AgentException.Kind.BUSY, "another call", () -> replicas.checksum(call));
    }
    assertThat(first.get().crc32c).isEqualTo(replicas.checksum(call).crc32c);
  }

  /** Returns a check of the first block whose replicas have the given claims; 0 for no answer. */
  private ReplicaCheck check(int... claimed) throws IOException {
    DatanodeInfo[] holders = file.blocks.get(0).getLocations();
    Agents peers =
        new ForwardingAgents(cluster.agents()) {
          @Override
          public BlockClaim claim(DatanodeInfo node, String pool, AgentBlock block)
              throws IOException {
            int crc = claimed[Arrays.asList(holders).indexOf(node)];
            if (crc == 0) {
              throw new AgentException(AgentException.Kind.UNREACHABLE, "silent");
            }
            return new BlockClaim("CRC32C", crc);
          }
        };
    EncodeRequest.Source source = file.from(0, Arrays.copyOf(holders, claimed.length));
    EncodeRequest request = new EncodeRequest.Builder(file.pool(), "rs", 3, 2).data(source).build();
    EncodeRequest.Kept kept = new EncodeRequest.Kept(0, file.internal(0), AgentNode.of(holders[0]));
    ReplicaCheck check =
        new ReplicaCheck(context(targets.get(0), peers), request, 0, kept, unbound());
    check.askClaims();
    return check;
  }

  private List<Integer> wrong(int encoded, int... claimed) throws IOException {
    List<Integer> wrong = new ArrayList<>();
    for (AgentNode node : check(claimed).contradicted(new BlockClaim("CRC32C", encoded))) {
      for (int i = 0; i < claimed.length; i++) {
        if (file.node(0, i).getDatanodeUuid().equals(node.uuid)) {
          wrong.add(i);
        }
      }
    }
    return wrong;
  }

  @Test
  void theMajorityOfReplicasIsRight() throws Exception {
    assertThat(wrong(7, 7, 7, 7)).isEmpty();
    assertThat(wrong(7, 7, 7)).isEmpty();
    assertThat(wrong(7, 7)).isEmpty();
    assertThat(wrong(7, 0, 7, 7)).isEmpty();
    // The first replica is kept.
    assertThat(wrong(7, 5, 7, 7)).containsExactly(0);
    assertThat(wrong(7, 7, 5, 7)).isEmpty();
    // The encoded bytes are wrong.
    assertThat(wrong(5, 5, 7, 7)).containsExactly(0);
    assertThat(wrong(5, 7, 5, 7)).containsExactly(1);
    assertThat(wrong(6, 5, 7, 7)).containsExactly(0);
    assertThat(wrong(5, 0, 7, 7)).as("the one that was read is silent now").containsExactly(0);
    refused(AgentException.Kind.FAILED, "memory of this node", () -> wrong(5, 7, 7, 7));
  }

  @Test
  void withoutAMajorityNoReplicaIsRight() throws Exception {
    assertThat(wrong(7, 7, 5)).containsExactly(0, 1);
    assertThat(wrong(7, 7, 5, 6)).containsExactly(0, 1, 2);
  }

  @Test
  void silentReplicasCountAgainstAMajority() throws Exception {
    int[][] claims = {{7, 0, 0}, {0, 0, 0}, {0, 7, 5}, {5, 0, 0}, {7, 0}, {0, 7}, {0}};
    for (int[] claimed : claims) {
      refused(AgentException.Kind.FAILED, "no answer: {", () -> wrong(7, claimed));
    }
    assertThatThrownBy(() -> wrong(7, 7, 0, 0))
        .isInstanceOfSatisfying(AgentException.class, e -> assertThat(e.bad()).isEmpty())
        .hasMessageContaining("more than half of its 3 replicas")
        .hasMessageContaining(AgentNode.of(file.node(0, 1)) + "=silent")
        .hasMessageContaining(AgentNode.of(file.node(0, 2)) + "=silent");
  }

  @Test
  void aReplicaThatIsCorruptAtRestIsNotKept() throws Exception {
    Map<String, String> before = cluster.held();
    GroupEncoder encoder = encoder(new Tampering(false));
    refused(AgentException.Kind.FAILED, "wrong checksum at 0", encoder::run);
    cluster.awaitHeld(before);
  }

  @Test
  void aReplicaOfOtherBytesIsNotKept() throws Exception {
    Map<String, String> before = cluster.held();
    GroupEncoder encoder = encoder(new Tampering(true));
    refused(AgentException.Kind.FAILED, ", on disk crc32c ", encoder::run);
    cluster.awaitHeld(before);
  }

  @Test
  void cancelledBeforeItBeginsItDoesNothing() throws Exception {
    Map<String, String> before = cluster.held();
    GroupEncoder encoder = encoder(cluster.agents());
    encoder.cancel();
    assertThatThrownBy(encoder::run).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    cluster.awaitHeld(before);
  }
}
