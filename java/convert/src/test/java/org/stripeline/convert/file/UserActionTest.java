// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.OpenFilesIterator.OpenFilesType;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.EncryptionZones;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.Origin;

/**
 * Tests that an action of a file's owner at any step of its conversion is neither lost nor undone.
 * One job converts one file for each action at each step.
 */
@Tag("full")
class UserActionTest {

  /** Small, since hundreds of files are converted; two whole stripes and a part are left. */
  private static final int BLOCK = 256 << 10;

  private static final int BYTES = 2 * BLOCK + 777;
  private static final byte[] APPENDED = "appended".getBytes();
  private static final byte[] REPLACEMENT = "another file of that name".getBytes();

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;
  private static UserGroupInformation alice;
  private static DistributedFileSystem hers;

  /** The actions of a user on a file. */
  private enum Action {
    RENAME,
    RENAME_AND_CREATE,
    DELETE,
    DELETE_AND_CREATE,
    REPLACE_DIRECTORY,
    APPEND,
    RECOVER_AND_APPEND,
    TRUNCATE,
    CHMOD,
    SET_ACL,
    REMOVE_ACL,
    SET_XATTR,
    REMOVE_XATTR,
    SET_REPLICATION,
    SET_TIMES;

    /** Returns whether the action changes an attribute and requires write permission. */
    boolean needsWrite() {
      return compareTo(SET_XATTR) >= 0;
    }

    /** Returns whether the action changes rights or attributes of the file. */
    boolean isAboutAttributes() {
      return compareTo(CHMOD) >= 0;
    }
  }

  /** Steps that every conversion passes, in both layouts. */
  private static final List<Step> STEPS =
      Collections.unmodifiableList(
          Arrays.asList(
              Step.CHECKED,
              Step.BEGUN,
              Step.CREATED,
              Step.MADE,
              Step.VERIFIED,
              Step.ATTRIBUTED,
              Step.FENCED,
              Step.SWAP_NAMED,
              Step.PROTECTED,
              Step.FENCE_ENDED,
              Step.LOOKED,
              Step.SWAPPED,
              Step.ENDED));

  /** The steps at which the result of a user's action can differ. */
  private static final Set<Step> FEW =
      EnumSet.of(
          Step.CHECKED, Step.MADE, Step.FENCED, Step.SWAP_NAMED, Step.FENCE_ENDED, Step.LOOKED);

  /** One file, with its expected content. */
  private static final class Case {
    final Action action;
    final Step step;
    final byte[] original;
    byte[] bytes;
    boolean isDone;

    /** Whether the action was denied. */
    boolean isRefused;

    Case(Action action, Step step, byte[] bytes) {
      this.action = action;
      this.step = step;
      this.original = bytes;
      this.bytes = bytes;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    cluster =
        new ConvertCluster(
            directory.resolve("hdfs"),
            8,
            4,
            conf -> {
              conf.set(
                  "dfs.datanode.plugins", "org.apache.hadoop.hdfs.server.datanode.StripelineAgent");
              EncryptionZones.configure(conf, directory);
            });
    alice = UserGroupInformation.createUserForTesting("alice", new String[] {"staff"});
    hers =
        alice.doAs(
            (PrivilegedExceptionAction<DistributedFileSystem>)
                () ->
                    (DistributedFileSystem) FileSystem.newInstance(cluster.uri(), cluster.conf()));
  }

  @AfterAll
  static void stop() throws IOException {
    hers.close();
    cluster.close();
  }

  /** Creates a file for each action at each step that is tested. */
  private Map<String, Case> cases(Path root, Collection<Step> steps, String place)
      throws IOException {
    Map<String, Case> cases = new TreeMap<>();
    for (Action action : Action.values()) {
      for (Step step : steps) {
        if (isTested(action, step, place)) {
          Path file = new Path(root, action + "-" + step);
          if (action == Action.REPLACE_DIRECTORY) {
            file = new Path(file, "a");
          }
          cases.put(file.toUri().getPath(), new Case(action, step, create(file)));
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @CsvSource({"STRIPED,plain", "CONTIGUOUS,plain", "CONTIGUOUS,snapshots"})
  void isNeitherLostNorUndone(Layout layout, String place) throws Exception {
    boolean isSimple = layout == Layout.CONTIGUOUS && place.equals("plain");
    convertDuringActions(layout, place, isSimple ? STEPS : FEW);
  }

  @Test
  @Tag("conformance")
  void isNeitherLostNorUndoneAtAnyStepUnderSnapshots() throws Exception {
    convertDuringActions(Layout.CONTIGUOUS, "snapshots", STEPS);
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  @Tag("conformance")
  void isNeitherLostNorUndoneInAnEncryptionZone(Layout layout) throws Exception {
    convertDuringActions(layout, "zone", FEW);
  }

  private void convertDuringActions(Layout layout, String place, Collection<Step> steps)
      throws Exception {
    Path root = new Path("/" + layout + "-" + place + "-" + steps.size());
    prepare(root, place);
    Map<String, Case> cases = cases(root, steps, place);
    if (place.equals("snapshots")) {
      cluster.fs().allowSnapshot(root);
      cluster.fs().createSnapshot(root, "one");
    }
    Map<String, Throwable> failures = new ConcurrentHashMap<>();
    StepListener user =
        (step, path) -> {
          Case one = cases.get(path);
          if (one != null && one.step == step && !one.isDone) {
            one.isDone = true;
            try {
              act(one, new Path(path));
            } catch (AccessControlException e) {
              one.isRefused = true;
            } catch (Exception e) {
              failures.put(path, e);
            }
          }
        };
    JobSettings settings =
        layout == Layout.STRIPED
            ? ConvertCluster.striped(root.toString(), "RS-3-2")
            : ConvertCluster.contiguous(root.toString(), "RS-3-2");
    settings.rules.includeSnapshotted = place.equals("snapshots");
    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, user)) {
      report = driver.execute(settings, root.getName());
    }

    assertThat(failures).isEmpty();
    // Only while the file is protected, and only actions that need write permission.
    for (Case one : cases.values()) {
      assertThat(one.isRefused)
          .as(one.action + " at " + one.step)
          .isEqualTo(one.action.needsWrite() && isProtected(one.step));
    }
    for (Map.Entry<String, Case> entry : cases.entrySet()) {
      assertRight(entry.getKey(), entry.getValue());
    }
    assertThat(report.converted()).isGreaterThan(cases.size() / 2);
    assertThat(cluster.temporaries()).isEmpty();
    assertThat(
            cluster
                .fs()
                .listOpenFiles(EnumSet.of(OpenFilesType.ALL_OPEN_FILES), root.toString())
                .hasNext())
        .isFalse();
    for (FileStatus file : cluster.fs().listStatus(root)) {
      assertThat(file.isFile()).as(file.getPath().toString()).isTrue();
    }
    if (place.equals("snapshots")) {
      for (Map.Entry<String, Case> entry : cases.entrySet()) {
        String kept = root + "/.snapshot/one" + entry.getKey().substring(root.toString().length());
        assertThat(cluster.read(kept)).isEqualTo(entry.getValue().original);
      }
    }
  }

  private static boolean isProtected(Step step) {
    return step.compareTo(Step.PROTECTED) >= 0 && step.compareTo(Step.LOOKED) <= 0;
  }

  /**
   * Returns whether an action is tested. Rights that are changed between the last check and the
   * rename are lost, and a file that replaces one that exists only in a snapshot is overwritten, as
   * documented in docs/user/convert.md.
   */
  private static boolean isTested(Action action, Step step, String place) {
    boolean isOpen = step == Step.LOOKED;
    if (action.isAboutAttributes()) {
      return !isOpen;
    }
    return !(isOpen && place.equals("snapshots") && action == Action.DELETE_AND_CREATE)
        && !(isOpen && place.equals("snapshots") && action == Action.DELETE);
  }

  private static void prepare(Path root, String place) throws Exception {
    DistributedFileSystem fs = cluster.fs();
    fs.mkdirs(root);
    if (place.equals("zone")) {
      EncryptionZones.make(cluster, root.toString());
    }
    fs.setOwner(root, "alice", "staff");
    fs.setPermission(root, new FsPermission((short) 0700));
  }

  private static byte[] create(Path file) throws IOException {
    byte[] bytes = ConvertCluster.bytes(file.toString().hashCode(), BYTES);
    write(file, bytes);
    hers.setPermission(file, new FsPermission((short) 0664));
    hers.setXAttr(file, "user.colour", "blue".getBytes());
    hers.modifyAclEntries(file, AclEntry.parseAclSpec("user:bob:rw-", true));
    return bytes;
  }

  private static void write(Path file, byte[] bytes) throws IOException {
    try (FSDataOutputStream out = hers.create(file, true, 4096, (short) 3, BLOCK)) {
      out.write(bytes);
    }
  }

  private static void act(Case one, Path file) throws Exception {
    switch (one.action) {
      case RENAME:
        hers.rename(file, away(file));
        break;
      case RENAME_AND_CREATE:
        hers.rename(file, away(file));
        write(file, REPLACEMENT);
        break;
      case DELETE:
        hers.delete(file, false);
        break;
      case DELETE_AND_CREATE:
        hers.delete(file, false);
        write(file, REPLACEMENT);
        break;
      case REPLACE_DIRECTORY:
        hers.delete(file.getParent(), true);
        write(file.getParent(), REPLACEMENT);
        break;
      case RECOVER_AND_APPEND:
        recover(file);
        append(one, file);
        break;
      case APPEND:
        append(one, file);
        break;
      case TRUNCATE:
        truncate(one, file);
        break;
      case CHMOD:
        hers.setPermission(file, new FsPermission((short) 0400));
        break;
      case SET_ACL:
        hers.setAcl(file, AclEntry.parseAclSpec("user::rw-,group::r--,other::---", true));
        break;
      case REMOVE_ACL:
        hers.removeAcl(file);
        break;
      case SET_XATTR:
        hers.setXAttr(file, "user.colour", "red".getBytes());
        break;
      case REMOVE_XATTR:
        hers.removeXAttr(file, "user.colour");
        break;
      case SET_REPLICATION:
        hers.setReplication(file, (short) 2);
        break;
      case SET_TIMES:
        hers.setTimes(file, 1_000_000_000_000L, -1);
        break;
      default:
        throw new AssertionError(one.action);
    }
  }

  private static Path away(Path file) {
    return new Path(file.getParent(), file.getName() + ".away");
  }

  /** A refused append is acceptable, since the user is informed. */
  private static void append(Case one, Path file) {
    try {
      try (FSDataOutputStream out = hers.append(file)) {
        out.write(APPENDED);
      }
    } catch (IOException | UnsupportedOperationException e) {
      return;
    }
    one.bytes = Arrays.copyOf(one.original, BYTES + APPENDED.length);
    System.arraycopy(APPENDED, 0, one.bytes, BYTES, APPENDED.length);
  }

  private static void recover(Path file) throws Exception {
    try {
      hers.recoverLease(file);
    } catch (IOException e) {
      return;
    }
  }

  private static void truncate(Case one, Path file) {
    try {
      hers.truncate(file, BLOCK);
    } catch (IOException | UnsupportedOperationException e) {
      return;
    }
    one.bytes = Arrays.copyOf(one.original, BLOCK);
  }

  private static void assertRight(String path, Case one) throws Exception {
    assertThat(one.isDone).as(path).isTrue();
    Path file = new Path(path);
    switch (one.action) {
      case RENAME:
        assertThat(cluster.fs().exists(file)).as(path).isFalse();
        assertBytes(away(file), one.bytes);
        assertRights(away(file), one);
        break;
      case RENAME_AND_CREATE:
        assertBytes(file, REPLACEMENT);
        assertBytes(away(file), one.bytes);
        assertRights(away(file), one);
        break;
      case DELETE:
        assertThat(cluster.fs().exists(file)).as(path).isFalse();
        break;
      case DELETE_AND_CREATE:
        assertBytes(file, REPLACEMENT);
        break;
      case REPLACE_DIRECTORY:
        assertBytes(file.getParent(), REPLACEMENT);
        break;
      default:
        assertBytes(file, one.bytes);
        assertRights(file, one);
        break;
    }
  }

  private static void assertBytes(Path file, byte[] bytes) throws IOException {
    assertThat(cluster.read(file.toUri().getPath())).as(file.toString()).isEqualTo(bytes);
  }

  private static void assertRights(Path file, Case one) throws IOException {
    DistributedFileSystem fs = cluster.fs();
    FileStatus status = fs.getFileStatus(file);
    assertThat(status.getOwner()).isEqualTo("alice");
    boolean hasAcl = one.action != Action.SET_ACL && one.action != Action.REMOVE_ACL;
    assertThat(status.hasAcl()).as(file.toString()).isEqualTo(hasAcl);
    short mode = status.getPermission().toShort();
    List<Integer> right = new ArrayList<>();
    right.add(0664);
    if (one.action == Action.CHMOD) {
      right.set(0, 0400);
    } else if (one.action == Action.SET_ACL) {
      right.set(0, 0640);
    }
    assertThat((int) mode).as(file.toString()).isIn(right);
    String colour = one.isRefused ? "blue" : colourAfter(one.action);
    byte[] value = fs.getXAttrs(file).get("user.colour");
    assertThat(value == null ? null : new String(value)).as(file.toString()).isEqualTo(colour);
    if (one.isRefused) {
      return;
    }
    if (one.action == Action.SET_REPLICATION && one.step.compareTo(Step.LOOKED) < 0) {
      int replication =
          status.isErasureCoded()
              ? Origin.replication(fs.getXAttrs(file))
              : status.getReplication();
      assertThat(replication).as(file.toString()).isEqualTo(2);
    }
    if (one.action == Action.SET_TIMES) {
      assertThat(status.getModificationTime()).as(file.toString()).isEqualTo(1_000_000_000_000L);
    }
  }

  private static String colourAfter(Action action) {
    if (action == Action.REMOVE_XATTR) {
      return null;
    }
    return action == Action.SET_XATTR ? "red" : "blue";
  }
}
