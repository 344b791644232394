// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/** Tests the swap of one file: snapshots, slow drivers, and jobs of other users. */
@Tag("full")
class SwapTest extends SwapCase {
  /**
   * An inode that is replaced while it is open stays open in its snapshots, and is not replicated.
   */
  @Test
  void snapshotsKeepWholeFiles() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/snap/a", 3 * BLOCK + 17);
    fs.allowSnapshot(new Path("/snap"));
    fs.createSnapshot(new Path("/snap"), "one");
    JobSettings settings = ConvertCluster.contiguous("/snap", CODE);
    settings.rules.includeSnapshotted = true;
    assertThat(convert(settings, "snap", StepListener.NONE).failures()).isEmpty();

    cluster.mini.restartNameNode();
    cluster.mini.waitActive();
    String kept = "/snap/.snapshot/one/a";
    for (int lost = 0; lost < 3; lost++) {
      List<LocatedBlock> blocks = cluster.blocks(kept);
      LocatedBlock last = blocks.get(blocks.size() - 1);
      assertThat(last.getLocations()).hasSizeGreaterThanOrEqualTo(3);
      DatanodeInfo victim = last.getLocations()[0];
      cluster.mini.stopDataNode(victim.getXferAddr());
      cluster.mini.setDataNodeDead(victim);
      Conditions.await("another replica", () -> isReplicatedWithout(kept, victim));
      cluster.addDataNode(directory.resolve("added" + lost), "/rack9");
    }
    assertThat(cluster.read(kept)).isEqualTo(bytes);
    assertThat(cluster.read("/snap/a")).isEqualTo(bytes);
  }

  /**
   * Users may delete or replace a file during the hours that its conversion takes. The snapshot is
   * taken before the job or during it, or the file is renamed after it.
   */
  @ParameterizedTest
  @ValueSource(strings = {"before", "during", "renamed"})
  void snapshotsKeepWholeFilesThatUsersDeleteDuringTheJob(String snapshot) throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/old/a", 3 * BLOCK + 17);
    Path old = new Path("/old");
    fs.allowSnapshot(old);
    boolean isDuring = snapshot.equals("during");
    if (!isDuring) {
      fs.createSnapshot(old, "one");
    }
    if (snapshot.equals("renamed")) {
      fs.rename(new Path(old, "a"), new Path(old, "b"));
    }
    JobSettings settings = ConvertCluster.contiguous("/old", CODE);
    settings.rules.includeSnapshotted = true;
    StepListener user =
        (step, path) -> {
          if (step == Step.CREATED && isDuring) {
            doing(() -> fs.createSnapshot(old, "one"));
          } else if (step == Step.MADE) {
            doing(() -> fs.delete(new Path(path), false));
          }
        };
    assertThat(convert(settings, "old", user).failures()).hasSize(1);

    checkpointAndRestart();
    String kept = "/old/.snapshot/one/a";
    List<LocatedBlock> blocks = cluster.blocks(kept);
    DatanodeInfo victim = blocks.get(blocks.size() - 1).getLocations()[0];
    cluster.mini.stopDataNode(victim.getXferAddr());
    cluster.mini.setDataNodeDead(victim);
    Conditions.await("another replica", () -> isReplicatedWithout(kept, victim));
    assertThat(cluster.read(kept)).isEqualTo(bytes);
  }

  /** In an fsimage, the last block of an open file is under construction. */
  @Test
  void swapsAFileThatWasOpenWhenTheNameNodeStartedFromAnImage() throws Exception {
    byte[] bytes = cluster.write("/image/a", 3 * BLOCK + 17);
    StepListener operator =
        (step, path) -> {
          if (step == Step.SWAP_NAMED) {
            doing(
                () -> {
                  checkpointAndRestart();
                  return null;
                });
          }
        };
    JobReport report = convert(ConvertCluster.contiguous("/image", CODE), "image", operator);
    assertThat(report.failures()).isEmpty();
    assertThat(cluster.policy("/image/a")).isNotNull();
    assertThat(cluster.read("/image/a")).isEqualTo(bytes);
  }

  private void checkpointAndRestart() throws IOException {
    NameNode namenode = cluster.mini.getNameNode();
    NameNodeAdapter.enterSafeMode(namenode, false);
    NameNodeAdapter.saveNamespace(namenode);
    NameNodeAdapter.leaveSafeMode(namenode);
    cluster.mini.restartNameNode();
    cluster.mini.waitActive();
  }

  private boolean isReplicatedWithout(String path, DatanodeInfo node) throws IOException {
    for (LocatedBlock block : cluster.blocks(path)) {
      if (ConvertCluster.isOn(block, node) || block.getLocations().length < 3) {
        return false;
      }
    }
    return true;
  }

  @Test
  void leavesAFileOfWhichASnapshotIsTakenDuringTheJob() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/late/a", 3 * BLOCK);
    fs.allowSnapshot(new Path("/late"));
    fs.createSnapshot(new Path("/late"), "before");
    fs.delete(new Path("/late/a"), false);
    cluster.write("/late/a", 3 * BLOCK);
    FileStatus before = fs.getFileStatus(new Path("/late/a"));
    StepListener operator =
        (step, path) -> {
          if (step == Step.MADE) {
            doing(() -> fs.createSnapshot(new Path("/late"), "during"));
          }
        };
    JobReport report = convert(ConvertCluster.contiguous("/late", CODE), "late", operator);
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).reason).contains("a snapshot was taken");
    assertThat(cluster.policy("/late/a")).isNull();
    assertThat(cluster.read("/late/a")).isEqualTo(bytes);
    FileStatus after = fs.getFileStatus(new Path("/late/a"));
    assertThat(after.getPermission()).isEqualTo(before.getPermission());
    assertThat(after.getModificationTime()).isEqualTo(before.getModificationTime());
    assertThat(cluster.internalBlocks()).isZero();
  }

  /** The old snapshot is deleted, and a new one gets its name. */
  @Test
  void leavesAFileOfWhichASnapshotIsTakenUnderANameThatIsKnown() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    fs.mkdirs(new Path("/latest"));
    fs.allowSnapshot(new Path("/latest"));
    fs.createSnapshot(new Path("/latest"), "latest");
    cluster.write("/latest/a", 3 * BLOCK);
    StepListener operator =
        (step, path) -> {
          if (step == Step.MADE) {
            doing(
                () -> {
                  fs.deleteSnapshot(new Path("/latest"), "latest");
                  return fs.createSnapshot(new Path("/latest"), "latest");
                });
          }
        };
    JobReport report = convert(ConvertCluster.contiguous("/latest", CODE), "latest", operator);
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).reason).contains("a snapshot was taken");
    assertThat(cluster.policy("/latest/a")).isNull();
  }

  /** The inode ids of these paths lead to the files in the current tree. */
  @Test
  void refusesPathsThatLeadToOtherFiles() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    cluster.write("/tree/a", 3 * BLOCK);
    fs.allowSnapshot(new Path("/tree"));
    fs.createSnapshot(new Path("/tree"), "one");
    for (String path :
        new String[] {"/tree/.snapshot/one", "/tree/.snapshot", "/.reserved/raw/tree"}) {
      assertThatThrownBy(
              () -> convert(ConvertCluster.contiguous(path, CODE), "tree", StepListener.NONE))
          .as(path)
          .isInstanceOf(RefusedException.class);
    }
    assertThat(cluster.policy("/tree/a")).isNull();
  }

  /** Hours may pass between the listing of a page and the conversion of its last file. */
  @Test
  void keepsAccessTimesFromAfterTheListing() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    long accessed = 1_000_000_000_000L;
    for (String name : new String[] {"converted", "left"}) {
      cluster.write("/times/" + name, 3 * BLOCK);
    }
    StepListener user =
        (step, path) -> {
          if (step == Step.CHECKED) {
            doing(
                () -> {
                  fs.setTimes(new Path(path), -1, accessed);
                  return null;
                });
          } else if (step == Step.MADE && path.endsWith("left")) {
            throw new IllegalStateException("left");
          }
        };
    assertThat(convert(ConvertCluster.contiguous("/times", CODE), "times", user).failed())
        .isEqualTo(1);
    assertThat(fs.getFileStatus(new Path("/times/converted")).getAccessTime()).isEqualTo(accessed);
    assertThat(fs.getFileStatus(new Path("/times/left")).getAccessTime()).isEqualTo(accessed);
  }

  /** A driver that was paused after the last check repeats it before the rename. */
  @Test
  void checksAgainWhenTooMuchTimeHasPassed() throws Exception {
    byte[] bytes = cluster.write("/slow/a", 3 * BLOCK);
    byte[] more = "written by a superuser while the driver was paused".getBytes();
    AtomicInteger looks = new AtomicInteger();
    AtomicLong pausedNanos = new AtomicLong();
    Ticker ticker = () -> System.nanoTime() + pausedNanos.get();
    StepListener pause =
        (step, path) -> {
          if (step == Step.LOOKED && looks.incrementAndGet() == 1) {
            doing(
                () -> {
                  try (FSDataOutputStream out = cluster.fs().append(new Path(path))) {
                    out.write(more);
                  }
                  return pausedNanos.addAndGet(Swap.LOOK_NANOS);
                });
          }
        };
    JobReport report = convert(ConvertCluster.contiguous("/slow", CODE), "slow", pause, ticker);
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).reason).contains("written to");
    byte[] all = Arrays.copyOf(bytes, bytes.length + more.length);
    System.arraycopy(more, 0, all, bytes.length, more.length);
    assertThat(cluster.read("/slow/a")).isEqualTo(all);
    assertThat(cluster.fs().getFileStatus(new Path("/slow/a")).getPermission())
        .isEqualTo(new FsPermission((short) 0644));
  }

  /**
   * The inode path of a file that exists only in a snapshot leads to the file that is now at its
   * path.
   */
  @Test
  void doesNotReplaceAFileThatTookThePathOfADeletedFile() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    for (Step step : EnumSet.range(Step.CHECKED, Step.FENCE_ENDED)) {
      cluster.write("/path/" + step, 2 * BLOCK);
    }
    fs.allowSnapshot(new Path("/path"));
    fs.createSnapshot(new Path("/path"), "one");
    Map<String, byte[]> fresh = new TreeMap<>();
    StepListener user =
        (step, path) -> {
          if (path.equals("/path/" + step)) {
            doing(
                () -> {
                  fs.delete(new Path(path), false);
                  fresh.put(path, cluster.write(path, BLOCK / 2));
                  return null;
                });
          }
        };
    JobSettings settings = ConvertCluster.contiguous("/path", CODE);
    settings.rules.includeSnapshotted = true;
    settings.filesAtOnce = 1;
    convert(settings, "path", user);
    assertThat(fresh).isNotEmpty();
    for (Map.Entry<String, byte[]> file : fresh.entrySet()) {
      assertThat(cluster.read(file.getKey())).as(file.getKey()).isEqualTo(file.getValue());
      assertThat(fs.getFileStatus(new Path(file.getKey())).getPermission())
          .isEqualTo(new FsPermission((short) 0644));
    }
  }

  /** With a forged journal, a user could make a superuser's job delete or replace any file. */
  @Test
  void resumesNoJobOfAnotherUser() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    cluster.write("/own/a", 3 * BLOCK);
    for (String root : new String[] {"/tmp/theirs", "/tmp/open", "/home/alice/jobs"}) {
      fs.mkdirs(new Path(root + "/job/tmp"));
      fs.create(new Path(root + "/job/journal")).close();
      fs.setPermission(new Path(root), new FsPermission((short) 0700));
    }
    fs.setOwner(new Path("/tmp/theirs"), "mallory", "people");
    fs.setPermission(new Path("/tmp/open"), new FsPermission((short) 0702));
    fs.setOwner(new Path("/home/alice"), "alice", "people");
    for (String root : new String[] {"/tmp/theirs", "/tmp/open", "/home/alice/jobs"}) {
      DistributedFileSystem client = cluster.client();
      try (Driver driver = new Driver(client, root, JobObserver.NONE, StepListener.NONE)) {
        assertThatThrownBy(() -> driver.execute(ConvertCluster.contiguous("/own", CODE), "own"))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("--job-directory");
        assertThatThrownBy(() -> driver.resume("/own", null, new JobTuning()))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("--job-directory");
      }
    }
    for (String name : new String[] {"a/b", "..", ""}) {
      assertThatThrownBy(
              () -> convert(ConvertCluster.contiguous("/own", CODE), name, StepListener.NONE))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("a name has letters");
    }
    assertThat(cluster.policy("/own/a")).isNull();
  }
}
