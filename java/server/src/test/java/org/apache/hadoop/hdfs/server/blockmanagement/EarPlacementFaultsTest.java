// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.placement.ear.PendingCounts.Event;
import org.stripeline.server.namenode.EarKeys;

/** Tests placement while DataNodes leave, return, are stale or have other storage. */
class EarPlacementFaultsTest {
  private static final int K = 6;
  private static final long BLOCK_BYTES = 128 << 20;
  private static final BlockStoragePolicySuite POLICIES =
      BlockStoragePolicySuite.createDefaultSuite();

  @TempDir Path dir;

  private static Configuration settings(String... more) {
    Configuration conf = new Configuration(false);
    conf.set(EarKeys.DIRECTORIES, "/warm");
    for (int i = 0; i < more.length; i += 2) {
      conf.set(more[i], more[i + 1]);
    }
    return conf;
  }

  private static EarPlacementPolicy policy(PaperCluster cluster) {
    return (EarPlacementPolicy) cluster.blockManager().getBlockPlacementPolicy();
  }

  private static long count(PaperCluster cluster, Event event) {
    return policy(cluster).stripes().count(event);
  }

  private static long overruled() throws Exception {
    ObjectName bean = new ObjectName("Hadoop:service=Stripeline,name=Placement");
    return ((Number)
            ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "BlocksOverruled"))
        .longValue();
  }

  private static DatanodeDescriptor[] place(PaperCluster cluster, int replicas, Node writer) {
    return place(cluster, replicas, writer, POLICIES.getDefaultPolicy());
  }

  private static DatanodeDescriptor[] place(
      PaperCluster cluster, int replicas, Node writer, BlockStoragePolicy storage) {
    DatanodeStorageInfo[] targets =
        policy(cluster)
            .chooseTarget(
                "/warm/x",
                replicas,
                writer,
                null,
                BLOCK_BYTES,
                null,
                storage,
                EnumSet.noneOf(AddBlockFlag.class));
    return Stream.of(targets)
        .map(DatanodeStorageInfo::getDatanodeDescriptor)
        .toArray(DatanodeDescriptor[]::new);
  }

  private static NetworkTopology topology(PaperCluster cluster) {
    return cluster.blockManager().getDatanodeManager().getNetworkTopology();
  }

  /** A NameNode removes a DataNode from its topology while the DataNode registers again. */
  @Test
  void stripesGoOnWhenDataNodesAndRacksLeaveJoinAndReturn() throws Exception {
    Configuration conf = settings(EarKeys.BLOCKS_PER_RACK, "1");
    try (PaperCluster cluster = new PaperCluster(dir, 12, 3, conf)) {
      DatanodeDescriptor writer = cluster.nodes().get(0);
      place(cluster, 3, writer);
      DatanodeDescriptor leaving = cluster.nodes().get(1);
      topology(cluster).remove(leaving);
      assertThat(place(cluster, 3, writer)).hasSize(3).doesNotContain(leaving);
      topology(cluster).add(leaving);
      place(cluster, 3, writer);
      cluster.add(12, 0, StorageType.DISK);
      place(cluster, 3, writer);
      topology(cluster).remove(writer);
      assertThat(place(cluster, 3, writer)[0].getNetworkLocation())
          .as("rack of the writer")
          .isEqualTo(writer.getNetworkLocation());
      topology(cluster).add(writer);
      assertThat(place(cluster, 3, writer)[0]).isEqualTo(writer);
      assertThat(count(cluster, Event.OPENED)).isEqualTo(1);
      place(cluster, 3, writer);
      assertThat(count(cluster, Event.SEALED)).isEqualTo(1);
    }
  }

  @Test
  void aDataNodeWithANewDescriptorOrInAnotherRackIsUsedThere() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 3, 3, settings())) {
      DatanodeDescriptor writer = cluster.nodes().get(0);
      place(cluster, 3, writer);
      topology(cluster).remove(writer);
      writer.setNetworkLocation("/r1");
      topology(cluster).add(writer);
      assertThat(place(cluster, 3, cluster.nodes().get(2))).hasSize(3);
      ClusterNodes before = ClusterNodes.of(topology(cluster), null, any -> true);
      writer.setAlive(false);
      topology(cluster).remove(writer);
      DatanodeDescriptor replaced = new DatanodeDescriptor(new DatanodeID(writer), "/r0");
      replaced.setAlive(true);
      topology(cluster).add(replaced);
      assertThat(replaced).isEqualTo(writer).isNotSameAs(writer);
      ClusterNodes now = ClusterNodes.of(topology(cluster), before, any -> true);
      assertThat(now.node(now.number(writer))).isSameAs(replaced);
      assertThat(now.topology().rackOf(now.number(replaced)))
          .isEqualTo(now.topology().rackOf(now.number(cluster.nodes().get(2))));
    }
  }

  @Test
  void numbersOfDataNodesThatLeftAreNotKeptForEver() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 3, 3, settings())) {
      ClusterNodes nodes = ClusterNodes.of(topology(cluster), null, any -> true);
      for (int i = 3; i < 300; i++) {
        DatanodeDescriptor guest = cluster.add(i % 3, i, StorageType.DISK);
        nodes = ClusterNodes.of(topology(cluster), nodes, any -> true);
        assertThat(nodes.number(guest)).isNotNegative();
        topology(cluster).remove(guest);
      }
      assertThat(nodes.topology().nodes()).isLessThan(150);
    }
  }

  /** A rule that depends on the number of racks changes with it. */
  @Test
  void stripesThatAreDroppedBecauseTheRuleChangesAreCounted() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 5, 3, settings())) {
      DatanodeDescriptor writer = cluster.nodes().get(0);
      place(cluster, 3, writer);
      for (int rack = 5; rack < 9; rack++) {
        cluster.add(rack, 0, StorageType.DISK);
      }
      place(cluster, 3, writer);
      assertThat(count(cluster, Event.OPENED)).isEqualTo(2);
      assertThat(count(cluster, Event.CLOSED_SHORT)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 10})
  void anyReplicationIsPlacedWhereHadoopAcceptsIt(int replication) throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 12, 6, settings())) {
      long before = overruled();
      DatanodeDescriptor writer = cluster.nodes().get(0);
      for (int block = 0; block < 3 * K; block++) {
        DatanodeDescriptor[] nodes = place(cluster, replication, writer);
        assertThat(nodes).hasSize(replication).doesNotHaveDuplicates();
        assertThat(nodes[0]).isEqualTo(writer);
      }
      assertThat(overruled()).isEqualTo(before);
      assertThat(count(cluster, Event.ADVISED)).isEqualTo(3 * K);
    }
  }

  @Test
  void nodesWithoutTheStorageOfTheFileAreNotChosen() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, settings())) {
      for (int rack = 0; rack < 6; rack++) {
        for (int i = 4; i < 8; i++) {
          cluster.add(rack, i, StorageType.ARCHIVE);
        }
      }
      long before = overruled();
      DatanodeDescriptor writer = cluster.nodes().get(0);
      for (String name : new String[] {"HOT", "COLD"}) {
        StorageType type = name.equals("HOT") ? StorageType.DISK : StorageType.ARCHIVE;
        for (int block = 0; block < 5 * K; block++) {
          DatanodeDescriptor[] nodes = place(cluster, 3, writer, POLICIES.getPolicy(name));
          assertThat(nodes).hasSize(3).allMatch(node -> node.hasStorageType(type));
        }
      }
      assertThat(overruled()).isEqualTo(before);
      assertThat(count(cluster, Event.ADVISED)).isEqualTo(10 * K);
      // No DataNode has the storage: Hadoop decides what is used instead.
      assertThat(place(cluster, 3, writer, POLICIES.getPolicy("ALL_SSD"))).hasSize(3);
      assertThat(overruled()).isEqualTo(before);
    }
  }

  @Test
  void staleNodesAreNotChosenIfHadoopAvoidsThem() throws Exception {
    Configuration conf =
        settings(DFSConfigKeys.DFS_NAMENODE_AVOID_STALE_DATANODE_FOR_WRITE_KEY, "true");
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, conf)) {
      long before = overruled();
      Set<DatanodeDescriptor> stale =
          cluster.nodes().stream()
              .filter(node -> cluster.nodes().indexOf(node) % 4 == 1)
              .collect(Collectors.toSet());
      stale.forEach(node -> DFSTestUtil.resetLastUpdatesWithOffset(node, -60_000));
      // Hadoop counts them when it checks heartbeats.
      cluster.blockManager().getDatanodeManager().setNumStaleNodes(stale.size());
      for (int block = 0; block < 5 * K; block++) {
        assertThat(place(cluster, 3, cluster.nodes().get(0)))
            .hasSize(3)
            .doesNotContainAnyElementsOf(stale);
      }
      assertThat(overruled()).isEqualTo(before);
    }
  }

  @Test
  void aWriterWhoseRackTakesNoBlockHasStripesInAnotherRack() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, settings())) {
      DatanodeDescriptor writer = cluster.add(6, 0, StorageType.DISK);
      cluster.beat(writer, 1000);
      for (int block = 0; block < K; block++) {
        assertThat(place(cluster, 3, writer)).hasSize(3).doesNotContain(writer);
      }
      assertThat(count(cluster, Event.ADVISED)).isEqualTo(K);
      assertThat(count(cluster, Event.OPENED)).isEqualTo(1);
    }
  }
}
