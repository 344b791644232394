// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.stripeline.client.ClientKeys;

/**
 * Writers in a process of their own are ended or stopped before and after each call to the NameNode
 * of a close; or NameNodes and DataNodes are.
 */
@Tag("full")
class CloseProcessTest extends SyncProcessCase {
  private static final int STRIPE = 3 * CELL;
  private static final int GROUP = 8 * STRIPE;

  private static final int[] SIZES = {
    0, 100, STRIPE - 7, STRIPE, 2 * STRIPE + 2 * CELL + 5, GROUP + 2 * STRIPE + 2 * CELL
  };

  /** The sizes of tests with many writers, which a process has no memory for otherwise. */
  private static final int[] FEW_SIZES = {0, 100, 2 * STRIPE + 2 * CELL + 5};

  /** Bytes of files that are synced, which ends their first block group. */
  private static final int SYNCED = STRIPE + 2 * CELL + 9;

  @BeforeAll
  static void start() throws Exception {
    startCluster(
        conf -> {
          conf.setInt("dfs.namenode.replication.max-streams", 20);
          conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 40);
          conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
          conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 2);
        });
  }

  private static void add(
      List<SyncWriters.Task> to, String test, boolean appends, int synced, int size, String call) {
    String[] parts = call.split("\\.");
    for (boolean isDone : new boolean[] {false, true}) {
      if (isDone || !parts[0].equals(SyncWriters.OPENED)) {
        String stop =
            SyncWriters.closing(synced, size, parts[0], Integer.parseInt(parts[1]), isDone);
        String path = "/rs/" + test + (appends ? "-append-" : "-") + stop;
        to.add(new SyncWriters.Task(path, stop, appends));
      }
    }
  }

  private static List<SyncWriters.Task> tasks(
      String test, boolean appends, int synced, int... sizes) {
    List<SyncWriters.Task> tasks = new ArrayList<>();
    for (int size : sizes) {
      if (synced == 0 || size > synced) {
        calls(size, synced).forEach(call -> add(tasks, test, appends, synced, size, call));
      }
    }
    return tasks;
  }

  /** Writers that stop when complete is called again, because reports of DataNodes are late. */
  private static List<SyncWriters.Task> tasksWithLateReports(String test) {
    List<SyncWriters.Task> tasks = new ArrayList<>();
    for (int size : new int[] {STRIPE - 7, 2 * STRIPE + 2 * CELL + 5}) {
      add(tasks, test, false, 0, size, "complete.2");
    }
    return tasks;
  }

  private static List<String> calls(int size, int synced) {
    List<String> calls = new ArrayList<>(List.of(SyncWriters.OPENED + ".1"));
    if (size > synced) {
      calls.add("addBlock.1");
      calls.add("complete.1");
    } else if (size == 0) {
      calls.add("complete.1");
    }
    if (size - synced > GROUP) {
      calls.add("addBlock.2");
    }
    return calls;
  }

  /** A file of which no byte arrived, or too few blocks: Hadoop before 3.5 never closes it. */
  private static boolean isRecoverable(SyncWriters.Task task, boolean isReportLate) {
    String[] parts = task.stop().split("\\.");
    int size = Integer.parseInt(parts[2]) - Integer.parseInt(parts[1]);
    boolean isSmall = size > 0 && size < STRIPE;
    boolean isAllocated = parts[3].equals("addBlock") && parts[5].equals("true");
    boolean isUnreported =
        parts[3].equals("complete")
            && (isReportLate || parts[4].equals("1") && parts[5].equals("false"));
    return !isAllocated && !(isSmall && isUnreported);
  }

  private static boolean isDone(SyncWriters.Task task) {
    return task.stop().endsWith("true");
  }

  /**
   * Returns whether a file ends with an empty group. Hadoop before 3.5 leaves one if it recovers a
   * file whose last group has no full stripe; its clients cannot read what is appended after it.
   */
  private static boolean endsEmpty(String path) throws IOException {
    LocatedBlock last = cluster.stock().getClient().getLocatedBlocks(path, 0).getLastLocatedBlock();
    return last != null && last.getBlockSize() == 0;
  }

  private static void pauseReports(boolean pauses) {
    for (DataNode node : cluster.mini().getDataNodes()) {
      if (pauses) {
        DataNodeTestUtils.pauseIBR(node);
      } else {
        DataNodeTestUtils.resumeIBR(node);
      }
    }
  }

  /** Lets DataNodes report their blocks now. */
  private static void report() throws IOException {
    for (DataNode node : cluster.mini().getDataNodes()) {
      DataNodeTestUtils.triggerDeletionReport(node);
    }
  }

  /** Writers of files that are synced, whose block groups end at a sync. */
  private static SyncWriters startSynced(List<SyncWriters.Task> tasks) throws IOException {
    Configuration conf = new Configuration(cluster.ours().getConf());
    conf.setInt(ClientKeys.WRITE_SYNC_SWITCH_MAX, 0);
    conf.setInt(ClientKeys.WRITE_SYNC_GROUPS_MAX, 100);
    return SyncWriters.start(conf, dir, tasks).awaitStopped(tasks);
  }

  private static void killed(
      SyncWriters writers, List<SyncWriters.Task> all, boolean isReportLate, Body body)
      throws Exception {
    writers.close();
    if (!isReportLate) {
      report();
    }
    body.run();
    all.removeIf(task -> !isRecoverable(task, isReportLate));
    for (SyncWriters.Task task : all) {
      cluster.stock().recoverLease(file(task.path()));
    }
    pauseReports(false);
    recover(cluster.stock(), all.subList(0, all.size() / 2));
    recover(cluster.ours(), all.subList(all.size() / 2, all.size()));
    for (SyncWriters.Task task : all) {
      byte[] left = readPrefix(task.path(), writers.acknowledged(task.path()));
      if (endsEmpty(task.path())) {
        continue;
      }
      append(all.indexOf(task) % 2 == 0 ? cluster.stock() : cluster.ours(), task.path()).close();
      byte[] more = Arrays.copyOf(left, left.length + MORE);
      assertThat(read(cluster.ours(), task.path())).as("%s", task).isEqualTo(more);
      assertThat(read(cluster.stock(), task.path())).as("%s", task).isEqualTo(more);
    }
    for (SyncWriters.Task task : all) {
      awaitSound(task.path());
    }
  }

  @Test
  void writersThatAreKilledLeaveWhatTheyWrote() throws Exception {
    List<SyncWriters.Task> all = tasks("killed", false, 0, SIZES);
    all.addAll(tasks("killed", true, 0, FEW_SIZES));
    killed(start(all), all, false, () -> {});
  }

  @Test
  void writersThatAreKilledLeaveWhatTheySynced() throws Exception {
    List<SyncWriters.Task> all = tasks("killed-synced", false, SYNCED, SIZES);
    killed(startSynced(all), all, false, () -> {});
  }

  @Test
  void noZerosAreAppendedWhileReportsAreLate() throws Exception {
    List<SyncWriters.Task> all = tasksWithLateReports("late");
    pauseReports(true);
    killed(start(all), all, true, () -> {});
  }

  @Test
  void noZerosAreAppendedAfterARestart() throws Exception {
    List<SyncWriters.Task> all = tasksWithLateReports("late-restart");
    pauseReports(true);
    killed(start(all), all, true, CloseProcessTest::restartNameNode);
  }

  @Test
  void writersThatAreStoppedAreFenced() throws Exception {
    List<SyncWriters.Task> recovered = tasks("fenced-recovered", false, 0, FEW_SIZES);
    List<SyncWriters.Task> appended = tasks("fenced-appended", true, 0, FEW_SIZES);
    List<SyncWriters.Task> renamed = tasks("fenced-renamed", false, 0, FEW_SIZES);
    List.of(recovered, appended, renamed)
        .forEach(some -> some.removeIf(task -> !isRecoverable(task, false)));
    List<SyncWriters.Task> replaced = tasks("fenced-replaced", false, 0, FEW_SIZES);
    List<SyncWriters.Task> deleted = tasks("fenced-deleted", false, 0, FEW_SIZES);
    List<SyncWriters.Task> all = new ArrayList<>();
    List.of(recovered, appended, renamed, replaced, deleted).forEach(all::addAll);
    Map<String, byte[]> expected = new TreeMap<>();
    Map<String, FSDataOutputStream> others = new TreeMap<>();
    Map<String, Integer> lengths = new TreeMap<>();
    try (SyncWriters writers = start(all)) {
      report();
      writers.signal("STOP");
      recover(cluster.ours(), recovered);
      recover(cluster.stock(), appended);
      recover(cluster.stock(), renamed);
      for (SyncWriters.Task task : all) {
        String path = task.path();
        if (replaced.contains(task)) {
          byte[] other = WriteCluster.bytes(task.hashCode(), 77);
          StripedCluster.write(cluster.stock(), file(path), other);
          expected.put(path, other);
          continue;
        }
        if (deleted.contains(task)) {
          assertThat(cluster.stock().delete(file(path), false)).isTrue();
          continue;
        }
        byte[] left = readPrefix(path, 0);
        lengths.put(path, left.length);
        if (appended.contains(task) && !endsEmpty(path)) {
          others.put(path, append(cluster.stock(), path));
          left = Arrays.copyOf(left, left.length + MORE);
        } else if (renamed.contains(task)) {
          path += ".renamed";
          assertThat(cluster.stock().rename(file(task.path()), file(path))).isTrue();
        }
        expected.put(path, left);
      }
      writers.signal("CONT");
      writers.goOn();
      writers.awaitEnded(all);
      for (SyncWriters.Task task : all) {
        boolean isWhole =
            lengths.getOrDefault(task.path(), isDone(task) ? task.size() : -1) == task.size();
        List<String> said = writers.said(task.path());
        assertThat(writers.isClosed(task.path()) && !isWhole).as("%s", said).isFalse();
      }
    }
    for (FSDataOutputStream other : others.values()) {
      other.close();
    }
    restartNameNode();
    for (String path : expected.keySet()) {
      assertThat(cluster.stock().isFileClosed(file(path))).as(path).isTrue();
      assertThat(read(cluster.stock(), path)).as(path).isEqualTo(expected.get(path));
      awaitSound(path);
    }
  }

  @Test
  void writersGoOnWhenTheActiveNameNodeRestarts() throws Exception {
    List<SyncWriters.Task> tasks = tasksWithLateReports("restart");
    pauseReports(true);
    try (SyncWriters writers = start(tasks)) {
      restartNameNode();
      pauseReports(false);
      writers.goOn();
      writers.awaitEnded(tasks);
      assertCompleteAndSound(writers, tasks);
    }
  }

  @Test
  void writersGoOnWithoutTwoDataNodes() throws Exception {
    goOnWithoutTwoDataNodes(tasks("dataNodes", true, 0, SIZES));
  }
}
