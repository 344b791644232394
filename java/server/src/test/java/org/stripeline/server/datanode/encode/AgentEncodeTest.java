// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.EncodeResult;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.testkit.Conditions;

/** Tests groups that are encoded from existing replicas, and read by stock clients. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgentEncodeTest {
  private static final int BLOCK = AgentCluster.BLOCK;

  private AgentCluster cluster;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    cluster = new AgentCluster(dir, new Configuration(false), "/a", "/a", "/a", "/b", "/b", "/b");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  void aWholeGroupIsThatOfHadoop() throws Exception {
    convert(AgentCluster.bytes(3 * BLOCK, 1), false);
  }

  @Test
  void aShortGroupIsPaddedWithZeros() throws Exception {
    convert(AgentCluster.bytes(BLOCK + 12_345, 2), false);
    convert(AgentCluster.bytes(777, 3), false);
  }

  @Test
  void blocksThatCannotBeAdoptedAreSent() throws Exception {
    convert(AgentCluster.bytes(2 * BLOCK + 70_001, 4), true);
  }

  /**
   * Encodes a group onto five DataNodes. The middle data block is sent if {@code sendOne} is true.
   */
  private void convert(byte[] data, boolean sendOne) throws Exception {
    Adoption file = cluster.adoption(data);
    DatanodeInfo agent = file.node(0, 0);
    List<DatanodeInfo> used = new ArrayList<>();
    for (int unit = 0; unit < file.blocks.size(); unit++) {
      boolean send = sendOne && unit == 1;
      DatanodeInfo node = send ? other(used, file, unit) : holder(used, file, unit);
      used.add(node);
      if (!send) {
        cluster.agents().link(node, file.pool(), Arrays.asList(file.link(unit)));
      }
    }
    EncodeRequest.Builder builder = file.request(agent);
    if (sendOne) {
      builder.send(new EncodeRequest.Send(1, file.to(1, used.get(1))));
    }
    for (int parity = AgentCluster.K; parity < AgentCluster.K + AgentCluster.M; parity++) {
      DatanodeInfo node = other(used, file, -1);
      used.add(node);
      builder.parity(file.to(parity, node));
    }
    EncodeRequest request = builder.build();
    TaskReport report = cluster.await(agent, cluster.agents().encode(agent, request));
    assertThat(report.error).isNull();
    assertThat(report.state).isEqualTo(TaskState.DONE);
    checkCounts(report, request, data);
    file.complete();
    checkFile(file);
  }

  /** Returns a DataNode that has a replica and no internal block yet. */
  private DatanodeInfo holder(List<DatanodeInfo> used, Adoption file, int unit) {
    for (DatanodeInfo node : file.blocks.get(unit).getLocations()) {
      if (!used.contains(node)) {
        return node;
      }
    }
    throw new AssertionError("no replica of unit " + unit + " on a DataNode other than " + used);
  }

  /** Returns a DataNode without an internal block, and without a replica of the unit. */
  private DatanodeInfo other(List<DatanodeInfo> used, Adoption file, int unit) throws IOException {
    for (DatanodeInfo node : cluster.nodes()) {
      boolean holds =
          unit >= 0 && Arrays.asList(file.blocks.get(unit).getLocations()).contains(node);
      if (!used.contains(node) && !holds) {
        return node;
      }
    }
    throw new AssertionError("no DataNode other than " + used);
  }

  private void checkCounts(TaskReport report, EncodeRequest request, byte[] data) {
    EncodeResult result = report.result;
    assertThat(result.readLocal + result.readRack + result.readRemote).isEqualTo(data.length);
    long sent = 0;
    for (EncodeRequest.Target target : request.parity) {
      sent += target.block.length;
    }
    for (EncodeRequest.Send send : request.sends) {
      sent += send.target.block.length;
    }
    assertThat(result.sentLocal + result.sentRack + result.sentRemote).isEqualTo(sent);
    assertThat(report.bytesTotal).isEqualTo(data.length + sent);
    assertThat(report.bytesDone).isEqualTo(report.bytesTotal);
    assertThat(result.written).hasSize(AgentCluster.M + request.sends.size());
    assertThat(result.seconds).isPositive();
  }

  private void checkFile(Adoption file) throws Exception {
    int units = file.blocks.size() + AgentCluster.M;
    Conditions.await(
        "all internal blocks", () -> file.locatedGroup().getLocations().length == units);
    checkRead(file);
    DebugAdmin admin = new DebugAdmin(cluster.mini().getConfiguration(0));
    assertThat(admin.run(new String[] {"verifyEC", "-file", file.temporary.toString()})).isZero();
    LocatedStripedBlock group = file.locatedGroup();
    MiniDFSCluster.DataNodeProperties first =
        cluster.mini().stopDataNode(group.getLocations()[0].getXferAddr());
    MiniDFSCluster.DataNodeProperties second =
        cluster.mini().stopDataNode(group.getLocations()[1].getXferAddr());
    checkRead(file);
    for (MiniDFSCluster.DataNodeProperties stopped : Arrays.asList(first, second)) {
      assertThat(cluster.mini().restartDataNode(stopped, true)).isTrue();
    }
    cluster.mini().waitActive();
  }

  private void checkRead(Adoption file) throws IOException {
    byte[] read = new byte[file.data.length];
    try (FSDataInputStream in = cluster.fs().open(file.temporary)) {
      in.readFully(0, read);
      assertThat(in.read(file.data.length, new byte[1], 0, 1)).isEqualTo(-1);
    }
    assertThat(read).isEqualTo(file.data);
  }
}
