// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.Agents;
import org.stripeline.agent.Link;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.KnownJobs;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/**
 * Tests that a file is not converted if a block is not where it was planned when the file is
 * complete, since no agent has verified it there.
 */
class PlannedPlacesTest {
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final short REPLICAS = 6;
  private static final String JOURNAL = JobDirectory.ROOT_DEFAULT + "/moved/journal";

  @TempDir java.nio.file.Path directory;

  /**
   * The system's clock, in which each wait counts as ten times its length once that is on: nothing
   * moves the block back, however long the driver waits for it.
   */
  private static final class WaitsCountTenfold implements Ticker {
    private final AtomicLong ahead = new AtomicLong();
    private volatile boolean isOn;

    @Override
    public long nanos() {
      return System.nanoTime() + ahead.get();
    }

    @Override
    public void timedWait(Object monitor, long timeoutNanos) throws InterruptedException {
      long start = System.nanoTime();
      Ticker.super.timedWait(monitor, timeoutNanos);
      if (isOn) {
        ahead.addAndGet(9 * (System.nanoTime() - start));
      }
    }
  }

  private interface Damage {
    void to(ConvertCluster cluster) throws Exception;
  }

  @Test
  void aFileIsLeftIfABlockIsNotAtItsPlannedPlace() throws Exception {
    assertLeftAfter(Step.VERIFIED, PlannedPlacesTest::moveFirstBlock);
  }

  /** After all checks that wait: the swap deletes the replicas from which they could be rebuilt. */
  @Test
  void aFileIsLeftIfMoreBlocksOfAGroupAreLostThanItHasParity() throws Exception {
    assertLeftAfter(Step.ATTRIBUTED, PlannedPlacesTest::loseThreeBlocks);
  }

  private void assertLeftAfter(Step when, Damage damage) throws Exception {
    try (ConvertCluster cluster =
        new ConvertCluster(
            directory,
            7,
            7,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              // The NameNode must not repair what the test does.
              conf.setInt("dfs.namenode.redundancy.interval.seconds", 3600);
            })) {
      Path path = new Path("/moved/a");
      byte[] bytes = ConvertCluster.bytes(1, 3 * BLOCK);
      // Enough replicas that some DataNode has one of them but no other block of the group.
      try (FSDataOutputStream out = cluster.fs().create(path, true, 4096, REPLICAS, BLOCK)) {
        out.write(bytes);
      }
      WaitsCountTenfold ticker = new WaitsCountTenfold();
      List<Step> steps = new ArrayList<>();
      StepListener listener =
          (step, file) -> {
            steps.add(step);
            if (step == when) {
              try {
                damage.to(cluster);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
              ticker.isOn = true;
            }
          };
      JobReport report;
      String root = JobDirectory.ROOT_DEFAULT;
      try (Driver driver =
          new Driver(cluster.client(), root, JobObserver.NONE, listener, new KnownJobs(), ticker)) {
        report = driver.execute(ConvertCluster.contiguous("/moved", "RS-3-2"), "moved");
      }

      assertThat(report.failures()).extracting(failure -> failure.path).containsExactly("/moved/a");
      assertThat(report.failures().get(0).reason).contains("0@").contains(" instead of ");
      // Its users could write it all the time.
      assertThat(steps).contains(when).doesNotContain(Step.FENCED, Step.PROTECTED);
      assertThat(cluster.policy("/moved/a")).isNull();
      cluster.assertBytes("/moved/a", bytes);
    }
  }

  /** Stops DataNodes with blocks of the new file, of which at most one has the journal. */
  private static void loseThreeBlocks(ConvertCluster cluster) throws Exception {
    LocatedBlock journal = cluster.blocks(JOURNAL).get(0);
    LocatedBlock group = cluster.blocks(cluster.temporaries().get(0)).get(0);
    List<DatanodeInfo> victims = new ArrayList<>(Arrays.asList(group.getLocations()));
    victims.sort(Comparator.comparing(node -> ConvertCluster.isOn(journal, node)));
    for (DatanodeInfo victim : victims.subList(0, 3)) {
      cluster.mini.stopDataNode(victim.getXferAddr());
      cluster.mini.setDataNodeDead(victim);
    }
  }

  /** Links the first block of the file on another DataNode, where no agent has verified it. */
  private static void moveFirstBlock(ConvertCluster cluster) throws Exception {
    try (Agents agents = Agents.connect(cluster.fs().getConf())) {
      List<JournalRecord> groups = new ArrayList<>();
      Journal.read(
          cluster.fs(),
          new Path(JOURNAL),
          line -> {
            if (line.kind == JournalRecord.Kind.GROUP) {
              groups.add(line);
            }
          });
      JournalRecord group = groups.get(0);
      JournalRecord.Placed first = group.blocks.get(0);
      Set<String> used = new HashSet<>();
      group.blocks.forEach(placed -> used.add(placed.node));
      LocatedBlock source = cluster.blocks("/moved/a").get(0);
      DatanodeInfo other =
          Arrays.stream(source.getLocations())
              .filter(node -> !used.contains(node.getDatanodeUuid()))
              .findFirst()
              .get();
      AgentBlock target = new AgentBlock(first.id, first.generationStamp, first.length);
      Link link = new Link(AgentBlock.of(source.getBlock()), target);
      agents.link(other, group.pool, Collections.singletonList(link));
      DatanodeInfo planned =
          new DatanodeInfo.DatanodeInfoBuilder()
              .setNodeID(AgentSwitch.node(cluster, first.node).getDatanodeId())
              .build();
      agents.unlink(planned, group.pool, Collections.singletonList(target));
      String temporary = cluster.temporaries().get(0);
      Conditions.await(
          "the block to be elsewhere",
          () -> {
            LocatedStripedBlock now = (LocatedStripedBlock) cluster.blocks(temporary).get(0);
            List<String> holders = new ArrayList<>();
            for (int i = 0; i < now.getBlockIndices().length; i++) {
              if (now.getBlockIndices()[i] == 0) {
                holders.add(now.getLocations()[i].getDatanodeUuid());
              }
            }
            return holders.equals(Collections.singletonList(other.getDatanodeUuid()));
          });
    }
  }
}
