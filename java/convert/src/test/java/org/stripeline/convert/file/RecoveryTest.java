// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.WatchedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.testkit.Conditions;

/**
 * Tests the recovery of files after a driver died, including changes by others before the recovery.
 */
@Tag("full")
class RecoveryTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final FsPermission SHARED = new FsPermission((short) 0664);

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory,
            7,
            4,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              LateCalls.install(conf);
            });
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void killAt(Step step, String path, String job) throws IOException {
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, step, 1);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
      assertThatThrownBy(() -> driver.execute(ConvertCluster.contiguous(path, CODE), job))
          .isInstanceOf(Crash.Death.class);
    }
  }

  private JobReport resume(String path) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.resume(path, null, new JobTuning());
    }
  }

  /** Resuming must not remove the blocks of a converted file whose swap the journal has lost. */
  @Test
  void aJournalThatHasLostItsEndCostsNoBlocks() throws Exception {
    byte[] bytes = cluster.write("/lost/a", 3 * BLOCK);
    killAt(Step.SWAPPED, "/lost", "lost");
    long blocks = cluster.internalBlocks();
    Path journal = new Path(JobDirectory.ROOT_DEFAULT + "/lost/journal");
    Conditions.await("the end of the lease", () -> cluster.fs().recoverLease(journal));
    String text = new String(cluster.read(journal.toString()), StandardCharsets.UTF_8);
    assertThat(text).contains("\"group\"", "\"swap\"");
    try (FSDataOutputStream out = cluster.fs().create(journal, true)) {
      int end = text.lastIndexOf('\n', text.indexOf("\"swap\"")) + 1;
      out.write(text.substring(0, end).getBytes(StandardCharsets.UTF_8));
    }

    assertThat(resume("/lost").isComplete()).isTrue();
    assertThat(cluster.internalBlocks()).isEqualTo(blocks);
    assertThat(cluster.policy("/lost/a")).isNotNull();
    assertThat(cluster.read("/lost/a")).isEqualTo(bytes);
  }

  /** Another job would take the permission of a file during a swap for the one its user has set. */
  @Test
  void leavesAFileDuringAnotherJobsSwap() throws Exception {
    byte[] bytes = cluster.write("/half/a", 3 * BLOCK);
    Path file = new Path("/half/a");
    cluster.fs().setPermission(file, SHARED);
    killAt(Step.FENCE_ENDED, "/half", "half");
    assertThat(cluster.fs().getFileStatus(file).getPermission()).isNotEqualTo(SHARED);

    DistributedFileSystem client = cluster.client();
    try (Driver driver =
        new Driver(client, "/.stripeline/other", JobObserver.NONE, StepListener.NONE)) {
      JobReport report = driver.execute(ConvertCluster.contiguous("/half", CODE), "other");
      assertThat(report.failures()).hasSize(1);
      assertThat(report.failures().get(0).reason).contains("a file during a swap", "--resume");
    }
    assertThat(resume("/half").failures()).isEmpty();
    assertThat(cluster.fs().getFileStatus(file).getPermission()).isEqualTo(SHARED);
    assertThat(cluster.policy("/half/a")).isNotNull();
    assertThat(cluster.read("/half/a")).isEqualTo(bytes);
  }

  /** The permission that {@code hdfs dfs -chmod -R 1777} sets on files. */
  @Test
  void leavesAFileWithAStickyBitDuringAnotherJobsSwap() throws Exception {
    cluster.write("/sticky/a", 3 * BLOCK);
    Path file = new Path("/sticky/a");
    FsPermission sticky = new FsPermission((short) 01777);
    cluster.fs().setPermission(file, sticky);
    killAt(Step.FENCE_ENDED, "/sticky", "sticky");

    DistributedFileSystem client = cluster.client();
    try (Driver driver =
        new Driver(client, "/.stripeline/other", JobObserver.NONE, StepListener.NONE)) {
      driver.execute(ConvertCluster.contiguous("/sticky", CODE), "other");
    }
    assertThat(resume("/sticky").failures()).isEmpty();
    assertThat(cluster.fs().getFileStatus(file).getPermission()).isEqualTo(sticky);
  }

  /** A driver that was only stopped deletes the temporary files of the job when it goes on. */
  @Test
  void aJobWhoseDriverHadDoneAllIsOnlyEnded() throws Exception {
    cluster.write("/ended/a", 3 * BLOCK);
    Path journal = new Path(JobDirectory.ROOT_DEFAULT + "/ended/journal");
    DistributedFileSystem client =
        new WatchedFileSystem(
            call -> {
              if (call.equals("delete") && isFinished(journal)) {
                throw new AssertionError("killed");
              }
            });
    Configuration conf = new Configuration(cluster.conf());
    // As HdfsConnection sets it.
    conf.set("dfs.checksum.combine.mode", "COMPOSITE_CRC");
    client.initialize(cluster.uri(), conf);
    JobSettings settings = ConvertCluster.striped("/ended", CODE);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, StepListener.NONE)) {
      assertThatThrownBy(() -> driver.execute(settings, "ended")).hasMessage("killed");
    }
    cluster.write("/ended/later", 3 * BLOCK);

    assertThat(resume("/ended").isComplete()).isTrue();

    assertThat(cluster.policy("/ended/a")).isNotNull();
    assertThat(cluster.policy("/ended/later")).isNull();
    assertThat(cluster.temporaries()).isEmpty();
    assertThatThrownBy(() -> resume("/ended")).hasMessageContaining("there is no unfinished job");
  }

  private boolean isFinished(Path journal) {
    try {
      JournalRecord last = Journal.last(cluster.fs(), journal);
      return last != null && last.kind == JournalRecord.Kind.FINISHED;
    } catch (IOException e) {
      return false;
    }
  }

  /** A driver that was disconnected reaches the swap after another one has recovered the file. */
  @Test
  void aLateDriverDoesNotTouchTheFile() throws Exception {
    cluster.write("/late/a", 3 * BLOCK);
    Path file = new Path("/late/a");
    cluster.fs().setPermission(file, SHARED);
    DistributedFileSystem client = cluster.client();
    StepListener cut =
        (step, path) -> {
          if (step == Step.SWAP_NAMED) {
            // The effect of a network partition: the leases expire, and another driver takes over.
            client.getClient().closeAllFilesBeingWritten(true);
            try {
              assertThat(resume("/late").failures()).isEmpty();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };
    try (Driver driver = cluster.driver(client, JobObserver.NONE, cut)) {
      assertThatThrownBy(() -> driver.execute(ConvertCluster.contiguous("/late", CODE), "late"))
          .isInstanceOf(JournalLostException.class);
    }
    assertThat(cluster.policy("/late/a")).isNotNull();
    assertThat(cluster.fs().getFileStatus(file).getPermission()).isEqualTo(SHARED);
  }

  /**
   * The driver is disconnected between its last confirmation of the lease and its change of the
   * permission.
   */
  @Test
  void aLateDriverRevertsItsChangeOfThePermission() throws Exception {
    cluster.write("/late-mode/a", 3 * BLOCK);
    Path file = new Path("/late-mode/a");
    cluster.fs().setPermission(file, SHARED);
    cluster.fs().allowSnapshot(file.getParent());
    DistributedFileSystem client = cluster.client();
    AtomicBoolean isNamed = new AtomicBoolean();
    String inode = InodePath.of(client.getClient().getFileInfo(file.toString()).getFileId());
    LateCalls.after(
        (command, path) -> {
          if (command.equals("getfileinfo")
              && path.equals(inode)
              && isNamed.compareAndSet(true, false)) {
            client.getClient().closeAllFilesBeingWritten(true);
            try {
              // So that the recovering driver does not convert the file.
              cluster.fs().createSnapshot(file.getParent(), "one");
              assertThat(resume("/late-mode").failures()).isEmpty();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        });
    StepListener armed =
        (step, path) -> {
          if (step == Step.SWAP_NAMED) {
            isNamed.set(true);
          }
        };
    try (Driver driver = cluster.driver(client, JobObserver.NONE, armed)) {
      assertThatThrownBy(
              () -> driver.execute(ConvertCluster.contiguous("/late-mode", CODE), "late-mode"))
          .isInstanceOf(JournalLostException.class);
    } finally {
      LateCalls.after((command, path) -> {});
    }
    assertThat(cluster.policy("/late-mode/a")).isNull();
    assertThat(cluster.fs().getFileStatus(file).getPermission()).isEqualTo(SHARED);
  }

  /** The user deletes it after the recovery has seen it for the last time. */
  @Test
  void aFileThatIsDeletedDuringItsRecoveryIsSettled() throws Exception {
    cluster.write("/deleted/a", 3 * BLOCK);
    Path file = new Path("/deleted/a");
    String inode = InodePath.of(cluster.fs().getClient().getFileInfo("/deleted/a").getFileId());
    killAt(Step.FENCED, "/deleted", "deleted");
    // The end of the lease sets the modification time; the recovery then sets it back.
    Conditions.await("the lease to end", () -> cluster.fs().recoverLease(file));
    AtomicInteger looks = new AtomicInteger();
    LateCalls.after(
        (command, path) -> {
          if (command.equals("getfileinfo") && path.equals(inode) && looks.incrementAndGet() == 2) {
            try {
              assertThat(cluster.fs().delete(file, false)).isTrue();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        });
    JobReport report;
    try {
      report = resume("/deleted");
    } finally {
      LateCalls.after((command, path) -> {});
    }
    assertThat(looks).hasValueGreaterThanOrEqualTo(2);
    assertThat(cluster.fs().exists(file)).isFalse();
    assertThat(report.failures()).isEmpty();
    assertThat(report.isComplete()).isTrue();
  }

  /** Only times that the release of the job's own lease has changed are restored. */
  @Test
  void keepsTimesThatAUserSetBeforeTheLease() throws Exception {
    cluster.write("/times/a", 3 * BLOCK);
    Path file = new Path("/times/a");
    killAt(Step.BEGUN, "/times", "times");
    long now = cluster.fs().getFileStatus(file).getModificationTime() + 1000;
    cluster.fs().setTimes(file, now, -1);
    assertThat(resume("/times").failures()).isEmpty();
    FileStatus after = cluster.fs().getFileStatus(file);
    assertThat(after.isErasureCoded()).isTrue();
    assertThat(after.getModificationTime()).isEqualTo(now);
  }

  /** HDFS then denies the job the block locations of the file, and keeps the attribute for ever. */
  @Test
  void aFileThatItsOwnerHidesFromSuperusersIsSettled() throws Exception {
    cluster.write("/hidden/a", 3 * BLOCK);
    Path file = new Path("/hidden/a");
    long accessed = 1_600_000_000_000L;
    cluster.fs().setTimes(file, -1, accessed);
    StepListener owner =
        (step, path) -> {
          if (step == Step.BEGUN) {
            try {
              String hidden = "security.hdfs.unreadable.by.superuser";
              cluster.fs().setXAttr(file, hidden, null, EnumSet.of(XAttrSetFlag.CREATE));
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, owner)) {
      JobReport report = driver.execute(ConvertCluster.contiguous("/hidden", CODE), "hidden");
      assertThat(report.failures()).hasSize(1);
      assertThat(report.failures().get(0).toString()).doesNotContain("recover");
    }
    assertThat(JobDirectory.unfinished(cluster.fs(), JobDirectory.ROOT_DEFAULT)).isEmpty();
    assertThat(cluster.fs().getFileStatus(file).getAccessTime()).isEqualTo(accessed);
  }

  /** A NameNode that is killed forgets a rename of which it has told, if that is not logged. */
  @Test
  void aSwapCountsOnceItIsInTheEditLog() throws Exception {
    cluster.write("/logged/a", 3 * BLOCK);
    killAt(Step.SWAPPED, "/logged", "logged");
    List<String> calls = new CopyOnWriteArrayList<>();
    DistributedFileSystem client = new WatchedFileSystem(calls::add);
    client.initialize(cluster.uri(), new Configuration(cluster.conf()));
    try (Driver driver = cluster.driver(client, JobObserver.NONE, StepListener.NONE)) {
      assertThat(driver.resume("/logged", null, new JobTuning()).isComplete()).isTrue();
    }
    assertThat(calls).as("a call that is logged").contains("setPermission");
    assertThat(cluster.policy("/logged/a")).isNotNull();
  }

  /** Another job has looked at the file at the same time, and is faster. */
  @Test
  void aLeaseIsNotKeptDuringTheSwapOfAnotherJob() throws Exception {
    cluster.write("/both/a", 3 * BLOCK);
    Path file = new Path("/both/a");
    long modified = cluster.fs().getFileStatus(file).getModificationTime();
    String inode = InodePath.of(cluster.fs().getClient().getFileInfo("/both/a").getFileId());
    AtomicBoolean isArmed = new AtomicBoolean();
    StepListener armed =
        (step, path) -> {
          if (step == Step.ATTRIBUTED) {
            isArmed.set(true);
          }
        };
    LateCalls.after(
        (command, path) -> {
          if (command.equals("getfileinfo")
              && path.equals(inode)
              && isArmed.compareAndSet(true, false)) {
            try {
              cluster.fs().setPermission(file, new FsPermission((short) 01444));
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        });
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, armed)) {
      JobReport report = driver.execute(ConvertCluster.contiguous("/both", CODE), "both");
      assertThat(report.failures()).hasSize(1);
      assertThat(report.failures().get(0).reason).contains("a file during a swap");
    } finally {
      LateCalls.after((command, path) -> {});
    }
    assertThat(cluster.fs().isFileClosed(file)).isTrue();
    assertThat(cluster.fs().getFileStatus(file).getModificationTime()).isEqualTo(modified);
  }

  /** Takes a snapshot of all files while the temporary file exists. */
  private StepListener daily(StepListener next) {
    return (step, path) -> {
      if (step == Step.VERIFIED) {
        try {
          cluster.fs().createSnapshot(new Path("/"), "daily");
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
      next.reached(step, path);
    };
  }

  @Test
  void leavesTheBlocksOfTemporaryFilesThatASnapshotHas() throws Exception {
    byte[] bytes = cluster.write("/root/a", 3 * BLOCK);
    cluster.fs().allowSnapshot(new Path("/"));
    StepListener daily = daily(StepListener.NONE);
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, daily)) {
      JobReport report = driver.execute(ConvertCluster.contiguous("/root", CODE), "root");
      assertThat(report.failures()).hasSize(1);
    }
    requireBlocksOfTheSnapshot("/root/a", bytes);
  }

  /** The repeated rollback finds no temporary file any more, and the snapshot still has it. */
  @Test
  void aRepeatedRollbackLeavesTheBlocksThatASnapshotHas() throws Exception {
    byte[] bytes = killDuringRollback(Step.BACK_DELETED);
    assertThat(cluster.internalBlocks()).isPositive();
    resume("/root");
    requireBlocksOfTheSnapshot("/root/a", bytes);
  }

  /** Earlier versions did not write the temporary file's id, and died before they deleted it. */
  @Test
  void aRollbackThatAnEarlierVersionBeganLeavesThem() throws Exception {
    byte[] bytes = killDuringRollback(Step.BACK_NAMED);
    Path journal = new Path(JobDirectory.ROOT_DEFAULT + "/root/" + JobDirectory.JOURNAL);
    cluster.fs().recoverLease(journal);
    Conditions.await("the journal's end", () -> cluster.fs().isFileClosed(journal));
    String written = new String(cluster.read(journal.toString()), StandardCharsets.UTF_8);
    String earlier = written.replaceAll("(\"kind\":\"back\".*),\"temporaryId\":\\d+", "$1");
    assertThat(earlier).isNotEqualTo(written);
    try (FSDataOutputStream out = cluster.fs().create(journal, true)) {
      out.write(earlier.getBytes(StandardCharsets.UTF_8));
    }
    resume("/root");
    requireBlocksOfTheSnapshot("/root/a", bytes);
  }

  /**
   * Kills a driver at a step of a rollback that a snapshot has caused; returns the file's bytes.
   */
  private byte[] killDuringRollback(Step step) throws IOException {
    byte[] bytes = cluster.write("/root/a", 3 * BLOCK);
    cluster.fs().allowSnapshot(new Path("/"));
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, step, 1);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, daily(crash))) {
      assertThatThrownBy(() -> driver.execute(ConvertCluster.contiguous("/root", CODE), "root"))
          .isInstanceOf(Crash.Death.class);
    }
    return bytes;
  }

  private void requireBlocksOfTheSnapshot(String path, byte[] bytes) throws Exception {
    DistributedFileSystem fs = cluster.fs();
    cluster.reportAll();
    Conditions.await("the NameNode's count", () -> fs.getMissingBlocksCount() == 0);
    assertThat(cluster.internalBlocks()).isPositive();
    assertThat(cluster.read(path)).isEqualTo(bytes);
    fs.deleteSnapshot(new Path("/"), "daily");
    Conditions.await("the blocks to go", () -> cluster.internalBlocks() == 0);
  }
}
