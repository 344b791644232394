// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.agent.Agents;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;
import org.stripeline.testkit.Conditions;

/** Scrubs whose ledger cannot be written any more, and repairs that lose their file of records. */
@Timeout(300)
class ScrubFaultsTest extends ScrubLedgerCase {
  /** With the others, more groups than records in one block of the log. */
  private static final int MORE_FILES = 10;

  private static final int GROUPS = 2 * (FILES + MORE_FILES);

  /** Bytes of a block of the log. */
  private static final int LOG_BLOCK = 512;

  private final StringWriter printed = new StringWriter();

  private JsonObject sums() {
    List<String> lines = printed.toString().lines().toList();
    return JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject();
  }

  /** Takes the room in the ledger's directory for another block. */
  private void setQuota() throws IOException {
    ContentSummary used = cluster.fs().getContentSummary(new Path(ledger));
    long bytes = used.getSpaceConsumed();
    cluster.fs().setQuota(new Path(ledger), HdfsConstants.QUOTA_DONT_SET, bytes);
  }

  /** Runs a scrub whose ledger has no room for all records. */
  private int scrubWithoutRoom(Ticker ticker) throws IOException {
    Configuration conf = new Configuration(cluster.conf());
    conf.setInt("dfs.blocksize", LOG_BLOCK);
    DistributedFileSystem fs = new DistributedFileSystem();
    fs.initialize(cluster.uri(), conf);
    AtomicInteger begun = new AtomicInteger();
    ScrubRun.GroupWork checks = ScrubRun.checks(new CheckSettings(7, 0));
    ScrubRun.GroupWork work =
        (path, number, group, calls, records) -> {
          if (begun.incrementAndGet() == 1) {
            setQuota();
          }
          return checks.run(path, number, group, calls, records);
        };
    Path directoryOfLedger = new Path(ledger);
    Progress progress =
        new Progress(new PrintWriter(new StringWriter()), Progress.Style.LINES, () -> 0);
    try (DistributedFileSystem client = fs;
        Ledger opened = Ledger.open(client, directoryOfLedger, ticker, text -> {});
        Agents agents = Agents.connect(conf);
        ScrubOutput output = new ScrubOutput(new PrintWriter(printed), true, progress)) {
      ClusterAccess access = new ClusterAccess(client, agents, Ticker.SYSTEM);
      Selection all =
          new Selection(Ledger.files(directoryOfLedger), System::currentTimeMillis, 0, 0);
      ScrubRun run = new ScrubRun(client, access, work, 1, opened, all, output);
      return run.runToEnd(List.of(new Path(tree)), output, "scrub");
    } catch (CommandException e) {
      error = e.getMessage();
      return e.exitStatus();
    }
  }

  @ParameterizedTest
  @CsvSource({"true,true", "true,false", "false,true", "false,false"})
  void aQuotaOfTheLedgerHidesNoVerdict(boolean isDamaged, boolean isSyncedAtOnce)
      throws IOException {
    for (int i = 0; i < MORE_FILES; i++) {
      cluster.write(tree + "/g" + i, ConvertCluster.BLOCK + 1 + i);
    }
    if (isDamaged) {
      LocatedBlock block = cluster.blocks(tree + "/f0").get(0);
      long id = block.getBlock().getBlockId();
      ReplicaFiles.of(cluster, block.getLocations()[0].getDatanodeUuid(), id).damage();
    }
    long[] nanos = {0};
    Ticker syncs = () -> nanos[0] += 10_000_000_000L;
    int expected = isDamaged ? ExitStatus.FAILED : ExitStatus.UNCHECKED;
    assertThat(scrubWithoutRoom(isSyncedAtOnce ? syncs : () -> 0)).isEqualTo(expected);
    assertThat(error).startsWith("Cannot write " + ledger + "/log: ").contains("quota");
    assertThat(printed.toString().contains("UNLOCATED")).isEqualTo(isDamaged);
    assertThat(sums().get("recorded").getAsBoolean()).isFalse();
    assertThat(sums().get("interrupted").getAsBoolean()).isEqualTo(isSyncedAtOnce);
    long groups = sums().get("groups").getAsLong();
    assertThat(sums().get("groupsDamaged").getAsLong()).isEqualTo(isDamaged ? 1 : 0);

    assertThat(scrub("--status", path("")))
        .isEqualTo(isDamaged && isSyncedAtOnce ? ExitStatus.FAILED : ExitStatus.SOUND);
    long recorded = value("groupsChecked");
    if (isSyncedAtOnce) {
      assertThat(recorded).isPositive().isLessThan(GROUPS).isBetween(groups - 1, groups);
    } else {
      assertThat(groups).isEqualTo(GROUPS);
    }
    assertThat(scrub(path(""))).as("without room: %s", error).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(scrub("--status", path(""))).isIn(ExitStatus.SOUND, ExitStatus.FAILED);
    assertThat(value("groupsChecked")).isEqualTo(recorded);

    cluster.fs().setQuota(new Path(ledger), -1, -1);
    assertThat(scrub("--checked-before=1d", path("")))
        .as(error)
        .isEqualTo(isDamaged ? ExitStatus.FAILED : ExitStatus.SOUND);
    boolean isCheckedAgain = isDamaged && isSyncedAtOnce;
    assertThat(value("groups")).isEqualTo(GROUPS - recorded + (isCheckedAgain ? 1 : 0));
    assertThat(scrub("--status", path("")))
        .isEqualTo(isDamaged ? ExitStatus.FAILED : ExitStatus.SOUND);
    assertThat(value("groupsChecked")).isEqualTo(GROUPS);
  }

  @Test
  void aQuotaOfNamesLosesNothing() throws IOException {
    assertThat(scrub(path(""))).as(error).isEqualTo(ExitStatus.SOUND);
    cluster.fs().setQuota(new Path(ledger), 2, HdfsConstants.QUOTA_DONT_SET);
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(error).contains("Cannot scrub").contains("quota");
    assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("groupsChecked")).isEqualTo(2 * FILES);
    cluster.fs().setQuota(new Path(ledger), -1, -1);
    assertThat(scrub("--checked-before=1d", path(""))).as(error).isEqualTo(ExitStatus.SOUND);
    assertThat(value("groupsLeftOut") + value("filesLeftOut")).isEqualTo(FILES);
  }

  @Test
  void dataNodesWithoutRoomLoseNothing() throws IOException {
    assertThat(scrub(path(""))).as(error).isEqualTo(ExitStatus.SOUND);
    setCapacities(0);
    Conditions.await("no room", () -> cluster.fs().getStatus().getRemaining() == 0);
    try {
      assertThat(scrub(path(""))).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(error).contains("Cannot scrub").contains("could only be written to 0");
      assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.SOUND);
      assertThat(value("groupsChecked")).isEqualTo(2 * FILES);
    } finally {
      setCapacities(-1);
    }
    Conditions.await("room", () -> cluster.fs().getStatus().getRemaining() > 0);
    assertThat(scrub(path(""))).as(error).isEqualTo(ExitStatus.SOUND);
  }

  private static void setCapacities(long bytes) throws IOException {
    for (DatanodeInfo node : cluster.fs().getClient().datanodeReport(DatanodeReportType.LIVE)) {
      cluster.setDiskCapacity(node, bytes);
    }
  }

  @Test
  void aRepairNoticesThatAnotherOneTookItsPlace() throws IOException {
    Path audits = new Path(ledger + "-audits");
    try (DistributedFileSystem first = cluster.client();
        DistributedFileSystem second = cluster.client();
        RepairAudit stopped = RepairAudit.open(first, audits, Clock.systemUTC(), Ticker.SYSTEM)) {
      stopped.require();
      try (RepairAudit next = RepairAudit.open(second, audits, Clock.systemUTC(), Ticker.SYSTEM)) {
        next.require();
      }
      assertThatThrownBy(stopped::require).hasMessageStartingWith("another repair may have taken");
    }
  }

  @Test
  void aRepairNoticesThatItsRecordsWereRenamed() throws IOException {
    Path audits = new Path(ledger + "-renamed");
    try (DistributedFileSystem client = cluster.client();
        RepairAudit running = RepairAudit.open(client, audits, Clock.systemUTC(), Ticker.SYSTEM)) {
      cluster.fs().rename(new Path(audits, "audit.jsonl"), new Path(audits, "old.jsonl"));
      assertThatThrownBy(running::require).hasMessageStartingWith("another repair may have taken");
    }
  }

  @Test
  void recordsOfRepairsAreNotKeptWhereOthersCanReplaceThem() throws IOException {
    Path audits = new Path(ledger + "-open");
    cluster.fs().mkdirs(audits, new FsPermission((short) 0755));
    assertThatThrownBy(
            () -> RepairAudit.open(cluster.fs(), audits, Clock.systemUTC(), Ticker.SYSTEM))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("--audit-directory");
  }
}
