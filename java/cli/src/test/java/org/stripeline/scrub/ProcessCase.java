// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** Damaged files on a cluster of processes, and commands that check and repair them. */
abstract class ProcessCase {
  static final int DATA_NODES = 7;
  private static final int STRIPED = 14;
  private static final int REPLICATED = 4;

  @TempDir Path directory;
  ProcessCluster cluster;
  SeededDamage damage;

  /** The DataNode that a test may kill or pause until its blocks are rebuilt. */
  int victim;

  @BeforeEach
  final void start() throws Exception {
    long seed = new SecureRandom().nextLong();
    System.out.println("seed of the damage: " + seed);
    Random random = new Random(seed);
    cluster = new ProcessCluster(directory.resolve("dfs"), DATA_NODES, this::configure);
    damage =
        new SeededDamage(cluster.fs(), cluster.storages(), "/tree", STRIPED, REPLICATED, random);
    victim = random.nextInt(DATA_NODES);
    damage.damage(10, 2, cluster.id(victim));
  }

  /** Adds settings of a DataNode. */
  void configure(int number, Configuration conf) {}

  @AfterEach
  final void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  final String[] scrub() {
    return new String[] {"scrub", damage.root(), "--checked-before=1h", "--json"};
  }

  final String[] repair() {
    // Blocks are moved, and rebuilt after kills, but none from a wrong one.
    return new String[] {
      "repair", damage.root(), "--execute", "--trust-others", "--wait=90s", "--json"
    };
  }

  static void await(ScrubProcess command, String what, Callable<Boolean> condition) {
    Conditions.await(
        what,
        () -> {
          boolean isMet = condition.call();
          assertThat(isMet || command.isAlive()).as("%s", command).isTrue();
          return isMet;
        });
  }

  /** Scrubs and repairs without a disturbance. */
  final void finish() throws Exception {
    cluster.awaitLocated(damage.files());
    ScrubProcess found = cluster.run(scrub());
    damage.requireNoFalseAlarm(found.groups(), "DUPLICATE");
    ScrubProcess repaired = cluster.run(repair());
    assertThat(repaired.status()).as("%s", repaired).isEqualTo(ExitStatus.SOUND);
    damage.awaitRight();
    ScrubProcess sound = cluster.run("scrub", damage.root(), "--json");
    assertThat(sound.status()).as("%s", sound).isEqualTo(ExitStatus.SOUND);
    assertThat(sound.groups()).as("%s", sound).isEmpty();
    assertThat(sound.sum("groupsHealthy")).isEqualTo(sound.sum("groups"));
    assertThat(sound.sum("windowsByClient")).isZero();
    cluster.assertAlive();
  }
}
