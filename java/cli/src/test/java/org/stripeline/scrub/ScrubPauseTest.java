// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.ExitStatus;

/**
 * Stops processes by SIGSTOP: commands for longer than their lease, and a DataNode until the
 * NameNode takes it for dead. Another command runs during that time; a command that continues
 * afterwards must change none of its results.
 */
@Tag("full")
@Tag("conformance")
@Timeout(580)
class ScrubPauseTest extends ProcessCase {
  /** Returns the bytes of the ledger's files. */
  private List<byte[]> ledger() throws Exception {
    return List.of(
        ConvertCluster.read(cluster.fs(), Ledger.ROOT_DEFAULT + "/ledger"),
        ConvertCluster.read(cluster.fs(), Ledger.ROOT_DEFAULT + "/log"));
  }

  @Test
  void aScrubThatWasStoppedWritesNothingAfterAnother() throws Exception {
    ScrubProcess stopped = cluster.begin("scrub", damage.root(), "--json", "--groups-at-once=2");
    await(stopped, "a finding", () -> !stopped.groups().isEmpty());
    stopped.signal("STOP");
    ScrubProcess other = cluster.run("scrub", damage.root(), "--json");
    assertThat(other.status()).as("%s", other).isEqualTo(ExitStatus.FAILED);
    damage.requireFound(other.groups());
    List<byte[]> before = ledger();
    assertThat(Ledger.read(cluster.fs(), new Path(Ledger.ROOT_DEFAULT)).size())
        .isEqualTo(other.sum("groups"));

    stopped.signal("CONT");
    stopped.await();
    assertThat(stopped.status()).as("%s", stopped).isEqualTo(ExitStatus.FAILED);
    assertThat(stopped.toString())
        .contains("Cannot write " + Ledger.ROOT_DEFAULT + "/log: ")
        .contains("\"recorded\":false");
    damage.requireNoFalseAlarm(stopped.groups());
    assertThat(ledger()).usingElementComparator(Arrays::compare).isEqualTo(before);
    finish();
  }

  @Test
  void aRepairThatWasStoppedDoesNothingAfterAnother() throws Exception {
    ScrubProcess stopped = cluster.begin(repair());
    await(stopped, "replicas in quarantine", () -> damage.quarantined() > 2);
    stopped.signal("STOP");
    ScrubProcess other = cluster.run(repair());
    assertThat(other.status()).as("%s", other).isEqualTo(ExitStatus.SOUND);
    List<String> states = stopped.states();
    String audit = RepairAudit.DIRECTORY_DEFAULT + "/audit.jsonl";
    byte[] audited = ConvertCluster.read(cluster.fs(), audit);
    List<byte[]> before = ledger();
    int quarantined = damage.quarantined();

    stopped.signal("CONT");
    stopped.await();
    assertThat(stopped.status()).as("%s", stopped).isIn(ExitStatus.FAILED, ExitStatus.UNCHECKED);
    List<String> after = stopped.states();
    assertThat(after.subList(states.size(), after.size()))
        .as("%s", stopped)
        .doesNotContain("REPAIRED");
    damage.requireNoFalseAlarm(stopped.groups(), "MISSING", "DUPLICATE");
    assertThat(ConvertCluster.read(cluster.fs(), audit)).isEqualTo(audited);
    assertThat(ledger()).usingElementComparator(Arrays::compare).isEqualTo(before);
    assertThat(damage.quarantined()).isEqualTo(quarantined);
    finish();
  }

  /** The DataNode is dead to the NameNode after 12 s, and its connections stay open. */
  @Test
  void aDataNodeThatIsStoppedForLongIsNoDamage() throws Exception {
    ScrubProcess scrub = cluster.begin("scrub", damage.root(), "--json");
    await(scrub, "a finding", () -> !scrub.groups().isEmpty());
    cluster.signalDataNode(victim, "STOP");
    cluster.awaitLive(DATA_NODES - 1);
    scrub.await();
    damage.requireNoFalseAlarm(scrub.groups(), "NOT_CHECKED", "MISSING");
    cluster.signalDataNode(victim, "CONT");
    cluster.awaitLive(DATA_NODES);

    int before = damage.quarantined();
    ScrubProcess repair = cluster.begin(repair());
    await(repair, "a replica in quarantine", () -> damage.quarantined() > before);
    cluster.signalDataNode(victim, "STOP");
    cluster.awaitLive(DATA_NODES - 1);
    repair.await();
    damage.requireNoFalseAlarm(repair.groups(), "NOT_CHECKED", "MISSING", "DUPLICATE");
    cluster.signalDataNode(victim, "CONT");
    cluster.awaitLive(DATA_NODES);
    finish();
  }
}
