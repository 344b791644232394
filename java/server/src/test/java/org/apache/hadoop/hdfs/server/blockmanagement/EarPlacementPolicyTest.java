// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.net.Node;
import org.apache.hadoop.net.NodeBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.ear.PendingCounts.Event;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.server.namenode.EarKeys;
import org.stripeline.server.namenode.EarSettings;

/** Tests placement by a real NameNode for many simulated DataNodes. */
class EarPlacementPolicyTest {
  private static final int K = 6;
  private static final CodeShape SHAPE = CodeShape.ofDataAndParity(K, 3);
  private static final long BLOCK_BYTES = 128 << 20;
  private static final BlockStoragePolicy HOT =
      BlockStoragePolicySuite.createDefaultSuite().getDefaultPolicy();

  @TempDir Path dir;

  private static Configuration settings(String... more) {
    Configuration conf = new Configuration(false);
    conf.set(EarKeys.DIRECTORIES, "/warm,/logs/");
    for (int i = 0; i < more.length; i += 2) {
      conf.set(more[i], more[i + 1]);
    }
    return conf;
  }

  private static EarPlacementPolicy policy(PaperCluster cluster) {
    return (EarPlacementPolicy) cluster.blockManager().getBlockPlacementPolicy();
  }

  private static DatanodeDescriptor[] place(
      PaperCluster cluster, String file, int replicas, Node writer, Set<Node> excluded) {
    DatanodeStorageInfo[] targets =
        policy(cluster)
            .chooseTarget(
                file,
                replicas,
                writer,
                excluded,
                BLOCK_BYTES,
                null,
                HOT,
                EnumSet.noneOf(AddBlockFlag.class));
    return Stream.of(targets)
        .map(DatanodeStorageInfo::getDatanodeDescriptor)
        .toArray(DatanodeDescriptor[]::new);
  }

  private static long advised(PaperCluster cluster) {
    return policy(cluster).stripes().count(Event.ADVISED);
  }

  /** Plans a group for blocks at the locations where they were placed. */
  private static GroupPlan plan(
      PaperCluster cluster, List<DatanodeDescriptor[]> blocks, RackRule rule) throws Exception {
    ClusterNodes nodes =
        ClusterNodes.of(
            cluster.blockManager().getDatanodeManager().getNetworkTopology(), null, any -> true);
    int[][] replicas =
        blocks.stream()
            .map(block -> Stream.of(block).mapToInt(nodes::number).toArray())
            .toArray(int[][]::new);
    return GroupPlanner.plan(SHAPE, replicas, nodes.topology(), rule, new SplittableRandom(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void stripesOfEachFileCanStayWhereTheyAre(int replication) throws Exception {
    Configuration conf = settings(EarKeys.BLOCKS_PER_RACK, "1");
    try (PaperCluster cluster = new PaperCluster(dir, 20, 5, conf)) {
      SplittableRandom random = new SplittableRandom(7);
      // Files are written concurrently, one block of each in turn.
      List<List<DatanodeDescriptor[]>> files = new ArrayList<>();
      List<DatanodeDescriptor> writers = new ArrayList<>();
      for (int file = 0; file < 50; file++) {
        files.add(new ArrayList<>());
        writers.add(cluster.nodes().get(random.nextInt(cluster.nodes().size())));
      }
      for (int block = 0; block < 2 * K; block++) {
        for (int file = 0; file < files.size(); file++) {
          DatanodeDescriptor writer = writers.get(file);
          DatanodeDescriptor[] nodes = place(cluster, "/warm/" + file, replication, writer, null);
          assertThat(nodes).hasSize(replication).doesNotHaveDuplicates();
          assertThat(nodes[0]).isEqualTo(writer);
          Set<String> racks = racks(Arrays.asList(nodes));
          assertThat(racks).hasSize(2);
          files.get(file).add(nodes);
        }
      }
      assertThat(advised(cluster)).isEqualTo(2L * K * files.size());
      for (int file = 0; file < files.size(); file++) {
        for (int from = 0; from < 2 * K; from += K) {
          List<DatanodeDescriptor[]> stripe = files.get(file).subList(from, from + K);
          GroupPlan plan = plan(cluster, stripe, RackRule.atMost(1));
          assertThat(plan.sends()).isZero();
          assertThat(plan.crossRackReads()).isZero();
          assertThat(plan.relaxation().blocksPerRackMost()).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void stripesBeginInTheClientsRack() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 20, 5, settings())) {
      String rack = cluster.nodes().get(0).getNetworkLocation();
      Node client = new NodeBase("client", rack);
      // Hadoop 3.3 creates such a node for a client whose name begins with a slash.
      Node slashed = new NodeBase("client", rack);
      slashed.setNetworkLocation(rack + NodeBase.PATH_SEPARATOR);
      for (int file = 0; file < 20; file++) {
        Node writer = file % 2 == 0 ? client : slashed;
        DatanodeDescriptor[] nodes = place(cluster, "/warm/" + file, 3, writer, null);
        assertThat(nodes[0].getNetworkLocation()).isEqualTo(rack);
      }
      assertThat(advised(cluster)).isEqualTo(20);
    }
  }

  @Test
  void hadoopPlacesBlocksThatAreNotCoveredOrInconsistent() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, settings())) {
      DatanodeDescriptor writer = cluster.nodes().get(0);
      place(cluster, "/logs/x", 3, writer, null);
      assertThat(advised(cluster)).isEqualTo(1);
      assertThat(place(cluster, "/warmer/x", 3, writer, null)).hasSize(3);
      assertThat(place(cluster, "/cold", 3, writer, null)).hasSize(3);
      assertThat(place(cluster, "/warm/one", 1, writer, null)).containsExactly(writer);
      List<DatanodeDescriptor> favored =
          Arrays.asList(cluster.nodes().get(5), cluster.nodes().get(10), cluster.nodes().get(15));
      DatanodeStorageInfo[] targets =
          policy(cluster)
              .chooseTarget(
                  "/warm/f",
                  3,
                  writer,
                  null,
                  BLOCK_BYTES,
                  favored,
                  HOT,
                  EnumSet.noneOf(AddBlockFlag.class));
      assertThat(Stream.of(targets).map(DatanodeStorageInfo::getDatanodeDescriptor))
          .containsExactlyInAnyOrderElementsOf(favored);
      targets =
          policy(cluster)
              .chooseTarget(
                  "/warm/f",
                  3,
                  writer,
                  null,
                  BLOCK_BYTES,
                  null,
                  HOT,
                  EnumSet.of(AddBlockFlag.NO_LOCAL_WRITE));
      assertThat(Stream.of(targets).map(DatanodeStorageInfo::getDatanodeDescriptor))
          .hasSize(3)
          .doesNotContain(writer);
      assertThat(advised(cluster)).isEqualTo(1);
    }
  }

  @Test
  void aWriterIsNotPreferredIfHadoopWouldNot() throws Exception {
    String key = DFSConfigKeys.DFS_NAMENODE_BLOCKPLACEMENTPOLICY_DEFAULT_PREFER_LOCAL_NODE_KEY;
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, settings(key, "false"))) {
      DatanodeDescriptor writer = cluster.nodes().get(0);
      Set<DatanodeDescriptor> firsts = new HashSet<>();
      for (int file = 0; file < 50; file++) {
        DatanodeDescriptor first = place(cluster, "/warm/" + file, 3, writer, null)[0];
        assertThat(first.getNetworkLocation()).isEqualTo(writer.getNetworkLocation());
        firsts.add(first);
      }
      assertThat(advised(cluster)).isEqualTo(50);
      assertThat(firsts).hasSize(4);
    }
  }

  /** Blocks of other files may have been placed on a DataNode since its last heartbeat. */
  @Test
  void aBlockIsInTwoRacksIfHadoopRefusesAPreferredDataNode() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 2, 6, settings())) {
      List<DatanodeDescriptor> nodes = cluster.nodes();
      DatanodeDescriptor writer = nodes.get(0);
      for (DatanodeDescriptor node : nodes.subList(7, 12)) {
        DatanodeStorageInfo storage = node.getStorageInfos()[0];
        for (int i = 0; i < (1 << 13); i++) {
          node.incrementBlocksScheduled(storage.getStorageType());
        }
      }
      for (int file = 0; file < 40; file++) {
        List<DatanodeDescriptor> chosen =
            Arrays.asList(place(cluster, "/warm/" + file, 3, writer, null));
        assertThat(chosen).hasSize(3).doesNotContainAnyElementsOf(nodes.subList(7, 12));
        assertThat(racks(chosen)).hasSize(2);
      }
      assertThat(advised(cluster)).isEqualTo(40);
    }
  }

  @Test
  void aWriterElsewhereHasStripesInAnyRack() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, settings())) {
      List<DatanodeDescriptor[]> blocks = new ArrayList<>();
      for (int block = 0; block < K; block++) {
        blocks.add(place(cluster, "/warm/x", 3, null, null));
      }
      assertThat(advised(cluster)).isEqualTo(K);
      GroupPlan plan = plan(cluster, blocks, RackRule.even(SHAPE, 6));
      assertThat(plan.sends()).isZero();
      assertThat(plan.crossRackReads()).isZero();
    }
  }

  @Test
  void excludedDeadLeavingAndBusyNodesAreNotChosen() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, settings())) {
      List<DatanodeDescriptor> nodes = cluster.nodes();
      DatanodeManager manager = cluster.blockManager().getDatanodeManager();
      Set<DatanodeDescriptor> shunned = new HashSet<>();
      for (int rack = 0; rack < 6; rack++) {
        shunned.addAll(nodes.subList(4 * rack, 4 * rack + 2));
      }
      nodes.get(0).startDecommission();
      cluster.beat(nodes.get(1), 1000);
      nodes.get(4).startMaintenance();
      manager.getNetworkTopology().remove(nodes.get(5));
      Set<Node> excluded = new HashSet<>(shunned);
      Stream.of(0, 1, 4, 5).map(nodes::get).forEach(excluded::remove);
      for (int block = 0; block < 10 * K; block++) {
        Node writer = nodes.get(block % nodes.size());
        DatanodeDescriptor[] taken = place(cluster, "/warm/x", 3, writer, new HashSet<>(excluded));
        assertThat(taken).hasSize(3).doesNotContainAnyElementsOf(shunned);
      }
      assertThat(advised(cluster)).isPositive();
    }
  }

  @Test
  void aRepeatedRequestForABlockDoesNotCountTwice() throws Exception {
    Configuration conf = settings(EarKeys.BLOCKS_PER_RACK, "1");
    try (PaperCluster cluster = new PaperCluster(dir, 12, 3, conf)) {
      DatanodeDescriptor writer = cluster.nodes().get(0);
      List<DatanodeDescriptor[]> blocks = new ArrayList<>();
      for (int block = 0; block < K; block++) {
        DatanodeDescriptor[] first = place(cluster, "/warm/x", 3, writer, null);
        Set<Node> excluded = new HashSet<>(Collections.singleton(first[1]));
        blocks.add(place(cluster, "/warm/x", 3, writer, excluded));
      }
      assertThat(policy(cluster).stripes().count(Event.WITHDRAWN)).isEqualTo(K);
      assertThat(policy(cluster).stripes().count(Event.OPENED)).isEqualTo(1);
      assertThat(plan(cluster, blocks, RackRule.atMost(1)).sends()).isZero();
    }
  }

  private static long metric(String name) throws Exception {
    ObjectName bean = new ObjectName("Hadoop:service=Stripeline,name=Placement");
    return ((Number) ManagementFactory.getPlatformMBeanServer().getAttribute(bean, name))
        .longValue();
  }

  @Test
  void jmxCountsWhatWasPlacedAndByWhom() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 12, 3, settings())) {
      long left = metric("BlocksLeftToHadoop");
      long overruled = metric("BlocksOverruled");
      DatanodeDescriptor writer = cluster.nodes().get(0);
      for (int block = 0; block < K + 1; block++) {
        place(cluster, "/warm/x", 3, writer, null);
      }
      place(cluster, "/cold/x", 3, writer, null);
      assertThat(metric("BlocksPlaced")).isEqualTo(K + 1);
      assertThat(metric("StripesOpened")).isEqualTo(2);
      assertThat(metric("StripesSealed")).isEqualTo(1);
      assertThat(metric("BlocksLeftToHadoop")).isEqualTo(left);

      // One replica is not placed for encoding, nor is a block whose writer names DataNodes.
      place(cluster, "/warm/one", 1, writer, null);
      policy(cluster)
          .chooseTarget(
              "/warm/favoured",
              3,
              writer,
              null,
              BLOCK_BYTES,
              Collections.singletonList(writer),
              HOT,
              EnumSet.noneOf(AddBlockFlag.class));
      assertThat(metric("BlocksLeftToHadoop")).isEqualTo(left + 2);
      assertThat(metric("BlocksOverruled")).isEqualTo(overruled);

      // No DataNode has room, which only Hadoop's policy checks.
      policy(cluster)
          .chooseTarget(
              "/warm/large",
              3,
              writer,
              null,
              Long.MAX_VALUE / 4,
              null,
              HOT,
              EnumSet.noneOf(AddBlockFlag.class));
      assertThat(metric("BlocksOverruled")).isEqualTo(overruled + 1);
    }
  }

  @Test
  void stripesAlsoAgeWhileNothingIsWritten() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 12, 3, settings())) {
      DatanodeManager nodes = cluster.blockManager().getDatanodeManager();
      AtomicLong now = new AtomicLong();
      EarStripes stripes =
          new EarStripes(
              nodes.getNetworkTopology(),
              nodes.getFSClusterStats(),
              EarSettings.of(settings()),
              30_000,
              true,
              now::get);
      List<StorageType> types = Collections.singletonList(StorageType.DISK);
      stripes.advise("/warm/x", 3, cluster.nodes().get(0), null, types);
      assertThat(stripes.count(Event.AGED_OUT)).isZero();
      now.addAndGet(TimeUnit.MINUTES.toNanos(61));
      assertThat(stripes.count(Event.AGED_OUT)).isEqualTo(1);
    }
  }

  @Test
  void addedAndRemovedNodesAreDetected() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 3, 3, settings())) {
      place(cluster, "/warm/x", 3, cluster.nodes().get(0), null);
      DatanodeDescriptor gone = cluster.nodes().get(4);
      cluster.blockManager().getDatanodeManager().getNetworkTopology().remove(gone);
      for (int block = 0; block < 40; block++) {
        assertThat(place(cluster, "/warm/x", 3, cluster.nodes().get(0), null))
            .hasSize(3)
            .doesNotContain(gone);
      }
    }
  }

  @Test
  void withoutStatisticsOrDirectoriesOrWithBadKeysHadoopPlaces() throws Exception {
    String[][] cases = {
      {EarKeys.DIRECTORIES, ""},
      {EarKeys.DIRECTORIES, "warm"},
      {EarKeys.CODE, "RS"},
      {EarKeys.CODE, "RS-0-3"},
      {EarKeys.TRIES_MAX, "0"},
    };
    for (int i = 0; i < cases.length; i++) {
      try (PaperCluster cluster = new PaperCluster(dir.resolve("" + i), 3, 3, settings(cases[i]))) {
        assertThat(policy(cluster).stripes()).as("%s", Arrays.asList(cases[i])).isNull();
        assertThat(place(cluster, "/warm/x", 3, cluster.nodes().get(0), null)).hasSize(3);
      }
    }
    // As created by fsck and the Balancer.
    EarPlacementPolicy bare = new EarPlacementPolicy();
    bare.initialize(settings(), null, null, null);
    assertThat(bare.stripes()).isNull();
  }

  @Test
  void aReplacedPolicyInstanceKeepsItsOpenStripes() throws Exception {
    try (PaperCluster cluster = new PaperCluster(dir, 6, 4, settings())) {
      place(cluster, "/warm/x", 3, cluster.nodes().get(0), null);
      cluster.blockManager().refreshBlockPlacementPolicy(cluster.nameNode().getConf());
      place(cluster, "/warm/x", 3, cluster.nodes().get(0), null);
      assertThat(advised(cluster)).isEqualTo(1);
    }
  }

  @Test
  void costsLittleMoreThanHadoops() throws IOException {
    try (PaperCluster cluster = new PaperCluster(dir, 20, 20, settings())) {
      double[] medians = PlacementCost.medianMicros(cluster, 400, 5);
      // The measured value is in the bench record; this limit only detects gross regressions on any
      // machine.
      assertThat(medians[1] - medians[0]).isLessThan(300);
    }
  }

  private static Set<String> racks(List<DatanodeDescriptor> nodes) {
    return nodes.stream()
        .map(DatanodeDescriptor::getNetworkLocation)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
