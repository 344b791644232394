// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** The ledger of {@code stripeline scrub} on a mini cluster. */
@Timeout(300)
class ScrubLedgerTest extends ScrubLedgerCase {
  @Test
  void aKilledScrubContinuesWhereItWas() throws IOException {
    killAfter(3);
    assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("files")).isEqualTo(FILES);
    assertThat(value("bytesWithin1Day")).isEqualTo(2 * ConvertCluster.BLOCK + 1);

    assertThat(scrub("--checked-before=1d", path(""))).as(error).isEqualTo(ExitStatus.SOUND);
    assertThat(value("filesLeftOut")).isEqualTo(1);
    assertThat(value("groupsLeftOut")).isEqualTo(1);
    assertThat(value("groupsHealthy")).isEqualTo(2 * FILES - 3);

    java.nio.file.Path metrics = directory.resolve("scrub.prom");
    assertThat(scrub("--status", path(""), "--prometheus=" + metrics)).isEqualTo(ExitStatus.SOUND);
    assertThat(value("bytesWithin1Day")).isEqualTo(value("bytes"));
    assertThat(value("bytesNeverChecked")).isZero();
    assertThat(value("groupsChecked")).isEqualTo(2 * FILES);
    assertThat(metrics)
        .content()
        .contains("\nstripeline_scrub_bytes{path=\"" + tree + "\"} " + value("bytes") + "\n");
    assertThat(scrub("--checked-before=1d", path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("filesLeftOut")).isEqualTo(FILES);
    assertThat(value("groups")).isZero();
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("groups")).isEqualTo(2 * FILES);
  }

  @Test
  void aGroupThatTakesLongHoldsBackNoOthers() throws IOException {
    CountDownLatch others = new CountDownLatch(2 * FILES - 1);
    ScrubRun.GroupWork checks = ScrubRun.checks(new CheckSettings(7, 0));
    ScrubRun.GroupWork work =
        (path, number, group, calls, records) -> {
          if (path.equals(tree + "/f0") && number == 0) {
            Conditions.await("the checks of all others", () -> others.getCount() == 0);
          }
          return checks.run(path, number, group, calls, records);
        };
    ScrubTotals totals = run(cluster.client(), work, 2, done -> others.countDown());
    assertThat(totals.groupsHealthy).isEqualTo(2 * FILES);
  }

  private static void restartNameNode() throws IOException {
    cluster.mini.restartNameNode();
    cluster.mini.waitActive();
    cluster.mini.setLeasePeriod(500, 3_600_000);
    try {
      cluster.mini.waitFirstBRCompleted(0, 60_000);
    } catch (TimeoutException | InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aRestartOfTheNameNodeLosesNothing() throws IOException {
    killAfter(4);
    restartNameNode();

    assertThat(scrub("--checked-before=1d", path(""))).as(error).isEqualTo(ExitStatus.SOUND);
    assertThat(value("groupsHealthy")).isEqualTo(2 * FILES - 4);
  }

  @Test
  void aScrubContinuesWhileTheNameNodeIsRestarted() throws IOException {
    ScrubTotals totals =
        run(
            cluster.client(),
            done -> {
              if (done == 3) {
                restartNameNode();
              }
            });
    assertThat(totals.groupsHealthy + totals.groupsNotChecked).isEqualTo(2 * FILES);

    assertThat(scrub("--checked-before=1d", path(""))).as(error).isEqualTo(ExitStatus.SOUND);
    assertThat(value("groups")).isEqualTo(totals.groupsNotChecked);
  }

  @Test
  void deletedFilesAreGoneAndRenamedOnesAreChecked() throws IOException {
    ScrubTotals totals =
        run(
            cluster.client(),
            done -> {
              if (done == 1) {
                cluster.fs().delete(new Path(tree + "/f2"), false);
                cluster.fs().rename(new Path(tree + "/f3"), new Path(tree + "/g"));
              }
            });
    assertThat(totals.filesGone).isEqualTo(1);
    assertThat(totals.groupsHealthy).isEqualTo(2 * FILES - 2);

    assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("files")).isEqualTo(FILES - 1);
    assertThat(value("bytesWithin1Day")).isEqualTo(value("bytes"));

    cluster.fs().delete(new Path(tree + "/f0"), false);
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(records()).as("only a scrub of / notices it").isEqualTo(8);
    assertThat(scrub("--checked-before=1d", cluster.uri() + "/")).isEqualTo(ExitStatus.SOUND);
    assertThat(records()).isEqualTo(6);
  }

  @Test
  void groupsThatAreGoneLeaveTheLedger() throws IOException {
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(records()).isEqualTo(2 * FILES);

    // After the second group of the first file, the groups of the second file are known.
    ScrubTotals totals =
        run(
            cluster.client(),
            done -> {
              if (done == 2) {
                cluster.fs().delete(new Path(tree + "/f1"), false);
              }
            });
    assertThat(totals.groupsGone).isEqualTo(2);
    assertThat(records()).isEqualTo(2 * FILES - 2);
  }

  private long records() throws IOException {
    return Ledger.read(cluster.fs(), new Path(ledger)).size();
  }

  @Test
  void damageIsShownUntilACompleteCheckFindsNone() throws IOException {
    LocatedBlock block = cluster.blocks(tree + "/f1").get(0);
    long id = block.getBlock().getBlockId();
    ReplicaFiles files = ReplicaFiles.of(cluster, block.getLocations()[0].getDatanodeUuid(), id);
    byte[] right = files.damage();

    assertThat(scrub(path(""))).isEqualTo(ExitStatus.FAILED);
    assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.FAILED);
    assertThat(value("groupsDamaged")).isEqualTo(1);
    JsonObject damaged = result.getAsJsonArray("damaged").get(0).getAsJsonObject();
    assertThat(damaged.get("path").getAsString()).isEqualTo(tree + "/f1");
    assertThat(damaged.get("block").getAsLong()).isEqualTo(id);
    assertThat(scrub("--status", path("/f0"))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("files")).isEqualTo(1);
    String metrics = "--prometheus=" + directory.resolve("no/such/place");
    assertThat(scrub("--status", path(""), metrics)).isEqualTo(ExitStatus.FAILED);
    assertThat(error).contains("Cannot write " + directory.resolve("no/such/place"));

    assertThat(scrub("--checked-before=1d", path(""))).isEqualTo(ExitStatus.FAILED);
    assertThat(value("groups")).isEqualTo(1);
    files.replace(right);
    assertThat(scrub("--checked-before=1d", path(""))).isEqualTo(ExitStatus.SOUND);
    assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.SOUND);
  }

  @Test
  @Tag("full")
  void sigtermEndsAScrubWithAllItsChecksRecorded() throws Exception {
    cluster.mini.setLeasePeriod(60_000, 3_600_000);
    LocatedBlock first = cluster.blocks(tree + "/f0").get(0);
    long id = first.getBlock().getBlockId();
    ReplicaFiles.of(cluster, first.getLocations()[0].getDatanodeUuid(), id).damage();
    java.nio.file.Path place = directory.resolve("signalled");
    // Each of the other blocks takes seconds.
    Process process =
        HadoopProcess.launch(
            Stripeline.class,
            cluster.conf(),
            place,
            "scrub",
            path(""),
            "--ledger=" + ledger,
            "--rate-per-node=256KiB",
            "--groups-at-once=1");
    try {
      java.nio.file.Path log = place.resolve(HadoopProcess.LOG);
      Conditions.await(
          "the first finding",
          () -> !process.isAlive() || Files.readString(log).contains("UNLOCATED"));
      HadoopProcess.signal(process, "TERM");
      Conditions.await("the end of the command", () -> !process.isAlive());
      assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(128 + 15);
    } finally {
      process.destroyForcibly().waitFor();
    }

    InstantWaits waits = new InstantWaits();
    try (DistributedFileSystem client = cluster.client();
        Ledger opened = Ledger.open(client, new Path(ledger), waits, text -> {})) {
      assertThat(opened.table().size()).isBetween(1L, 2L * FILES - 1);
    }
    assertThat(waits.millis()).as("for its lease").isZero();
    assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.FAILED);
  }

  @Test
  void whatWasNotReadDoesNotCountAsChecked() throws IOException {
    String holder = cluster.blocks(tree + "/f1").get(0).getLocations()[0].getDatanodeUuid();
    DataNode node = AgentSwitch.node(cluster, holder);
    AgentSwitch.cutOff(node);
    try (FSDataOutputStream open = cluster.fs().create(new Path(tree + "/open"))) {
      open.write(new byte[5000]);
      open.hsync();
      assertThat(scrub(path(""))).isEqualTo(ExitStatus.UNCHECKED);

      assertThat(scrub("--status", path(""))).isEqualTo(ExitStatus.SOUND);
      assertThat(value("groupsNotRead")).isEqualTo(1);
      assertThat(value("groupsReplicaNotRead")).isGreaterThan(0);
      assertThat(value("bytesNeverChecked")).isGreaterThan(0);
    } finally {
      AgentSwitch.stop(node);
      AgentSwitch.start(node);
    }
  }

  @Test
  void aFileThatIsClosedMeanwhileIsCheckedWithItsLength() throws IOException {
    FSDataOutputStream open = cluster.fs().create(new Path(tree + "/a"));
    open.write(new byte[5000]);
    open.hsync();
    // It is checked first, and once more at the end.
    cluster.fs().setTimes(new Path(tree + "/a"), 0, -1);
    ScrubTotals totals =
        run(
            cluster.client(),
            done -> {
              if (done == 1) {
                open.write(new byte[70_000]);
                open.close();
              }
            });
    assertThat(totals.groupsHealthy).isEqualTo(2 * FILES + 1);

    assertThat(scrub("--status", path("/a"))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("bytes")).isEqualTo(75_000);
    assertThat(value("bytesWithin1Day")).isEqualTo(75_000);
    assertThat(scrub("--checked-before=1d", path("/a"))).isEqualTo(ExitStatus.SOUND);
    assertThat(value("filesLeftOut")).isEqualTo(1);
  }

  @Test
  void aFileThatIsModifiedBetweenListingsIsChecked() throws IOException {
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.SOUND);
    filesMax = 1;
    ScrubTotals totals =
        run(
            cluster.client(),
            done -> {
              if (done == 1) {
                cluster
                    .fs()
                    .setTimes(new Path(tree + "/f3"), System.currentTimeMillis() + 60_000, -1);
              }
            });
    assertThat(totals.groupsHealthy).isEqualTo(2 * FILES);
  }

  @Test
  void aDirectoryThatCannotBeListedAgainIsReported() throws IOException {
    filesMax = 1;
    DistributedFileSystem failing =
        new DistributedFileSystem() {
          private int listings;

          @Override
          public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
            if (++listings == 2) {
              throw new IOException("no answer");
            }
            return super.listStatusIterator(path);
          }
        };
    failing.initialize(cluster.uri(), cluster.conf());
    assertThat(run(failing, done -> {}).exitStatus()).isEqualTo(ExitStatus.UNCHECKED);
  }

  @Test
  void aSecondScrubIsRefused() throws IOException {
    cluster.mini.setLeasePeriod(60_000, 3_600_000);
    List<String> said = new ArrayList<>();
    InstantWaits waits = new InstantWaits();
    try (DistributedFileSystem first = cluster.client();
        DistributedFileSystem second = cluster.client()) {
      try (Ledger opened = Ledger.open(first, new Path(ledger), Ticker.SYSTEM, said::add)) {
        assertThatThrownBy(() -> Ledger.open(second, new Path(ledger), waits, said::add))
            .isInstanceOf(RefusedException.class)
            .hasMessage(
                "Cannot scrub with the ledger "
                    + ledger
                    + ": another scrub or repair is running; wait for its end, or name another"
                    + " directory with --ledger");
        assertThat(waits.millis()).isGreaterThanOrEqualTo(75_000);
        assertThat(said).hasSize(1);
      }
      Ledger.open(second, new Path(ledger), waits, said::add).close();
    }
  }

  @Test
  void aLedgerThatCannotBeUsedIsNotChanged() throws IOException {
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.SOUND);
    Path file = new Path(ledger, "ledger");
    byte[] newer = ConvertCluster.read(cluster.fs(), file.toString());
    newer[11] = 2;
    try (FSDataOutputStream out = cluster.fs().create(file)) {
      out.write(newer);
    }
    long id = cluster.fs().getClient().getFileInfo(file.toString()).getFileId();
    long records = cluster.fs().getFileStatus(new Path(ledger, "log")).getLen();

    for (String[] options : new String[][] {{path("")}, {"--status", path("")}}) {
      assertThat(scrub(options)).isEqualTo(ExitStatus.USAGE);
      assertThat(error)
          .contains("Cannot use " + file + ": its version is 2, and this command knows 1; use");
    }
    assertThat(cluster.fs().getClient().getFileInfo(file.toString()).getFileId()).isEqualTo(id);
    assertThat(cluster.fs().getFileStatus(new Path(ledger, "log")).getLen()).isEqualTo(records);
  }

  @Test
  void aDirectoryThatOthersCanWriteIsRefused() throws IOException {
    cluster.fs().mkdirs(new Path(ledger));
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.USAGE);
    assertThat(error).contains("Cannot keep a ledger in " + ledger).contains("with --ledger");
  }

  @Test
  void arguments() {
    assertThat(scrub()).isEqualTo(ExitStatus.USAGE);
    assertThat(error).contains("Missing required parameter: 'PATH...'");
    assertThat(scrub("--checked-before=x", path(""))).isEqualTo(ExitStatus.USAGE);
    assertThat(error).contains("Cannot read --checked-before=x");
    assertThat(scrub("--prometheus=x", path(""))).isEqualTo(ExitStatus.USAGE);
    assertThat(error).contains("Cannot use --prometheus without --status");
    ledger = "relative";
    assertThat(scrub(path(""))).isEqualTo(ExitStatus.USAGE);
    assertThat(error).contains("Cannot use --ledger=relative: name an absolute path");
  }
}
