// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.EncryptionZones;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.job.TemporaryPlaces;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;

/** Tests the swap of one file against other users of an encryption zone. */
@Tag("full")
class ZoneSwapTest extends SwapCase {
  @Test
  void usersOfAZoneNeitherReadNorReplaceTemporaryFiles() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    EncryptionZones.make(cluster, "/zone");
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
    EncryptionZones.make(cluster, "/zone");
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
  void usesNoOtherDirectoryOfTheSuperuser() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    EncryptionZones.make(cluster, "/zone");
    cluster.write("/zone/a", 3 * BLOCK);
    fs.mkdirs(new Path("/zone/.Trash/alice"));
    fs.setPermission(new Path("/zone/.Trash"), new FsPermission((short) 01777));
    fs.rename(new Path("/zone/.Trash"), new Path("/zone/.stripeline-trash"));
    JobReport report =
        convert(ConvertCluster.contiguous("/zone", CODE), "trash", StepListener.NONE);
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).reason).contains("it is not empty");
    assertThat(fs.getFileStatus(new Path("/zone/.stripeline-trash")).getPermission())
        .isEqualTo(new FsPermission((short) 01777));
    assertThat(convert(ConvertCluster.contiguous("/zone", CODE), "next", StepListener.NONE))
        .extracting(JobReport::converted)
        .isEqualTo(1L);
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
}
