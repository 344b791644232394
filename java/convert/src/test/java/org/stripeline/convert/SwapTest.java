// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.CreateEncryptionZoneFlag;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.file.Swap;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.job.TemporaryPlaces;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;

/** Tests the swap of one file: snapshots, slow drivers, and other users of an encryption zone. */
class SwapTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster =
        new ConvertCluster(
            directory.resolve("hdfs"),
            7,
            4,
            conf -> {
              conf.set("dfs.datanode.plugins", ContiguousConversionTest.PLUGIN);
              LateCalls.install(conf);
              // A transfer between DataNodes may fail; by default, Hadoop waits five minutes before
              // it schedules another.
              conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 5);
              conf.set(
                  "hadoop.security.key.provider.path",
                  "jceks://file" + directory.resolve("keys.jks"));
            });
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private JobReport convert(JobSettings settings, String job, StepListener listener)
      throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.execute(settings, job);
    }
  }

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
      ConvertCluster.await("another replica", () -> isReplicatedWithout(kept, victim));
      cluster.addDataNode(directory.resolve("added" + lost), "/rack9");
    }
    assertThat(cluster.read(kept)).isEqualTo(bytes);
    assertThat(cluster.read("/snap/a")).isEqualTo(bytes);
  }

  /** Users may delete or replace a file during the hours that its conversion takes. */
  @Test
  void snapshotsKeepWholeFilesThatUsersDeleteDuringTheJob() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/old/a", 3 * BLOCK + 17);
    fs.allowSnapshot(new Path("/old"));
    fs.createSnapshot(new Path("/old"), "one");
    JobSettings settings = ConvertCluster.contiguous("/old", CODE);
    settings.rules.includeSnapshotted = true;
    StepListener user =
        (step, path) -> {
          if (step == Step.MADE) {
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
    ConvertCluster.await("another replica", () -> isReplicatedWithout(kept, victim));
    assertThat(cluster.read(kept)).isEqualTo(bytes);
  }

  /** In an fsimage, the last block of an open file is under construction. */
  @Test
  void swapsAFileThatWasOpenWhenTheNameNodeStartedFromAnImage() throws Exception {
    byte[] bytes = cluster.write("/image/a", 3 * BLOCK + 17);
    StepListener operator =
        (step, path) -> {
          if (step == Step.MADE) {
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
  void looksAgainWhenTooMuchTimeIsGone() throws Exception {
    byte[] bytes = cluster.write("/slow/a", 3 * BLOCK);
    byte[] more = "written by a superuser while the driver was paused".getBytes();
    AtomicInteger looks = new AtomicInteger();
    StepListener pause =
        (step, path) -> {
          if (step == Step.LOOKED && looks.incrementAndGet() == 1) {
            doing(
                () -> {
                  long start = System.nanoTime();
                  try (FSDataOutputStream out = cluster.fs().append(new Path(path))) {
                    out.write(more);
                  }
                  ConvertCluster.await(
                      "the end of a pause", () -> System.nanoTime() - start > Swap.LOOK_NANOS);
                  return null;
                });
          }
        };
    JobReport report = convert(ConvertCluster.contiguous("/slow", CODE), "slow", pause);
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
  void sparesAFileThatTookThePathOfADeletedOne() throws Exception {
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

  @Test
  void usersOfAZoneNeitherReadNorReplaceTemporaryFiles() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    makeZone();
    fs.setPermission(new Path("/zone"), new FsPermission((short) 0777));
    fs.setAcl(
        new Path("/zone"),
        AclEntry.parseAclSpec(
            "user::rwx,group::rwx,other::rwx,default:user:mallory:rwx,default:user::rwx,"
                + "default:group::rwx,default:other::rwx",
            true));
    fs.mkdirs(new Path("/zone/guarded"), new FsPermission((short) 0700));
    fs.setAcl(
        new Path("/zone/guarded"), AclEntry.parseAclSpec("user::rwx,group::---,other::---", true));
    fs.removeDefaultAcl(new Path("/zone/guarded"));
    byte[] bytes = cluster.write("/zone/guarded/a", 3 * BLOCK);
    fs.setPermission(new Path("/zone/guarded/a"), new FsPermission((short) 0666));
    byte[] stolen = cluster.write("/zone/guarded/b", 3 * BLOCK + 1);
    UserGroupInformation mallory =
        UserGroupInformation.createUserForTesting("mallory", new String[] {"people"});
    AtomicInteger renamed = new AtomicInteger();
    StepListener attack =
        (step, path) -> {
          if (step.compareTo(Step.CREATED) < 0 || step.compareTo(Step.LOOKED) > 0) {
            return;
          }
          doing(
              () ->
                  mallory.doAs(
                      (PrivilegedExceptionAction<Void>)
                          () -> {
                            attack(path.endsWith("/b") && step == Step.MADE, renamed);
                            return null;
                          }));
        };
    JobSettings settings = ConvertCluster.contiguous("/zone", CODE);
    settings.filesAtOnce = 1;
    JobReport report = convert(settings, "zone", attack);

    assertThat(report.failures()).isEmpty();
    assertThat(renamed.get()).isEqualTo(1);
    assertThat(cluster.read("/zone/guarded/a")).isEqualTo(bytes);
    assertThat(cluster.read("/zone/guarded/b")).isEqualTo(stolen);
    assertThat(cluster.policy("/zone/guarded/a")).isNotNull();
    assertThat(cluster.policy("/zone/guarded/b")).isNotNull();
    assertThat(fs.exists(new Path("/zone/moved"))).as("directory of the job").isFalse();
  }

  /**
   * The key of a temporary file can only be set by path, and users can replace the file at that
   * path.
   */
  @Test
  void usersOfAZoneGetNoKeySetOnOtherFiles() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    makeZone();
    fs.setPermission(new Path("/zone"), new FsPermission((short) 0777));
    cluster.write("/zone/a/a", 3 * BLOCK);
    byte[] bytes = cluster.write("/zone/theirs", 1000);
    fs.setPermission(new Path("/zone/theirs"), new FsPermission((short) 0600));
    UserGroupInformation mallory =
        UserGroupInformation.createUserForTesting("mallory", new String[] {"people"});
    AtomicReference<String> moved = new AtomicReference<>();
    LateCalls.after(
        (command, path) -> {
          if (command.equals("create")
              && path.contains("/.stripeline-")
              && moved.compareAndSet(null, "")) {
            Path file = new Path(path.substring(TemporaryPlaces.RESERVED_RAW.length()));
            doing(
                () ->
                    mallory.doAs(
                        (PrivilegedExceptionAction<Void>)
                            () -> {
                              putInPlace(file);
                              return null;
                            }));
            moved.set(file.toString());
          }
        });
    convert(ConvertCluster.contiguous("/zone/a", CODE), "zone", StepListener.NONE);
    LateCalls.after((command, path) -> {});
    assertThat(moved.get()).isNotEmpty();
    assertThat(cluster.read(moved.get())).isEqualTo(bytes);
  }

  private void putInPlace(Path temporary) throws IOException {
    try (FileSystem fs = FileSystem.newInstance(cluster.uri(), cluster.conf())) {
      assertThat(fs.rename(temporary.getParent(), new Path("/zone/moved"))).isTrue();
      fs.mkdirs(temporary.getParent());
      assertThat(fs.rename(new Path("/zone/theirs"), temporary)).isTrue();
    }
  }

  @Test
  void takesNoOtherDirectoryOfTheSuperuserForItsOwn() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    makeZone();
    cluster.write("/zone/a", 3 * BLOCK);
    fs.mkdirs(new Path("/zone/.Trash/alice"));
    fs.setPermission(new Path("/zone/.Trash"), new FsPermission((short) 01777));
    fs.rename(new Path("/zone/.Trash"), new Path("/zone/.stripeline-trash"));
    JobReport report =
        convert(ConvertCluster.contiguous("/zone", CODE), "trash", StepListener.NONE);
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).reason).contains("there is something in it");
    assertThat(fs.getFileStatus(new Path("/zone/.stripeline-trash")).getPermission())
        .isEqualTo(new FsPermission((short) 01777));
    assertThat(convert(ConvertCluster.contiguous("/zone", CODE), "next", StepListener.NONE))
        .extracting(JobReport::converted)
        .isEqualTo(1L);
  }

  private void makeZone() throws Exception {
    KeyProvider keys = cluster.mini.getNameNode().getNamesystem().getProvider();
    KeyProvider.Options options = KeyProvider.options(cluster.conf());
    options.setBitLength(128);
    keys.createKey("key", options);
    keys.flush();
    cluster.fs().mkdirs(new Path("/zone"));
    new HdfsAdmin(cluster.uri(), cluster.conf())
        .createEncryptionZone(
            new Path("/zone"), "key", EnumSet.noneOf(CreateEncryptionZoneFlag.class));
  }

  /**
   * Tries to read the job's directory; if {@code moves}, renames it once and creates another in its
   * place.
   */
  private void attack(boolean moves, AtomicInteger renamed) throws Exception {
    try (FileSystem fs = FileSystem.newInstance(cluster.uri(), cluster.conf())) {
      for (FileStatus entry : fs.listStatus(new Path("/zone"))) {
        if (!entry.getPath().getName().startsWith(".stripeline-")
            || entry.getOwner().equals("mallory")) {
          continue;
        }
        assertThatThrownBy(() -> fs.listStatus(entry.getPath()))
            .isInstanceOf(AccessControlException.class);
        if (moves && renamed.getAndIncrement() == 0) {
          assertThat(fs.rename(entry.getPath(), new Path("/zone/moved"))).isTrue();
          fs.mkdirs(entry.getPath());
        }
      }
    }
  }

  /** With a forged journal, a user could make a superuser's job delete or replace any file. */
  @Test
  void takesUpNoJobThatAnotherUserHasMade() throws Exception {
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

  private interface Doing {
    Object call() throws Exception;
  }

  private static void doing(Doing what) {
    try {
      what.call();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
