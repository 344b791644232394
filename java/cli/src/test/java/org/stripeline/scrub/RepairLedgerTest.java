// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/**
 * What a repair records in the ledger of scrubs, and that it records damage before it replaces
 * anything.
 */
@Timeout(300)
class RepairLedgerTest extends RepairCase {
  /** Returns the number of damaged groups below the root, as the ledger has it. */
  private long damagedInLedger() {
    String report = ScrubReport.of("--status", cluster.uri() + "/", "--json").out;
    return JsonParser.parseString(report).getAsJsonObject().get("groupsDamaged").getAsLong();
  }

  private boolean isRecorded() {
    return lines.get(lines.size() - 1).get("recorded").getAsBoolean();
  }

  @Test
  void aRepairedGroupNoLongerCountsAsDamaged() throws Exception {
    start(7);
    damage(FILE, 1);
    assertThat(ScrubReport.of(cluster.uri() + "/tree").status).isEqualTo(ExitStatus.FAILED);
    assertThat(damagedInLedger()).isEqualTo(1);

    assertThat(repair("/", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(isRecorded()).isTrue();
    assertThat(damagedInLedger()).isZero();
  }

  @Test
  void aGroupThatIsLeftDamagedIsInTheLedger() throws Exception {
    start(7);
    damage(FILE, 3);
    damage(FILE, 4);
    assertThat(repair("/")).isEqualTo(ExitStatus.FAILED);
    assertThat(isRecorded()).isFalse();
    assertThat(damagedInLedger()).isZero();

    assertThat(repair("/", "--execute", "--ledger=/other")).isEqualTo(ExitStatus.FAILED);
    assertThat(damagedInLedger()).isZero();
    assertThat(repair("/", "--execute")).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("REFUSED");
    assertThat(damagedInLedger()).isEqualTo(1);
  }

  @Test
  void saysThatTheLedgerIsNotUpdatedWhileAScrubHasIt() throws Exception {
    start(7);
    damage(FILE, 1);
    assertThat(ScrubReport.of(cluster.uri() + "/tree").status).isEqualTo(ExitStatus.FAILED);
    org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path(Ledger.ROOT_DEFAULT);
    try (DistributedFileSystem other = cluster.client();
        Ledger held = Ledger.open(other, directory, new InstantWaits(), text -> {})) {
      assertThat(held.isRecording()).isTrue();
      assertThat(repair("/", "--execute")).as("%s", errors).isEqualTo(ExitStatus.SOUND);
    }
    assertThat(states()).containsExactly("REPAIRED");
    assertThat(errors)
        .contains("The ledger /.stripeline/scrub is not updated, because another scrub or repair");
    assertThat(isRecorded()).isFalse();
    assertThat(damagedInLedger()).isEqualTo(1);
  }

  @Test
  void nothingIsReplacedWithoutRoomForItsRecord() throws Exception {
    start(7);
    byte[] wrong = damage(FILE, 1)[1];
    org.apache.hadoop.fs.Path audits = new org.apache.hadoop.fs.Path(RepairAudit.DIRECTORY_DEFAULT);
    cluster.fs().mkdirs(audits, JobDirectory.PRIVATE);
    cluster.fs().setQuota(audits, HdfsConstants.QUOTA_DONT_SET, 1);
    assertThat(repair("/", "--execute")).as("%s", errors).isEqualTo(ExitStatus.FAILED);
    assertThat(states()).containsExactly("FAILED");
    assertThat(text()).contains("quota");
    assertThat(files(FILE, 1).bytes()).isEqualTo(wrong);
    assertThat(damagedInLedger()).isEqualTo(1);

    cluster.fs().setQuota(audits, -1, -1);
    assertThat(repair("/", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
  }

  @Test
  void damageIsInTheLedgerBeforeAnythingIsReplaced() throws Exception {
    // HDFS rebuilds nothing, so the repair waits until it is ended.
    start(7, "dfs.namenode.redundancy.interval.seconds", "3600");
    damage(FILE, 1);
    Thread repair = new Thread(() -> repair("/tree", "--execute"));
    repair.start();
    try {
      Conditions.await("the record of the damage", () -> damagedInLedger() == 1);
      assertThat(repair.isAlive()).isTrue();
    } finally {
      repair.interrupt();
      repair.join();
    }
    assertThat(states()).doesNotContain("REPAIRED");
    assertThat(damagedInLedger()).isEqualTo(1);
  }

  @Test
  void damageThatCannotBeRecordedIsLeft() throws Exception {
    // The check takes seconds, in which another process ends the log of the ledger.
    start(7, "stripeline.agent.scrub.bandwidth", "256k");
    byte[][] data = damage(FILE, 1);
    FutureTask<Integer> status = new FutureTask<>(() -> repair("/tree", "--execute"));
    new Thread(status, "repair").start();
    org.apache.hadoop.fs.Path log = new org.apache.hadoop.fs.Path(Ledger.ROOT_DEFAULT, "log");
    Conditions.await("the log's first bytes", () -> hasBytes(log));
    Conditions.await("the end of the log", () -> cluster.fs().recoverLease(log));
    assertThat(status.get()).as("%s", lines).isEqualTo(ExitStatus.FAILED);
    assertThat(errors).contains("Cannot write " + log.toUri().getPath() + ": ");
    assertThat(lines.get(0).has("findings")).as("%s", lines).isTrue();
    assertThat(states()).isEmpty();
    assertThat(files(FILE, 1).bytes()).isEqualTo(data[1]);
    assertThat(quarantined()).isEmpty();
    assertThat(audited()).isEmpty();

    assertThat(repair("/tree", "--execute")).as("%s %s", lines, errors).isEqualTo(ExitStatus.SOUND);
    assertThat(states()).containsExactly("REPAIRED");
  }

  private boolean hasBytes(org.apache.hadoop.fs.Path file) {
    try (FSDataInputStream in = cluster.fs().open(file)) {
      return in.read() >= 0;
    } catch (IOException e) {
      // It is not there yet.
      return false;
    }
  }
}
