// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.terminal.ExitStatus;

/**
 * SIGKILL for the command, a DataNode and the NameNode during scrubs and repairs of damaged files,
 * all in processes of their own: nothing right is called wrong, and later runs repair everything.
 */
@Tag("full")
@Timeout(400)
class ScrubKillTest extends ProcessCase {
  @Test
  void killedCommandsLoseNothing() throws Exception {
    killCommands(0, 5);
  }

  @Test
  @Tag("conformance")
  void commandsThatAreKilledInBetweenLoseNothing() throws Exception {
    killCommands(1, 3);
  }

  /** Kills scrubs after these numbers of findings, and repairs after as many of replicas. */
  private void killCommands(int... points) throws Exception {
    for (int printed : points) {
      ScrubProcess command = cluster.begin(scrub());
      await(
          command,
          "findings of a scrub",
          () -> command.groups().size() >= printed && command.toString().contains(" files, "));
      command.kill();
      damage.requireNoFalseAlarm(command.groups());
    }
    ScrubProcess whole = cluster.run(scrub());
    assertThat(whole.status()).as("%s", whole).isEqualTo(ExitStatus.FAILED);
    damage.requireFound(whole.groups());

    for (int wanted : points) {
      ScrubProcess command = cluster.begin(repair());
      await(command, "replicas in quarantine", () -> damage.quarantined() >= Math.max(1, wanted));
      command.kill();
      damage.requireNoFalseAlarm(command.groups(), "MISSING", "DUPLICATE");
    }
    ScrubProcess command = cluster.begin(repair());
    await(command, "a repaired group", () -> command.states().contains("REPAIRED"));
    command.kill();
    finish();
  }

  /** Kills a DataNode with damaged replicas, which is dead to the NameNode after 12 s. */
  @Test
  @Tag("conformance")
  void aKilledDataNodeIsNoDamage() throws Exception {
    ScrubProcess scrub = cluster.begin(scrub());
    await(scrub, "a finding", () -> !scrub.groups().isEmpty());
    cluster.killDataNode(victim);
    scrub.await();
    // HDFS rebuilds the blocks of a dead DataNode, which are missing until then.
    damage.requireNoFalseAlarm(scrub.groups(), "NOT_CHECKED", "MISSING");
    cluster.startDataNode(victim);
    cluster.awaitLive(DATA_NODES);

    for (boolean isBack : new boolean[] {true, false}) {
      if (!isBack) {
        // The first repair may have gone on to its end.
        finish();
        damage.damage(10, 2, cluster.id(victim));
      }
      int before = damage.quarantined();
      ScrubProcess repair = cluster.begin(repair());
      await(repair, "a replica in quarantine", () -> damage.quarantined() > before);
      cluster.killDataNode(victim);
      if (isBack) {
        cluster.startDataNode(victim);
      }
      repair.await();
      damage.requireNoFalseAlarm(repair.groups(), "NOT_CHECKED", "MISSING", "DUPLICATE");
      if (!isBack) {
        cluster.startDataNode(victim);
      }
      cluster.awaitLive(DATA_NODES);
    }
    finish();
  }

  /** Kills the NameNode, which forgets what was reported as corrupt. */
  @Test
  @Tag("conformance")
  void aKilledNameNodeLosesNothing() throws Exception {
    ScrubProcess cut = cluster.begin(scrub());
    await(cut, "findings", () -> cut.groups().size() > 1);
    cluster.killNameNode();
    cut.await();
    damage.requireNoFalseAlarm(cut.groups(), "NOT_CHECKED");
    cluster.startNameNode();
    cluster.awaitServing();

    ScrubProcess through = cluster.begin(scrub());
    await(through, "findings", () -> through.groups().size() > 1);
    cluster.killNameNode();
    cluster.startNameNode();
    through.await();
    damage.requireNoFalseAlarm(through.groups(), "NOT_CHECKED");
    cluster.awaitServing();

    for (boolean isBack : new boolean[] {false, true}) {
      int before = damage.quarantined();
      ScrubProcess repair = cluster.begin(repair());
      await(repair, "a replica in quarantine", () -> damage.quarantined() > before);
      cluster.killNameNode();
      if (isBack) {
        cluster.startNameNode();
      }
      repair.await();
      damage.requireNoFalseAlarm(repair.groups(), "NOT_CHECKED", "MISSING", "DUPLICATE");
      if (!isBack) {
        cluster.startNameNode();
      }
      cluster.awaitServing();
    }
    finish();
  }
}
