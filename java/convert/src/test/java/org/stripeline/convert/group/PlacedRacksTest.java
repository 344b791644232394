// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyRackFaultTolerant;
import org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.EarStripedPlacementPolicy;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.server.namenode.EarKeys;
import org.stripeline.testkit.Conditions;

/**
 * Tests the adoption of files that a NameNode placed for encoding: blocks stay where it placed
 * them, and afterwards it leaves them there.
 */
@Tag("full")
class PlacedRacksTest {
  private static final int RACKS = 6;
  private static final int NODES_PER_RACK = 3;
  private static final int K = 3;
  private static final int BLOCKS = 6;
  private static final String CODE = "RS-3-3";
  private static final int GROUPS = 6;
  private static final String FILE = "/warm/file";

  private static final Pattern PLACEMENT =
      Pattern.compile("Unsatisfactory placement block groups:\\s+(\\d+)");

  @TempDir java.nio.file.Path directory;

  private ConvertCluster cluster(int blocksPerRack, int targetRacks, Class<?> groups)
      throws Exception {
    return new ConvertCluster(
        directory,
        RACKS * NODES_PER_RACK,
        RACKS,
        conf -> {
          conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
          conf.set("dfs.block.replicator.classname", EarPlacementPolicy.class.getName());
          conf.set("dfs.block.placement.ec.classname", groups.getName());
          conf.set(EarKeys.DIRECTORIES, "/warm");
          conf.set(EarKeys.CODE, CODE);
          conf.setInt(EarKeys.BLOCKS_PER_RACK, blocksPerRack);
          conf.setInt(EarKeys.TARGET_RACKS, targetRacks);
        });
  }

  private static JobReport convert(ConvertCluster cluster, List<String> warnings) throws Exception {
    JobObserver observer =
        new JobObserver() {
          @Override
          public void warned(String text) {
            warnings.add(text);
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      JobSettings settings = ConvertCluster.contiguous("/warm", CODE);
      // The NameNode of Hadoop 3.3 rebuilds parity that is late while the next group is linked, and
      // its interval is short here.
      settings.groupsAtOnce = 1;
      JobReport report = driver.execute(settings, "placed");
      assertThat(report.failures()).isEmpty();
      return report;
    }
  }

  /** Returns the number of blocks in each rack, for each group. */
  private static List<Map<String, Integer>> racks(ConvertCluster cluster) throws Exception {
    List<Map<String, Integer>> racks = new ArrayList<>();
    for (LocatedBlock group : cluster.blocks(FILE)) {
      Map<String, Integer> counts = new HashMap<>();
      for (DatanodeInfo node : group.getLocations()) {
        counts.merge(node.getNetworkLocation(), 1, Integer::sum);
      }
      racks.add(counts);
    }
    return racks;
  }

  private static int racksUsed(List<Map<String, Integer>> racks) {
    return racks.stream().mapToInt(Map::size).sum();
  }

  /** Lets the NameNode look at all groups again, and returns how many it wants in other racks. */
  private static int unsatisfactory(ConvertCluster cluster) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    DFSck fsck = new DFSck(cluster.conf(), new PrintStream(out, true, "UTF-8"));
    ToolRunner.run(fsck, new String[] {FILE, "-replicate"});
    Matcher count = PLACEMENT.matcher(out.toString("UTF-8"));
    assertThat(count.find()).as("%s", out).isTrue();
    return Integer.parseInt(count.group(1));
  }

  private static void assertNothingIsMoved(ConvertCluster cluster, List<Map<String, Integer>> racks)
      throws Exception {
    assertThat(unsatisfactory(cluster)).isZero();
    FSNamesystem namesystem = cluster.mini.getNamesystem();
    Conditions.await(
        "no group that the NameNode wants to change",
        () ->
            namesystem.getLowRedundancyECBlockGroups() == 0
                && namesystem.getPendingReconstructionBlocks() == 0);
    assertThat(racks(cluster)).isEqualTo(racks);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "3, 2"})
  void noBlockMovesIfTheNameNodeAcceptsWhatItPlaced(int blocksPerRack, int targetRacks)
      throws Exception {
    try (ConvertCluster cluster =
        cluster(blocksPerRack, targetRacks, EarStripedPlacementPolicy.class)) {
      byte[] bytes = cluster.write(FILE, GROUPS * K * ConvertCluster.BLOCK);
      List<String> warnings = new ArrayList<>();
      JobReport report = convert(cluster, warnings);

      assertThat(warnings).isEmpty();
      assertThat(report.traffic().blocksSent()).isZero();
      assertThat(report.traffic().blocksLinked()).isEqualTo(GROUPS * K);
      List<Map<String, Integer>> racks = racks(cluster);
      assertThat(racks).hasSize(GROUPS);
      for (Map<String, Integer> group : racks) {
        assertThat(group.values()).as("%s", racks).allMatch(count -> count <= blocksPerRack);
        assertThat(targetRacks == 0 || group.size() <= targetRacks).as("%s", racks).isTrue();
      }
      assertNothingIsMoved(cluster, racks);
      cluster.assertHealthy(FILE);
      assertThat(cluster.read(FILE)).isEqualTo(bytes);

      // Hadoop's own policy would have moved blocks of groups that use few racks.
      cluster
          .mini
          .getNameNode()
          .reconfigureProperty(
              DFSConfigKeys.DFS_BLOCK_PLACEMENT_EC_CLASSNAME_KEY,
              BlockPlacementPolicyRackFaultTolerant.class.getName());
      long crowded = racks.stream().filter(group -> group.size() < BLOCKS).count();
      assertThat(unsatisfactory(cluster)).isEqualTo((int) crowded);
      Conditions.await(
          "blocks in further racks",
          () -> crowded == 0 || racksUsed(racks(cluster)) > racksUsed(racks));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "3, 2"})
  void groupsFollowTheRuleOfHdfsIfTheNameNodeWantsIt(int blocksPerRack, int targetRacks)
      throws Exception {
    try (ConvertCluster cluster =
        cluster(blocksPerRack, targetRacks, BlockPlacementPolicyRackFaultTolerant.class)) {
      cluster.write(FILE, GROUPS * K * ConvertCluster.BLOCK);
      List<String> warnings = new ArrayList<>();
      JobReport report = convert(cluster, warnings);

      if (blocksPerRack == 1) {
        assertThat(warnings).isEmpty();
        assertThat(report.traffic().blocksSent()).isZero();
      } else {
        assertThat(warnings)
            .singleElement()
            .asString()
            .contains("moves blocks until a group is in 6 racks");
      }
      List<Map<String, Integer>> racks = racks(cluster);
      assertThat(racks).hasSize(GROUPS).allMatch(group -> group.size() == BLOCKS);
      assertNothingIsMoved(cluster, racks);
    }
  }
}
