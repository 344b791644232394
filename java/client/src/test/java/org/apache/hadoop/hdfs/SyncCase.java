// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.ReplicatedSwitch.Step;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** A cluster whose clients sync erasure-coded files durably, with what tests of that need. */
abstract class SyncCase {
  static final int CELL = 64 << 10;
  static final int STRIPE = 3 * CELL;
  static final long BLOCK = 8L * CELL;

  /** The most calls to the NameNode of a test in which one fails. */
  private static final int CALLS_MAX = 60;

  @TempDir static Path dir;
  static WriteCluster cluster;
  static DistributedFileSystem fs;
  static org.apache.hadoop.fs.Path coded;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        new WriteCluster(
            dir,
            6,
            BLOCK,
            conf -> {
              conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
              conf.set(ClientKeys.WRITE_SYNC, "durable");
              WriteCluster.keys(dir).accept(conf);
            });
    fs = cluster.cluster.getFileSystem();
    coded = cluster.directory("rs", 3, 2, CELL);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static DistributedFileSystem ours() throws IOException {
    return ours(conf -> {});
  }

  static DistributedFileSystem ours(Consumer<Configuration> more) throws IOException {
    return cluster.open("functional-partitioned", more);
  }

  static byte[] bytes(int length) {
    return WriteCluster.bytes(length, length);
  }

  static StripelineDFSClient client(DistributedFileSystem of) {
    return (StripelineDFSClient) of.getClient();
  }

  static org.apache.hadoop.fs.Path file(String name) {
    return new org.apache.hadoop.fs.Path(coded, name);
  }

  static org.apache.hadoop.fs.Path folder(String name) throws IOException {
    org.apache.hadoop.fs.Path folder = file(name);
    fs.mkdirs(folder);
    return folder;
  }

  static org.apache.hadoop.fs.Path in(org.apache.hadoop.fs.Path folder, String name) {
    return new org.apache.hadoop.fs.Path(folder, name);
  }

  /** Returns the names of the temporary files of a file. */
  static List<String> temporaryFiles(org.apache.hadoop.fs.Path file) throws IOException {
    String prefix = TemporaryFiles.prefixOf(file.toUri().getPath());
    return Arrays.stream(fs.listStatus(file.getParent()))
        .map(status -> status.getPath().getName())
        .filter(name -> name.startsWith(prefix) && name.endsWith(TemporaryFiles.SUFFIX))
        .collect(Collectors.toList());
  }

  /** Runs an action when the next switch of a file system's streams comes to a step. */
  static void at(Step step, DistributedFileSystem of, ReplicatedSwitch.Listener action) {
    client(of)
        .setSwitchListener(
            begun -> {
              if (begun == step) {
                action.begins(begun);
              }
            });
  }

  /** Returns a file system of an ordinary user. */
  static DistributedFileSystem oursAs(String user) throws Exception {
    return oursAs(user, conf -> {});
  }

  static DistributedFileSystem oursAs(String user, Consumer<Configuration> more) throws Exception {
    UserGroupInformation as =
        UserGroupInformation.createUserForTesting(user, new String[] {"users", "staff"});
    return as.doAs((PrivilegedExceptionAction<DistributedFileSystem>) () -> ours(more));
  }

  /** Returns what a stock client reads of a file that may be open. */
  static byte[] read(org.apache.hadoop.fs.Path file) throws IOException {
    return read(fs, file);
  }

  static byte[] read(DistributedFileSystem by, org.apache.hadoop.fs.Path file) throws IOException {
    byte[] buffer = new byte[16 << 20];
    int done = 0;
    try (FSDataInputStream in = by.open(file)) {
      int count;
      while ((count = in.read(buffer, done, buffer.length - done)) > 0) {
        done += count;
      }
    }
    return Arrays.copyOf(buffer, done);
  }

  /** Runs a test in which one call to a NameNode fails. */
  interface CallTest {
    /** Returns whether there was such a call. */
    boolean failsAt(int number) throws Exception;
  }

  /** Lets each call fail, one after the other. */
  static void assertAnyCallMayFail(CallTest test) throws Exception {
    int call = 0;
    while (test.failsAt(++call)) {
      assertThat(call).isLessThan(CALLS_MAX);
    }
    assertThat(call).isGreaterThan(8);
  }

  /** Waits until the DataNodes have acknowledged all full stripes of a striped stream. */
  static void awaitAcknowledged(FSDataOutputStream out) throws IOException {
    DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
    synchronized (stream.collecting) {
      stream.awaitAcknowledged();
    }
  }

  /** Ends a writer before a step of a late sync. */
  static DurableOutputStream endAt(
      SealedGroups.Step step, DistributedFileSystem ours, FSDataOutputStream out) {
    DurableOutputStream stream = (DurableOutputStream) out.getWrappedStream();
    stream
        .seals()
        .setListener(
            begun -> {
              if (begun == step) {
                ours.getClient().closeAllFilesBeingWritten(true);
                throw new IOException("The process ends here");
              }
            });
    assertThatThrownBy(out::hsync).isInstanceOf(IOException.class);
    return stream;
  }

  static boolean isStriped(org.apache.hadoop.fs.Path file) throws IOException {
    return fs.getFileStatus(file).isErasureCoded();
  }

  static void recover(DistributedFileSystem by, org.apache.hadoop.fs.Path file) {
    Conditions.await("the lease of " + file, () -> by.recoverLease(file));
  }
}
