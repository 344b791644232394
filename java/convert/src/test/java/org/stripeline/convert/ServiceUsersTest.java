// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.terminal.ExitStatus;

/** Tests a conversion service with users who are no superusers: what they run, name and move. */
@Timeout(120)
class ServiceUsersTest extends ServiceTestCase {
  private static final FsPermission OPEN = new FsPermission((short) 0777);

  private int runAsEve(String... arguments) throws Exception {
    UserGroupInformation eve = UserGroupInformation.createUserForTesting("eve", new String[] {"x"});
    return eve.doAs((PrivilegedExceptionAction<Integer>) () -> run(arguments));
  }

  @Test
  void aUserWithoutRightsIsRefusedBeforeAnythingIsDone() throws Exception {
    Path home = new Path("/home-of-eve");
    cluster.fs().mkdirs(home);
    cluster.fs().setOwner(home, "eve", "x");
    rules(rule("own", "/home-of-eve", COPY));
    jobs = home + "/jobs";
    for (String how : Arrays.asList("--once", "--every=1h")) {
      assertThat(runAsEve("--execute", how)).as(err.toString()).isEqualTo(ExitStatus.USAGE);
      assertThat(err.toString()).contains("Cannot convert files of other owners");
    }
    assertThat(cluster.fs().listStatus(home)).isEmpty();
    jobs = JobDirectory.ROOT_DEFAULT;
    assertThat(runAsEve("--execute")).as(err.toString()).isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void aDirectoryOfJobsThatAUserCreatedFirstIsRefused() throws Exception {
    write("/squatted/a", 2, 3);
    rules(rule("squatted", "/squatted", COPY));
    Path open = new Path("/open-to-all");
    cluster.fs().mkdirs(open);
    cluster.fs().setPermission(open, OPEN);
    jobs = open + "/jobs";
    assertThat(run("--execute")).as(err.toString()).isEqualTo(ExitStatus.USAGE);
    cluster.fs().delete(new Path(jobs), true);
    // In a directory with a sticky bit, users cannot replace what is not theirs.
    cluster.fs().setPermission(open, new FsPermission((short) 01777));
    cluster.fs().mkdirs(new Path(jobs));
    cluster.fs().setOwner(new Path(jobs), "eve", "x");
    cluster.fs().setPermission(new Path(jobs), JobDirectory.PRIVATE);
    assertThat(run("--execute")).as(err.toString()).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("belongs to eve");
    assertThat(isConverted("/squatted/a")).isFalse();
  }

  @Test
  void strangeNamesAreOnlyNames() throws Exception {
    List<String> names =
        new ArrayList<>(
            Arrays.asList(
                "a\nb", "x*y", "[q]", "{c,d}", "'\"", "back\\slash", " ", "$(id)", "%20", "-rf"));
    names.add("\u001b[2J\u202e");
    names.add("n".repeat(255));
    Map<String, byte[]> before = new TreeMap<>();
    for (String name : names) {
      String path = "/strange/" + name + "/" + name;
      write(path, 2, 3);
      before.put(path, cluster.read(path));
    }
    write("/strange/xzy/other", 2, 3);
    rules(
        rule("leave", "/strange/x\\*y", "<leave/>"),
        rule("one", "/strange/?q]", COPY),
        rule("all", "/strange/*", COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).as(said.toString()).isEqualTo(ExitStatus.SOUND);
    }
    assertThat(isConverted("/strange/xzy/other")).isTrue();
    for (Map.Entry<String, byte[]> file : before.entrySet()) {
      boolean isLeft = file.getKey().contains("x*y");
      assertThat(isConverted(file.getKey())).as(file.getKey()).isEqualTo(!isLeft);
      assertThat(cluster.read(file.getKey())).isEqualTo(file.getValue());
    }
  }

  @Test
  void aFileThatIsMovedToAnotherRuleAfterItWasChosenIsLeftToThat() throws Exception {
    write("/moved/a", 4, 3);
    write("/moved/b", 3, 3);
    write("/moved/c", 2, 3);
    cluster.fs().mkdirs(new Path("/moved/keep"));
    rules(rule("keep", "/moved/keep", "<leave/>"), rule("rest", "/moved", COPY));
    listener =
        (step, path) -> {
          if (step == Step.CHECKED && path.equals("/moved/a")) {
            try {
              cluster.fs().rename(new Path("/moved/c"), new Path("/moved/keep/c"));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };
    try (DistributedFileSystem fs = cluster.client()) {
      service(fs).serve(0);
    }
    // The next file may be judged before the one in progress has ended, and is followed.
    assertThat(swapped).containsExactly("/moved/a", "/moved/b");
    assertThat(isConverted("/moved/keep/c")).isFalse();
  }

  @Test
  void snapshotsAndQuotasUnderARuleDoNotStopTheOthers() throws Exception {
    write("/kinds/full/a", 2, 3);
    write("/kinds/kept/a", 2, 3);
    write("/kinds/plain/a", 2, 3);
    cluster.fs().allowSnapshot(new Path("/kinds/kept"));
    cluster.fs().createSnapshot(new Path("/kinds/kept"), "s");
    long used = cluster.fs().getContentSummary(new Path("/kinds/full")).getSpaceConsumed();
    cluster.fs().setQuota(new Path("/kinds/full"), 2, used);
    rules(
        rule("snapshot", "/kinds/kept/.snapshot/s", COPY),
        rule("reserved", "/.reserved/raw/kinds", COPY),
        rule("rest", "/kinds", COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).isEqualTo(ExitStatus.FAILED);
      assertThat(said.toString())
          .contains("it is in a snapshot")
          .contains("it is another name of a tree");
      assertThat(swapped).containsExactlyInAnyOrder("/kinds/full/a", "/kinds/plain/a");
      assertThat(isConverted("/kinds/kept/a")).isFalse();
    } finally {
      cluster.fs().deleteSnapshot(new Path("/kinds/kept"), "s");
    }
  }
}
