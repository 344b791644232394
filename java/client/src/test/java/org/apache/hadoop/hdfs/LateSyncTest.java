// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.ClientKeys;

/** Syncs of files that are too large to become replicated, in directories of special kinds. */
@Tag("full")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LateSyncTest extends SyncCase {
  private static final int GROUP = 3 * (int) BLOCK;
  private static final int FIRST = STRIPE + CELL + 5;
  private static final int SECOND = FIRST + GROUP + STRIPE + 77;
  private static final int ALL = SECOND + STRIPE + 9;

  private static DistributedFileSystem late() throws IOException {
    return ours(conf -> conf.setInt(ClientKeys.WRITE_SYNC_SWITCH_MAX, STRIPE));
  }

  /** The edit log of all that the other tests did can be read. */
  @AfterAll
  static void theNameNodeStartsAgain() throws Exception {
    cluster.cluster.restartNameNode(0);
    cluster.cluster.waitActive();
  }

  /** Checks that a stock client and ours read the same bytes, at least those acknowledged. */
  private static int assertRead(Path file, int acknowledged) throws IOException {
    byte[] left = read(file);
    WriteCluster.assertPrefix(file.toString(), left, bytes(ALL), acknowledged);
    try (DistributedFileSystem ours =
        ours(conf -> conf.setBoolean(ClientKeys.READ_ENABLED, true))) {
      // An open file may be longer by now, because DataNodes have reported more blocks of it.
      WriteCluster.assertPrefix(file.toString(), read(ours, file), bytes(ALL), left.length);
    }
    return left.length;
  }

  private static void assertFailed(FSDataOutputStream out, Path file, int acknowledged)
      throws IOException {
    assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class);
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    assertRead(file, acknowledged);
    recover(fs, file);
    assertRead(file, acknowledged);
  }

  private static void assertSyncedAndClosed(Path file) throws IOException {
    DistributedFileSystem ours = late();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(ALL), 0, FIRST);
    out.hsync();
    assertThat(assertRead(file, FIRST)).isEqualTo(FIRST);
    out.write(bytes(ALL), FIRST, SECOND - FIRST);
    out.hflush();
    assertThat(assertRead(file, SECOND)).isEqualTo(SECOND);
    out.write(bytes(ALL), SECOND, ALL - SECOND);
    out.close();
    assertThat(fs.isFileClosed(file)).isTrue();
    assertThat(assertRead(file, ALL)).isEqualTo(ALL);
  }

  private static void assertDiesWithWhatWasSynced(Path file) throws IOException {
    DistributedFileSystem ours = late();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(ALL), 0, FIRST);
    out.hsync();
    out.write(bytes(ALL), FIRST, SECOND - FIRST);
    out.hsync();
    ours.getClient().closeAllFilesBeingWritten(true);
    recover(fs, file);
    assertRead(file, SECOND);
  }

  @Test
  void anEncryptionZone() throws Exception {
    Path zone = cluster.zone(file("late-zone"));
    assertSyncedAndClosed(in(zone, "closed"));
    assertDiesWithWhatWasSynced(in(zone, "dies"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"HOT", "WARM", "ONE_SSD", "ALL_SSD", "LAZY_PERSIST"})
  void aStoragePolicy(String policy) throws Exception {
    Path folder = folder("late-" + policy);
    fs.setStoragePolicy(folder, policy);
    assertSyncedAndClosed(in(folder, "closed"));
    assertDiesWithWhatWasSynced(in(folder, "dies"));
  }

  /** Each sync allocates a group, of which the whole space counts until the file is closed. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aQuotaThatIsReached(int groups) throws Exception {
    Path folder = folder("late-quota" + groups);
    Path file = in(folder, "log");
    FSDataOutputStream out = late().create(file);
    out.write(bytes(ALL), 0, FIRST);
    if (groups > 0) {
      out.hsync();
    }
    // A complete group counts with its data and parity, the open one with five whole blocks.
    fs.setQuota(folder, Long.MAX_VALUE - 1, groups * 5 * BLOCK + 1);
    int acknowledged = groups > 0 ? FIRST : 0;
    int done = FIRST;
    String said = null;
    for (int to : new int[] {FIRST + STRIPE + 1, SECOND, ALL}) {
      try {
        out.write(bytes(ALL), done, to - done);
        done = to;
        out.hsync();
        acknowledged = to;
      } catch (IOException e) {
        said = e.toString();
        break;
      }
    }
    assertThat(said).contains("quota of " + folder.toUri().getPath());
    assertFailed(out, file, acknowledged);
    fs.setQuota(folder, Long.MAX_VALUE - 1, Long.MAX_VALUE - 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void snapshotsBetweenGroups(boolean dies) throws Exception {
    Path folder = folder("late-snapshots" + dies);
    fs.allowSnapshot(folder);
    Path file = in(folder, "log");
    DistributedFileSystem ours = late();
    FSDataOutputStream out = ours.create(file);
    int done = 0;
    int[] sizes = {FIRST, SECOND, SECOND + 1, ALL};
    for (int size : sizes) {
      out.write(bytes(ALL), done, size - done);
      done = size;
      out.hsync();
      fs.createSnapshot(folder, "at" + size);
    }
    if (dies) {
      ours.getClient().closeAllFilesBeingWritten(true);
      recover(fs, file);
    } else {
      out.close();
    }
    fs.createSnapshot(folder, "end");
    for (boolean isDeleted : new boolean[] {false, true}) {
      if (isDeleted) {
        fs.delete(file, false);
        fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
        fs.getClient().saveNamespace(0, 0);
        fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
      }
      cluster.cluster.restartNameNode(0);
      cluster.cluster.waitActive();
      for (int size : sizes) {
        Path then = in(folder, ".snapshot/at" + size + "/log");
        // Unless HDFS is configured to capture open files, they grow in snapshots.
        assertRead(then, size);
      }
      assertThat(assertRead(in(folder, ".snapshot/end/log"), ALL)).isEqualTo(ALL);
    }
    for (int size : sizes) {
      fs.deleteSnapshot(folder, "at" + size);
    }
    assertThat(assertRead(in(folder, ".snapshot/end/log"), ALL)).isEqualTo(ALL);
  }

  @ParameterizedTest
  @EnumSource(SealedGroups.Step.class)
  void aNameNodeInSafeMode(SealedGroups.Step step) throws Exception {
    Path file = in(folder("late-safe-" + step), "log");
    FSDataOutputStream out = late().create(file);
    out.write(bytes(ALL), 0, FIRST);
    out.hsync();
    out.write(bytes(ALL), FIRST, SECOND - FIRST);
    ((DurableOutputStream) out.getWrappedStream())
        .seals()
        .setListener(
            begun -> {
              if (begun == step) {
                fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
              }
            });
    try {
      if (step == SealedGroups.Step.PARITY) {
        out.hsync();
      } else {
        assertThatThrownBy(out::hsync)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("safe mode");
      }
      assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    } finally {
      fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    }
    assertRead(file, step == SealedGroups.Step.PARITY ? SECOND : FIRST);
    // Hadoop 3.3 and 3.4 cannot recover an empty group that has DataNodes.
    recover(step == SealedGroups.Step.FORGET_NODES ? late() : fs, file);
    assertRead(file, step == SealedGroups.Step.PARITY ? SECOND : FIRST);
  }

  @Test
  void aNameNodeInSafeModeBeforeASync() throws Exception {
    Path file = in(folder("late-safe"), "log");
    FSDataOutputStream out = late().create(file);
    out.write(bytes(ALL), 0, FIRST);
    out.hsync();
    out.write(bytes(ALL), FIRST, 10);
    fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    try {
      assertThatThrownBy(out::hsync)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("safe mode");
    } finally {
      fs.getClient().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    }
    assertFailed(out, file, FIRST);
  }
}
