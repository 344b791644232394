// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.terminal.ExitStatus;

/** A repair when one DataNode has room and all others are full. */
@Tag("full")
@Tag("conformance")
@Timeout(400)
class RepairFullTest extends ProcessCase {
  private boolean isFull;

  @Override
  void configure(int number, Configuration conf) {
    if (isFull && number > 0) {
      conf.setLong("dfs.datanode.du.reserved", 1L << 50);
    }
  }

  private void restartDataNodes(boolean areFull) throws Exception {
    isFull = areFull;
    for (int i = 1; i < DATA_NODES; i++) {
      cluster.killDataNode(i);
      cluster.startDataNode(i);
    }
    // The ones before are dead to the NameNode after 12 s only.
    cluster.awaitLocated(damage.files());
    cluster.awaitRemaining(areFull ? 1 : DATA_NODES);
  }

  @Test
  void whatHasNoRoomIsRepairedLater() throws Exception {
    restartDataNodes(true);
    ScrubProcess repair =
        cluster.run("repair", damage.root(), "--execute", "--trust-others", "--wait=20s", "--json");
    assertThat(repair.status()).as("%s", repair).isEqualTo(ExitStatus.FAILED);
    damage.requireNoFalseAlarm(repair.groups(), "MISSING", "DUPLICATE");
    assertThat(repair.states())
        .as("%s", repair)
        .contains("PENDING")
        .isSubsetOf("PENDING", "REPAIRED");
    assertThat(cluster.run("scrub", "--status", "--json").status()).isEqualTo(ExitStatus.FAILED);
    restartDataNodes(false);
    finish();
  }
}
