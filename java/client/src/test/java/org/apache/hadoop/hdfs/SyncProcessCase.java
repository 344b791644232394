// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** A cluster with two NameNodes, and writers in a process of their own that sync files durably. */
abstract class SyncProcessCase {
  static final int CELL = 64 << 10;

  /** Bytes that another client appends. */
  static final int MORE = 4 * CELL;

  @TempDir static Path dir;
  static StripedCluster cluster;
  static int active;

  /** Starts the cluster with a directory {@code /rs} of erasure-coded files. */
  static void startCluster(Consumer<Configuration> more) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.blocksize", 8 * CELL);
    conf.setInt("dfs.heartbeat.interval", 1);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    conf.setBoolean("dfs.namenode.edits.asynclogging", false);
    conf.set("dfs.ha.tail-edits.period", "1s");
    conf.setInt("dfs.client.failover.sleep.base.millis", 50);
    conf.setInt("dfs.client.failover.sleep.max.millis", 500);
    conf.setInt("ipc.client.connect.retry.interval", 50);
    conf.set(ClientKeys.WRITE_SYNC, "durable");
    more.accept(conf);
    cluster = new StripedCluster(dir, 8, conf, true);
    active = 0;
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    cluster.directory("/rs", policy);
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  static SyncWriters start(List<SyncWriters.Task> tasks) throws IOException {
    return SyncWriters.start(cluster.ours().getConf(), dir, tasks).awaitStopped(tasks);
  }

  static org.apache.hadoop.fs.Path file(String path) {
    return new org.apache.hadoop.fs.Path(path);
  }

  static byte[] read(DistributedFileSystem by, String path) throws IOException {
    try (FSDataInputStream in = by.open(file(path))) {
      return in.readAllBytes();
    }
  }

  /** Returns the bytes of a file, which must be those that its writer wrote first. */
  static byte[] readPrefix(String path, int acknowledged) throws IOException {
    byte[] read = read(cluster.stock(), path);
    WriteCluster.assertPrefix(path, read, SyncWriters.bytes(path), acknowledged);
    assertThat(read(cluster.ours(), path)).as(path).isEqualTo(read);
    return read;
  }

  /** Asserts that a writer has written, synced and closed all of its file. */
  static void assertComplete(SyncWriters writers, SyncWriters.Task task) throws IOException {
    List<String> said = writers.said(task.path());
    assertThat(writers.isClosed(task.path())).as("%s", said).isTrue();
    assertThat(writers.acknowledged(task.path())).as("%s", said).isEqualTo(task.size());
    assertThat(readPrefix(task.path(), task.size())).hasSize(task.size());
  }

  /** Recovers the leases of writers, and waits until they are recovered. */
  static void recover(DistributedFileSystem by, List<SyncWriters.Task> tasks) throws IOException {
    recover(by, tasks, task -> true);
  }

  /** Recovers the leases of writers, and waits for some of them. */
  static void recover(
      DistributedFileSystem by, List<SyncWriters.Task> tasks, Predicate<SyncWriters.Task> isAwaited)
      throws IOException {
    for (SyncWriters.Task task : tasks) {
      by.recoverLease(file(task.path()));
    }
    for (SyncWriters.Task task : tasks) {
      if (isAwaited.test(task)) {
        Conditions.await("the lease of " + task, () -> by.recoverLease(file(task.path())));
      }
    }
  }

  /** Opens a file again with a new block group, and writes {@link #MORE} zeros. */
  static FSDataOutputStream append(DistributedFileSystem by, String path) throws IOException {
    EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
    FSDataOutputStream other = by.append(file(path), flags, 4096, null);
    other.write(new byte[MORE]);
    return other;
  }

  /** Waits until the blocks that writers did not end are rebuilt and agree with the others. */
  static void awaitSound(String path) {
    Configuration conf = cluster.stock().getConf();
    String[] verify = {"verifyEC", "-file", path};
    PrintStream out = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    try {
      Conditions.await(
          "the blocks of " + path, () -> ToolRunner.run(new DebugAdmin(conf), verify) == 0);
    } finally {
      System.setOut(out);
    }
  }

  /** Asserts that writers have closed all of their files, and waits until the blocks are sound. */
  static void assertCompleteAndSound(SyncWriters writers, List<SyncWriters.Task> tasks)
      throws IOException {
    for (SyncWriters.Task task : tasks) {
      assertComplete(writers, task);
      awaitSound(task.path());
    }
  }

  /**
   * Restarts the active NameNode. NameNodes in one process share their erasure coding policies,
   * which are absent while one starts: a standby that reads edits then ends the process. So it
   * reads none from now on, until it becomes active.
   */
  static void restartNameNode() throws Exception {
    cluster.mini().getNamesystem(1 - active).getEditLogTailer().stop();
    cluster.mini().restartNameNode(active, false);
    cluster.mini().transitionToActive(active);
    cluster.mini().waitActive(active);
    cluster.mini().waitFirstBRCompleted(active, 60_000);
  }

  /** What runs while two DataNodes are stopped. */
  interface Body {
    void run() throws Exception;
  }

  static void withoutTwoDataNodes(Body body) throws Exception {
    List<MiniDFSCluster.DataNodeProperties> stopped = new ArrayList<>();
    try {
      stopped.add(cluster.mini().stopDataNode(0));
      stopped.add(cluster.mini().stopDataNode(0));
      body.run();
    } finally {
      for (MiniDFSCluster.DataNodeProperties one : stopped) {
        cluster.mini().restartDataNode(one, true);
      }
      cluster.mini().waitActive(active);
    }
  }

  /** Lets writers go on without two DataNodes, and waits until the blocks of all are sound. */
  static void goOnWithoutTwoDataNodes(List<SyncWriters.Task> tasks) throws Exception {
    try (SyncWriters writers = start(tasks)) {
      withoutTwoDataNodes(
          () -> {
            writers.goOn();
            writers.awaitEnded(tasks);
          });
      assertCompleteAndSound(writers, tasks);
    }
  }
}
