// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stripeline.server.agent.AgentLinkTest.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.server.agent.AgentCluster.Adoption;

/** What arrived is read at rest, and what is not what was sent is taken back. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgentVerifyTest {
  private AgentCluster cluster;
  private Adoption file;
  private DatanodeInfo agent;
  private List<DatanodeInfo> targets;

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

  /** The agents of the cluster, with something done to a replica before it is read at rest. */
  private final class Tampering extends ForwardingAgents {
    private final boolean lie;

    Tampering(boolean lie) {
      super(cluster.agents());
      this.lie = lie;
    }

    @Override
    public BlockChecksum checksum(DatanodeInfo node, String pool, AgentBlock block)
        throws IOException {
      if (lie) {
        BlockChecksum read = super.checksum(node, pool, block);
        return new BlockChecksum(read.length, read.crc32c ^ 1);
      }
      AgentFailureTest.flip(cluster.probe(node).file(block.id), 7);
      return super.checksum(node, pool, block);
    }
  }

  private GroupEncoder encoder(Agents peers) throws IOException {
    DataNode node = cluster.dataNode(agent);
    AgentSettings settings = new AgentSettings(node.getConf());
    AgentMetrics metrics = new AgentMetrics(node);
    LocalReplicas replicas = new LocalReplicas(node, settings, metrics);
    BufferPool buffers = new BufferPool(settings.window, 0);
    Home home = new Home(node, replicas, peers, settings, metrics, buffers);
    EncodeRequest request = file.request(agent, targets).build();
    Pace pace = new Pace(0, null, () -> null);
    return new GroupEncoder(
        home, request, "stripeline-agent-test", new Progress(metrics), pace);
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
    refused(AgentException.Kind.FAILED, ", at rest crc32c ", encoder::run);
    cluster.awaitHeld(before);
  }

  @Test
  void cancelledBeforeItBeginsItDoesNothing() throws Exception {
    Map<String, String> before = cluster.held();
    GroupEncoder encoder = encoder(cluster.agents());
    encoder.cancel();
    assertThatThrownBy(encoder::run)
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    cluster.awaitHeld(before);
  }
}
