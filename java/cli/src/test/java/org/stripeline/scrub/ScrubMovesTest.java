// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/**
 * Scrubs and repairs of damaged files while HDFS moves blocks and DataNodes leave or hang: nothing
 * right is called wrong, and later runs repair everything. Wrong replicas are moved like right
 * ones.
 */
@Tag("full")
@Tag("conformance")
@Timeout(400)
class ScrubMovesTest extends ProcessCase {
  private static final long HUNG_MS = 5000;

  /** The first DataNode has no archive, so that the Mover takes its blocks to other DataNodes. */
  @Override
  void configure(int number, Configuration conf) {
    if (number == 0) {
      conf.set("dfs.datanode.data.dir", conf.get("dfs.datanode.data.dir").split(",")[0]);
    }
  }

  @Test
  void movedBlocksAreNoDamage() throws Exception {
    damage.moves();
    AtomicBoolean isOver = new AtomicBoolean();
    // Several runs of the Mover in one process register metrics of the same name.
    DefaultMetricsSystem.setMiniClusterMode(true);
    FutureTask<Integer> moves = new FutureTask<>(() -> moveAll(isOver));
    new Thread(moves, "moves").start();
    try {
      for (int pass = 0; pass < 2; pass++) {
        ScrubProcess scrub = cluster.run("scrub", damage.root(), "--json");
        damage.requireNoFalseAlarm(scrub.groups(), "NOT_CHECKED", "DUPLICATE", "MISSING");
        assertThat(scrub.status()).as("%s", scrub).isEqualTo(ExitStatus.FAILED);
      }
      ScrubProcess repair = cluster.run(repair());
      damage.requireNoFalseAlarm(repair.groups(), "NOT_CHECKED", "DUPLICATE", "MISSING");
    } finally {
      isOver.set(true);
    }
    System.out.println(moves.get() + " runs of the Mover");
    finish();
  }

  /** Moves all blocks to archives and back to disks. */
  private int moveAll(AtomicBoolean isOver) throws Exception {
    int runs = 0;
    while (!isOver.get()) {
      for (String policy : List.of("COLD", "HOT")) {
        cluster.fs().setStoragePolicy(new org.apache.hadoop.fs.Path(damage.root()), policy);
        ToolRunner.run(cluster.conf(), new Mover.Cli(), new String[] {"-p", damage.root()});
        runs++;
      }
    }
    return runs;
  }

  @Test
  void dataNodesThatLeaveOrHangAreNoDamage() throws Exception {
    damage.moves();
    String leaving = cluster.id(victim);
    ScrubProcess scrub = cluster.begin("scrub", damage.root(), "--json");
    await(scrub, "a finding", () -> !scrub.groups().isEmpty());
    decommission(leaving);
    scrub.await();
    damage.requireNoFalseAlarm(scrub.groups(), "NOT_CHECKED", "DUPLICATE", "MISSING");
    awaitDecommissioned(leaving);
    ScrubProcess again = cluster.run("scrub", damage.root(), "--json");
    // HDFS has rebuilt blocks with wrong checksums, or is about to.
    damage.requireNoFalseAlarm(again.groups(), "DUPLICATE", "MISSING");
    damage.requireHiddenFound(again.groups());

    String next = cluster.id((victim + 1) % DATA_NODES);
    ScrubProcess repair = cluster.begin(repair());
    await(repair, "a replica in quarantine", () -> damage.quarantined() > 0);
    decommission(next);
    repair.await();
    damage.requireNoFalseAlarm(repair.groups(), "NOT_CHECKED", "DUPLICATE", "MISSING");
    awaitDecommissioned(next);
    decommission(null);

    String[] scrubAll = {"scrub", damage.root(), "--json"};
    for (String[] command : new String[][] {scrubAll, repair()}) {
      ScrubProcess slow = cluster.begin(command);
      await(slow, "the listing", () -> slow.toString().contains(damage.files().size() + " files"));
      hang(leaving);
      slow.await();
      damage.requireNoFalseAlarm(slow.groups(), "NOT_CHECKED", "DUPLICATE", "MISSING");
    }
    finish();
  }

  /** Pauses a DataNode, which is dead to the NameNode only after 12 s. */
  private void hang(String id) throws Exception {
    cluster.signalDataNode(victim, "STOP");
    try {
      Conditions.await(
          "late heartbeats", () -> System.currentTimeMillis() - node(id).getLastUpdate() > HUNG_MS);
    } finally {
      cluster.signalDataNode(victim, "CONT");
    }
  }

  /** Decommissions one DataNode; all others are in service. */
  private void decommission(String id) throws IOException {
    String name = id == null ? "" : node(id).getXferAddr();
    Files.writeString(cluster.exclude(), name);
    cluster.fs().refreshNodes();
  }

  private void awaitDecommissioned(String id) {
    Conditions.await("decommissioning", () -> node(id).isDecommissioned());
  }

  private DatanodeInfo node(String id) throws IOException {
    for (DatanodeInfo node : cluster.live()) {
      if (node.getDatanodeUuid().equals(id)) {
        return node;
      }
    }
    throw new AssertionError("no DataNode " + id);
  }
}
