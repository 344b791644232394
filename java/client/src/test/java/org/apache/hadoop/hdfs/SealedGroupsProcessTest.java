// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.server.namenode.ha.ObserverReadProxyProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.stripeline.client.ClientKeys;

/**
 * Writers of files that are too large to become replicated, in a process of their own, are ended or
 * stopped before and after each call to the NameNode of a sync, of the next write and of close; or
 * NameNodes and DataNodes are.
 */
@Tag("full")
class SealedGroupsProcessTest extends SyncProcessCase {
  private static final String CHECKED = SyncWriters.late("fsync", 1, true);
  private static final String CLOSES = SyncWriters.late("recoverLease", 1, false);
  private static final String CLOSED = SyncWriters.late("recoverLease", 1, true);

  /** The first place at which the bytes of the second sync are durable. */
  private static final String DURABLE = SyncWriters.late("updatePipeline", 1, true);

  /** Places at which the last group has DataNodes and no data. */
  private static final List<String> WITHOUT_DATA =
      List.of(
          SyncWriters.late("addBlock", 1, true),
          SyncWriters.late("addBlock", 2, true),
          SyncWriters.late("getBlockLocations", 2, false),
          SyncWriters.late("getBlockLocations", 2, true),
          SyncWriters.late("updateBlockForPipeline", 1, false),
          SyncWriters.late("updateBlockForPipeline", 1, true),
          SyncWriters.late("updatePipeline", 1, false));

  @BeforeAll
  static void start() throws Exception {
    startCluster(
        conf -> {
          conf.setInt("dfs.namenode.replication.max-streams", 20);
          conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 40);
          conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
          conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 2);
          conf.setInt(ClientKeys.WRITE_SYNC_SWITCH_MAX, 0);
          conf.setInt(ClientKeys.WRITE_SYNC_GROUPS_MAX, 100);
        });
  }

  /** Returns the places where writers stop. */
  private static List<String> stops() {
    List<String> stops = new ArrayList<>();
    for (String call :
        List.of(
            "addBlock.1",
            "getBlockLocations.1",
            "addBlock.2",
            "getBlockLocations.2",
            "updateBlockForPipeline.1",
            "updatePipeline.1",
            "fsync.1",
            "recoverLease.1")) {
      String[] parts = call.split("\\.");
      stops.add(SyncWriters.late(parts[0], Integer.parseInt(parts[1]), false));
      stops.add(SyncWriters.late(parts[0], Integer.parseInt(parts[1]), true));
    }
    stops.add(SyncWriters.LATE_AFTER);
    return stops;
  }

  private static List<SyncWriters.Task> tasks(String test, boolean appends) {
    return stops().stream()
        .map(
            stop ->
                new SyncWriters.Task(
                    "/rs/" + test + (appends ? "-append-" : "-") + stop, stop, appends))
        .collect(Collectors.toList());
  }

  /** Hadoop 3.3 and 3.4 cannot recover a lease if an empty group at the end has DataNodes. */
  private static void recoverWithData(DistributedFileSystem by, List<SyncWriters.Task> tasks)
      throws IOException {
    recover(by, tasks, task -> !WITHOUT_DATA.contains(task.stop()));
  }

  @Test
  void writersThatAreKilledLoseNothingAcknowledged() throws Exception {
    List<SyncWriters.Task> byStock = tasks("killed-stock", true);
    List<SyncWriters.Task> byOurs = tasks("killed-ours", false);
    List<SyncWriters.Task> all = new ArrayList<>(byStock);
    all.addAll(byOurs);
    SyncWriters writers = start(all);
    writers.close();
    recoverWithData(cluster.stock(), byStock);
    recover(cluster.ours(), byOurs);
    Map<String, byte[]> left = new TreeMap<>();
    for (SyncWriters.Task task : all) {
      left.put(task.path(), readPrefix(task.path(), writers.acknowledged(task.path())));
      if (task.stop().equals(DURABLE)) {
        assertThat(left.get(task.path())).hasSize(SyncWriters.LATE_SECOND);
      }
    }
    restartNameNode();
    // The NameNode has forgotten the DataNodes of empty groups.
    recover(cluster.stock(), all);
    for (SyncWriters.Task task : all) {
      assertThat(read(cluster.stock(), task.path())).isEqualTo(left.get(task.path()));
      awaitSound(task.path());
    }
  }

  @Test
  void writersThatAreKilledBeforeAFailoverLoseNothingAcknowledged() throws Exception {
    List<SyncWriters.Task> tasks = tasks("killed-failover", false);
    SyncWriters writers = start(tasks);
    writers.close();
    failOver();
    recover(cluster.stock(), tasks);
    for (SyncWriters.Task task : tasks) {
      readPrefix(task.path(), writers.acknowledged(task.path()));
    }
  }

  /** Stops the active NameNode and starts it again as the standby. */
  private static void failOver() throws Exception {
    int old = active;
    cluster.mini().shutdownNameNode(old);
    active = 1 - old;
    cluster.mini().transitionToActive(active);
    cluster.mini().restartNameNode(old, false);
  }

  @Test
  void writersThatAreStoppedAreFenced() throws Exception {
    List<SyncWriters.Task> recovered = tasks("stopped-recovered", false);
    List<SyncWriters.Task> appended = tasks("stopped-appended", true);
    // HDFS has no call that closes a file only if the caller has its lease.
    appended.removeIf(task -> List.of(CHECKED, CLOSES).contains(task.stop()));
    appended.removeIf(task -> WITHOUT_DATA.contains(task.stop()));
    List<SyncWriters.Task> renamed = tasks("stopped-renamed", false);
    List<SyncWriters.Task> replaced = tasks("stopped-replaced", false);
    List<SyncWriters.Task> deleted = tasks("stopped-deleted", false);
    List<SyncWriters.Task> all = new ArrayList<>();
    List.of(recovered, appended, renamed, replaced, deleted).forEach(all::addAll);
    Map<String, byte[]> expected = new TreeMap<>();
    Map<String, FSDataOutputStream> others = new TreeMap<>();
    try (SyncWriters writers = start(all)) {
      writers.signal("STOP");
      recover(cluster.ours(), recovered);
      recoverWithData(cluster.stock(), appended);
      recoverWithData(cluster.stock(), renamed);
      for (SyncWriters.Task task : all) {
        byte[] left = readPrefix(task.path(), writers.acknowledged(task.path()));
        if (appended.contains(task)) {
          others.put(task.path(), append(cluster.stock(), task.path()));
          expected.put(task.path(), Arrays.copyOf(left, left.length + MORE));
        } else if (renamed.contains(task)) {
          String other = task.path() + ".renamed";
          assertThat(cluster.stock().rename(file(task.path()), file(other))).isTrue();
          expect(expected, task, other, left);
        } else if (recovered.contains(task)) {
          expect(expected, task, task.path(), left);
        } else if (replaced.contains(task)) {
          byte[] other = WriteCluster.bytes(task.hashCode(), 77);
          StripedCluster.write(cluster.stock(), file(task.path()), other);
          expected.put(task.path(), other);
        } else {
          assertThat(cluster.stock().delete(file(task.path()), false)).isTrue();
        }
      }
      Map<String, Integer> before = new TreeMap<>();
      all.forEach(task -> before.put(task.path(), writers.acknowledged(task.path())));
      writers.signal("CONT");
      writers.goOn();
      writers.awaitEnded(all);
      for (SyncWriters.Task task : all) {
        List<String> said = writers.said(task.path());
        boolean isRemoved = replaced.contains(task) || deleted.contains(task);
        boolean isDurable = task.stop().equals(DURABLE);
        assertThat(writers.acknowledged(task.path()))
            .as("%s", said)
            .isEqualTo(isDurable ? SyncWriters.LATE_SECOND : before.get(task.path()));
        boolean isClosed =
            task.stop().equals(CLOSED)
                || (!isRemoved && List.of(CHECKED, CLOSES).contains(task.stop()));
        assertThat(writers.isClosed(task.path())).as("%s", said).isEqualTo(isClosed);
      }
    }
    for (FSDataOutputStream other : others.values()) {
      other.close();
    }
    restartNameNode();
    for (String path : expected.keySet()) {
      assertThat(cluster.stock().isFileClosed(file(path))).as(path).isTrue();
      assertThat(read(cluster.stock(), path)).as(path).isEqualTo(expected.get(path));
    }
  }

  private static void expect(
      Map<String, byte[]> expected, SyncWriters.Task task, String path, byte[] left) {
    if (!WITHOUT_DATA.contains(task.stop())) {
      expected.put(path, left);
    }
  }

  @Test
  void writersGoOnWhenTheActiveNameNodeStops() throws Exception {
    List<SyncWriters.Task> tasks = tasks("failover", true);
    try (SyncWriters writers = start(tasks)) {
      int old = active;
      cluster.mini().shutdownNameNode(old);
      writers.goOn();
      active = 1 - old;
      cluster.mini().transitionToActive(active);
      writers.awaitEnded(tasks);
      // Only now, because all NameNodes of a process share the policies, which a new one resets.
      cluster.mini().restartNameNode(old, false);
      assertCompleteAndSound(writers, tasks);
    }
  }

  @Test
  void writersGoOnWhenTheActiveNameNodeRestarts() throws Exception {
    List<SyncWriters.Task> tasks = tasks("restart", false);
    try (SyncWriters writers = start(tasks)) {
      restartNameNode();
      writers.goOn();
      writers.awaitEnded(tasks);
      assertCompleteAndSound(writers, tasks);
    }
  }

  @Test
  void writersGoOnWithoutTwoDataNodes() throws Exception {
    goOnWithoutTwoDataNodes(tasks("dataNodes", true));
  }

  @Test
  void aClientThatReadsFromObserversDoesNotSync() throws Exception {
    Configuration conf = new Configuration(cluster.ours().getConf());
    URI uri = FileSystem.getDefaultUri(conf);
    String key = HdfsClientConfigKeys.Failover.PROXY_PROVIDER_KEY_PREFIX;
    conf.set(key + '.' + uri.getHost(), ObserverReadProxyProvider.class.getName());
    String path = "/rs/observed";
    byte[] all = SyncWriters.bytes(path);
    try (FileSystem fs = FileSystem.newInstance(uri, conf);
        FSDataOutputStream out = fs.create(file(path))) {
      out.write(all, 0, SyncWriters.FIRST);
      assertThatThrownBy(out::hsync).isInstanceOf(IOException.class).hasMessageContaining(key);
      out.write(all, SyncWriters.FIRST, all.length - SyncWriters.FIRST);
    }
    assertThat(read(cluster.stock(), path)).isEqualTo(all);
  }
}
