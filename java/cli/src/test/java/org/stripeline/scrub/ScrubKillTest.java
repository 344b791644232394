// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/**
 * SIGKILL for the command, a DataNode and the NameNode during scrubs and repairs of damaged files,
 * all in processes of their own: nothing right is called wrong, and later runs repair everything.
 */
@Tag("full")
@Timeout(400)
class ScrubKillTest {
  private static final int DATA_NODES = 7;
  private static final int STRIPED = 20;
  private static final int REPLICATED = 6;

  @TempDir static Path directory;
  private static ProcessCluster cluster;
  private static long seed;
  private static int trees;

  private SeededDamage damage;

  @BeforeAll
  static void start() throws Exception {
    seed = new SecureRandom().nextLong();
    System.out.println("seed of the damage: " + seed);
    cluster = new ProcessCluster(directory.resolve("dfs"), DATA_NODES, (number, conf) -> {});
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void write() throws IOException {
    Random random = new Random(seed + trees);
    String root = "/tree" + trees++;
    damage = new SeededDamage(cluster.fs(), cluster.storages(), root, STRIPED, REPLICATED, random);
    damage.damage(10, 2);
  }

  @AfterEach
  void delete() throws IOException {
    cluster.fs().delete(new org.apache.hadoop.fs.Path(damage.root()), true);
  }

  private String[] scrub() {
    return new String[] {"scrub", damage.root(), "--checked-before=1h", "--json"};
  }

  private String[] repair() {
    return new String[] {"repair", damage.root(), "--execute", "--wait=90s", "--json"};
  }

  private static void await(ScrubProcess command, String what, Callable<Boolean> condition) {
    Conditions.await(
        what,
        () -> {
          boolean isMet = condition.call();
          assertThat(isMet || command.isAlive()).as("%s", command).isTrue();
          return isMet;
        });
  }

  /** Scrubs and repairs without a disturbance. */
  private void finish() throws Exception {
    ScrubProcess found = cluster.run(scrub());
    damage.requireNoFalseAlarm(found.groups());
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

  @Test
  void killedCommandsLoseNothing() throws Exception {
    for (int printed : new int[] {0, 1, 5}) {
      ScrubProcess command = cluster.begin(scrub());
      await(
          command,
          "findings of a scrub",
          () -> command.groups().size() >= printed && command.toString().contains("26 files"));
      command.kill();
      damage.requireNoFalseAlarm(command.groups());
    }
    ScrubProcess whole = cluster.run(scrub());
    assertThat(whole.status()).as("%s", whole).isEqualTo(ExitStatus.FAILED);
    damage.requireFound(whole.groups());

    List<Callable<Boolean>> points =
        List.of(
            () -> damage.quarantined() > 0,
            () -> damage.quarantined() > 2,
            () -> damage.quarantined() > 4);
    for (Callable<Boolean> point : points) {
      ScrubProcess command = cluster.begin(repair());
      await(command, "a replica in quarantine", point);
      command.kill();
      damage.requireNoFalseAlarm(command.groups(), "MISSING", "DUPLICATE");
    }
    ScrubProcess command = cluster.begin(repair());
    await(command, "a repaired group", () -> command.states().contains("REPAIRED"));
    command.kill();
    finish();
  }
}
