// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.ReplicatedSwitch.Step;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Other clients that rename, replace, recover or append to a file during its first durable sync.
 */
@Tag("full")
class SyncFencingTest extends SyncCase {
  private static final EnumSet<CreateFlag> APPEND =
      EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);

  /** Another file takes the path before the bytes that were sent are copied. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theBytesOfAnotherFileAreNotCopied(boolean isAppended) throws IOException {
    Path file = file("taken-" + isAppended);
    Path moved = file("taken-away-" + isAppended);
    byte[] all = bytes(STRIPE + 10);
    byte[] others = bytes(2 * STRIPE);
    DistributedFileSystem ours = ours();
    if (isAppended) {
      StripedCluster.write(fs, file, Arrays.copyOf(all, STRIPE));
    }
    FSDataOutputStream out = isAppended ? ours.append(file, APPEND, 4096, null) : ours.create(file);
    out.write(all, isAppended ? STRIPE : 0, isAppended ? 10 : all.length);
    at(
        Step.CREATE,
        ours,
        step -> {
          fs.rename(file, moved);
          StripedCluster.write(fs, file, others);
        });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    out.close();
    assertThat(read(moved)).isEqualTo(all);
    assertThat(read(file)).isEqualTo(others);
    assertThat(temporaryFiles(file)).isEmpty();
  }

  /** A snapshot keeps the inode of a deleted file, whose path then leads to the next file. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileInASnapshotIsNotRenamedOverTheNextOne(boolean isReplaced) throws IOException {
    Path folder = folder("snapshot-" + isReplaced);
    Path file = in(folder, "log");
    fs.allowSnapshot(folder);
    DistributedFileSystem ours = ours();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(STRIPE + 1));
    fs.createSnapshot(folder, "before");
    at(
        Step.RENAME,
        ours,
        step -> {
          fs.delete(file, false);
          if (isReplaced) {
            StripedCluster.write(fs, file, bytes(77));
          }
        });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThat(fs.exists(file)).isEqualTo(isReplaced);
    if (isReplaced) {
      assertThat(read(file)).isEqualTo(bytes(77));
    }
    assertThat(temporaryFiles(file)).isEmpty();
  }

  /** The recovery finds the temporary file, whose name is that of the file before. */
  @Test
  void aFileThatIsRenamedAndRecoveredStaysClosed() throws IOException {
    Path folder = folder("renamed");
    Path other = folder("renamed-away");
    for (Path target : new Path[] {in(folder, "old"), in(other, "log")}) {
      Path file = in(folder, "log");
      DistributedFileSystem ours = ours();
      FSDataOutputStream out = ours.create(file);
      out.write(bytes(STRIPE));
      at(
          Step.RENAME,
          ours,
          step -> {
            assertThat(temporaryFiles(file)).hasSize(1);
            fs.rename(file, target);
            recover(ours(), target);
            assertThat(temporaryFiles(file)).hasSize(target.getParent().equals(folder) ? 0 : 1);
          });
      assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
      assertThat(fs.isFileClosed(target)).isTrue();
      assertThat(isStriped(target)).isTrue();
      assertThat(fs.exists(file)).isFalse();
      assertThat(temporaryFiles(file)).isEmpty();
    }
  }

  @Test
  void whatAnotherClientAppendsStays() throws IOException {
    Path file = file("appended");
    DistributedFileSystem ours = ours();
    FSDataOutputStream out = ours.create(file);
    out.write(bytes(STRIPE));
    at(
        Step.RENAME,
        ours,
        step -> {
          recover(fs, file);
          try (FSDataOutputStream more = ours().append(file, APPEND, 4096, null)) {
            more.write(bytes(10));
          }
        });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    assertThat(fs.isFileClosed(file)).isTrue();
    byte[] left = read(file);
    assertThat(left).hasSize(STRIPE + 10).startsWith(bytes(STRIPE)).endsWith(bytes(10));
    assertThat(temporaryFiles(file)).isEmpty();
  }
}
