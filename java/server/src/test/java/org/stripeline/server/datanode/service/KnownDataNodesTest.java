// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.server.datanode.AgentCluster;

/** Tests that agents connect only to the DataNodes of their NameNode. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class KnownDataNodesTest {
  private final AtomicLong now = new AtomicLong(-5);
  private final List<DatanodeInfo> registered = new ArrayList<>();
  private int asked;
  private IOException silence;

  private final KnownDataNodes known =
      new KnownDataNodes(
          pool -> {
            asked++;
            if (silence != null) {
              throw silence;
            }
            return registered.toArray(new DatanodeInfo[0]);
          },
          now::get);

  private static DatanodeInfo.DatanodeInfoBuilder node(int number) {
    return new DatanodeInfo.DatanodeInfoBuilder()
        .setDatanodeUuid("uuid-" + number)
        .setIpAddr("10.0.0." + number)
        .setHostName("host-" + number)
        .setXferPort(9866)
        .setIpcPort(9867)
        .setNetworkLocation("/rack");
  }

  /** Returns a request that reads from one node, and writes to two others. */
  private static EncodeRequest request(
      DatanodeInfo source, DatanodeInfo parity, DatanodeInfo sent) {
    AgentBlock block = new AgentBlock(1, 1, 1);
    return new EncodeRequest.Builder("pool", "xor", 1, 1)
        .data(new EncodeRequest.Source(block, Arrays.asList(AgentNode.of(source))))
        .parity(new EncodeRequest.Target(block, AgentNode.of(parity), "DISK", ""))
        .send(
            new EncodeRequest.Send(
                0, new EncodeRequest.Target(block, AgentNode.of(sent), "DISK", "")))
        .build();
  }

  private static EncodeRequest request(DatanodeInfo node) {
    return request(node, node, node);
  }

  @Test
  void aDataNodeWithAnyDifferenceIsUnknown() throws Exception {
    DatanodeInfo one = node(1).build();
    registered.add(one);
    registered.add(node(2).build());
    known.check(request(one, registered.get(1), one));
    for (DatanodeInfo other :
        new DatanodeInfo[] {
          node(3).build(),
          node(1).setDatanodeUuid("uuid-2").build(),
          node(1).setIpAddr("10.0.0.3").build(),
          node(1).setHostName("host-2").build(),
          node(1).setXferPort(22).build(),
          node(1).setIpcPort(22).build()
        }) {
      String name = other.getDatanodeUuid() + " at " + other.getXferAddr();
      for (EncodeRequest request :
          Arrays.asList(
              request(other, one, one), request(one, other, one), request(one, one, other))) {
        refused(AgentException.Kind.NOT_READY, name, () -> known.check(request));
      }
    }
    // The rack may differ, since callers may use another topology.
    known.check(request(node(1).setNetworkLocation("/elsewhere").build()));
  }

  @Test
  void reportsAreKeptForAWhile() throws Exception {
    registered.add(node(1).build());
    known.check(request(node(1).build()));
    now.addAndGet(KnownDataNodes.KEEP_NANOS - 1);
    known.check(request(node(1).build()));
    assertThat(asked).isEqualTo(1);
    registered.set(0, node(2).build());
    now.addAndGet(1);
    refused(AgentException.Kind.NOT_READY, "uuid-1", () -> known.check(request(node(1).build())));
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void reportsAreRefreshedForNewNodesButNotTooOften() throws Exception {
    registered.add(node(1).build());
    known.check(request(node(1).build()));
    registered.add(node(2).build());
    for (int i = 0; i < 100; i++) {
      refused(AgentException.Kind.NOT_READY, "uuid-2", () -> known.check(request(node(2).build())));
    }
    assertThat(asked).isEqualTo(1);
    now.addAndGet(KnownDataNodes.PAUSE_NANOS);
    known.check(request(node(2).build()));
    known.check(request(node(2).build()));
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void noDataNodeIsAcceptedWhileTheNameNodeDoesNotAnswer() throws Exception {
    registered.add(node(1).build());
    silence = new IOException("no route");
    for (int i = 0; i < 100; i++) {
      refused(
          AgentException.Kind.NOT_READY,
          "Cannot get the DataNodes from the NameNode, and an agent connects only to these: no"
              + " route",
          () -> known.check(request(node(1).build())));
    }
    assertThat(asked).isEqualTo(1);
    silence = null;
    now.addAndGet(KnownDataNodes.PAUSE_NANOS);
    known.check(request(node(1).build()));
    assertThat(asked).isEqualTo(2);
  }

  /** The forged address has a listener, which must receive neither data nor a call. */
  @Test
  void nothingButDataNodesIsConnectedTo(@TempDir Path dir) throws Exception {
    try (AgentCluster cluster =
            new AgentCluster(dir, new Configuration(false), "/a", "/a", "/a", "/a", "/a");
        ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
      listener.configureBlocking(false);
      int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
      AgentCluster.Adoption file =
          cluster.adoption(AgentCluster.bytes(2 * AgentCluster.BLOCK + 99_999, 1));
      DatanodeInfo agent = file.node(0, 0);
      EncodeRequest request = file.request(agent, file.free(agent)).build();
      List<UnaryOperator<DatanodeInfo.DatanodeInfoBuilder>> changes =
          Arrays.asList(
              node -> node.setXferPort(port),
              node -> node.setIpcPort(port),
              node -> node.setXferPort(port).setIpcPort(port).setDatanodeUuid("unknown"));
      for (UnaryOperator<DatanodeInfo.DatanodeInfoBuilder> change : changes) {
        for (EncodeRequest forged : forged(request, change)) {
          refused(
              AgentException.Kind.NOT_READY,
              "the NameNode has no DataNode",
              () -> cluster.agents().encode(agent, forged));
        }
      }
      assertThat(listener.accept()).isNull();
      long task = cluster.agents().encode(agent, request);
      assertThat(cluster.await(agent, task).error).isNull();
      assertThat(listener.accept()).isNull();
    }
  }

  /**
   * Returns copies of a request in each of which one DataNode is changed: a source, or a target.
   */
  private static List<EncodeRequest> forged(
      EncodeRequest request, UnaryOperator<DatanodeInfo.DatanodeInfoBuilder> change) {
    List<EncodeRequest> all = new ArrayList<>();
    for (int at = 0; at < 2; at++) {
      EncodeRequest.Builder builder =
          new EncodeRequest.Builder(
              request.pool, request.codec, request.dataUnits, request.parityUnits);
      for (int i = 0; i < request.data.size(); i++) {
        EncodeRequest.Source source = request.data.get(i);
        List<AgentNode> nodes = new ArrayList<>(source.nodes);
        if (at == 0 && i == 1) {
          nodes.set(nodes.size() - 1, changed(nodes.get(nodes.size() - 1), change));
        }
        builder.data(new EncodeRequest.Source(source.block, nodes));
      }
      for (int i = 0; i < request.parity.size(); i++) {
        EncodeRequest.Target target = request.parity.get(i);
        AgentNode node = at == 1 && i == 1 ? changed(target.node, change) : target.node;
        builder.parity(
            new EncodeRequest.Target(target.block, node, target.storageType, target.storageId));
      }
      all.add(builder.build());
    }
    return all;
  }

  private static AgentNode changed(
      AgentNode node, UnaryOperator<DatanodeInfo.DatanodeInfoBuilder> change) {
    DatanodeInfo info = node.toDatanodeInfo();
    return AgentNode.of(
        change
            .apply(
                new DatanodeInfo.DatanodeInfoBuilder()
                    .setDatanodeUuid(info.getDatanodeUuid())
                    .setIpAddr(info.getIpAddr())
                    .setHostName(info.getHostName())
                    .setXferPort(info.getXferPort())
                    .setIpcPort(info.getIpcPort())
                    .setNetworkLocation(info.getNetworkLocation()))
            .build());
  }

  @Test
  void aDataNodeThatIsNotASuperuserGetsARemedy(@TempDir Path dir) throws Exception {
    try (AgentCluster cluster = new AgentCluster(dir, new Configuration(false), "/a")) {
      InetSocketAddress address = cluster.mini().getNameNode().getNameNodeAddress();
      Configuration conf = cluster.fs().getConf();
      EncodeRequest request = request(cluster.nodes()[0]);
      UserGroupInformation other =
          UserGroupInformation.createUserForTesting("dn", new String[] {"hadoop"});
      KnownDataNodes asOther =
          other.doAs(
              (PrivilegedExceptionAction<KnownDataNodes>)
                  () -> new KnownDataNodes(new NameNodeReports(pool -> address, conf)));
      refused(
          AgentException.Kind.FAILED,
          "user dn, which runs this DataNode, must be a superuser of HDFS",
          () -> asOther.check(request));
      KnownDataNodes own = new KnownDataNodes(new NameNodeReports(pool -> address, conf));
      assertThatCode(() -> own.check(request)).doesNotThrowAnyException();
      KnownDataNodes nowhere = new KnownDataNodes(new NameNodeReports(pool -> null, conf));
      refused(
          AgentException.Kind.NOT_READY,
          "active NameNode of block pool pool",
          () -> nowhere.check(request));
    }
  }
}
