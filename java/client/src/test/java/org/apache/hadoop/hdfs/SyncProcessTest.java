// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.ReplicatedSwitch.Step;
import org.apache.hadoop.hdfs.SyncUsage.Usage;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.stripeline.testkit.ForkedJvm;

/**
 * Writers in a process of their own are ended or stopped before each step of their first durable
 * sync, or NameNodes and DataNodes are.
 */
@Tag("full")
class SyncProcessTest extends SyncProcessCase {
  /** Where writers stop. */
  private static final List<String> STOPS =
      Stream.concat(Arrays.stream(Step.values()).map(Step::name), Stream.of(SyncWriters.AFTER))
          .collect(Collectors.toList());

  /** {@code -Dstripeline.test.streams=300} selects the long run. */
  private static final int STREAMS = Integer.getInteger("stripeline.test.streams", 60);

  /** The most heap that an open file may take in addition to that of a stock client's. */
  private static final int MORE_HEAP_MAX = 48 << 10;

  /** The connections to DataNodes that a client keeps for later reads, such as those of copies. */
  private static final int CACHED_MAX = 16;

  @BeforeAll
  static void start() throws Exception {
    startCluster(conf -> {});
  }

  private static SyncWriters.Task task(String test, String stop, boolean appends) {
    String folder = "/rs/" + test + (appends ? "-append" : "") + '-' + stop;
    return new SyncWriters.Task(folder + "/log", stop, appends);
  }

  private static List<SyncWriters.Task> tasks(String test, boolean appends) {
    return STOPS.stream().map(stop -> task(test, stop, appends)).collect(Collectors.toList());
  }

  private static List<String> temporaryFiles(String path) throws IOException {
    return Arrays.stream(cluster.stock().listStatus(file(path).getParent()))
        .map(status -> status.getPath().toUri().getPath())
        .filter(name -> name.endsWith(TemporaryFiles.SUFFIX))
        .collect(Collectors.toList());
  }

  @Test
  void writersThatAreKilledLoseNothingAcknowledged() throws Exception {
    List<SyncWriters.Task> byStock = tasks("killed-stock", false);
    List<SyncWriters.Task> byOurs = tasks("killed-ours", false);
    byOurs.addAll(tasks("killed-ours", true));
    byStock.addAll(tasks("killed-stock", true));
    List<SyncWriters.Task> all = new ArrayList<>(byStock);
    all.addAll(byOurs);
    SyncWriters writers = start(all);
    writers.close();
    recover(cluster.stock(), byStock);
    recover(cluster.ours(), byOurs);
    for (SyncWriters.Task task : all) {
      readPrefix(task.path(), writers.acknowledged(task.path()));
      if (task.stop().equals(SyncWriters.AFTER)) {
        assertThat(writers.acknowledged(task.path())).isEqualTo(SyncWriters.RECORDS);
      }
      if (task.stop().equals(Step.DROP.name())) {
        assertThat(cluster.stock().getFileStatus(file(task.path())).getLen())
            .isEqualTo(SyncWriters.FIRST);
      }
    }
    for (SyncWriters.Task task : byOurs) {
      assertThat(temporaryFiles(task.path())).isEmpty();
    }
    for (SyncWriters.Task task : byStock) {
      sweep(task);
    }
  }

  /** The next writer in the directory removes what a dead one left there. */
  private static void sweep(SyncWriters.Task task) throws IOException {
    boolean isLeft = List.of("OPEN", "COPY", "CHECK", "END", "RENAME").contains(task.stop());
    List<String> left = temporaryFiles(task.path());
    assertThat(left).as("%s", task).hasSize(isLeft ? 1 : 0);
    if (!isLeft) {
      return;
    }
    FileStatus status = cluster.stock().getFileStatus(file(left.get(0)));
    long longAgo = status.getModificationTime() - TimeUnit.HOURS.toMillis(3);
    cluster.stock().setTimes(status.getPath(), longAgo, -1);
    try (FSDataOutputStream out = cluster.ours().create(file(task.path() + ".next"))) {
      out.hsync();
    }
    assertThat(temporaryFiles(task.path())).isEmpty();
  }

  @Test
  void writersThatAreStoppedAreFenced() throws Exception {
    List<SyncWriters.Task> byOurs = tasks("stopped-ours", false);
    List<SyncWriters.Task> byStock = tasks("stopped-stock", true);
    // HDFS has no rename that depends on a lease, and a stock client knows no temporary files.
    byStock.removeIf(task -> task.stop().equals(Step.RENAME.name()));
    List<SyncWriters.Task> renamed = tasks("stopped-renamed", false);
    List<SyncWriters.Task> replaced = tasks("stopped-replaced", false);
    List<SyncWriters.Task> deleted = tasks("stopped-deleted", false);
    List<SyncWriters.Task> all = new ArrayList<>();
    List.of(byOurs, byStock, renamed, replaced, deleted).forEach(all::addAll);
    TreeMap<String, byte[]> expected = new TreeMap<>();
    try (SyncWriters writers = start(all)) {
      writers.signal("STOP");
      recover(cluster.ours(), byOurs);
      recover(cluster.stock(), byStock);
      recover(cluster.ours(), renamed);
      for (SyncWriters.Task task : byOurs) {
        expected.put(task.path(), readPrefix(task.path(), writers.acknowledged(task.path())));
      }
      for (SyncWriters.Task task : byStock) {
        expected.put(task.path(), readPrefix(task.path(), writers.acknowledged(task.path())));
      }
      for (SyncWriters.Task task : renamed) {
        String other = task.path() + ".renamed";
        expected.put(other, readPrefix(task.path(), writers.acknowledged(task.path())));
        assertThat(cluster.stock().rename(file(task.path()), file(other))).isTrue();
      }
      for (SyncWriters.Task task : replaced) {
        byte[] other = WriteCluster.bytes(task.hashCode(), 77);
        StripedCluster.write(cluster.stock(), file(task.path()), other);
        expected.put(task.path(), other);
      }
      for (SyncWriters.Task task : deleted) {
        assertThat(cluster.stock().delete(file(task.path()), false)).isTrue();
      }
      writers.signal("CONT");
      writers.goOn();
      writers.awaitEnded(all);
      for (SyncWriters.Task task : all) {
        assertThat(writers.isClosed(task.path())).as("%s", writers.said(task.path())).isFalse();
        // DataNodes acknowledge bytes of a deleted file until they are told to remove it.
        boolean isRemoved = replaced.contains(task) || deleted.contains(task);
        if (!isRemoved || !isReplicated(task)) {
          int most = task.appends() ? SyncWriters.OLD : 0;
          most = isReplicated(task) ? SyncWriters.FIRST : most;
          most = task.stop().equals(SyncWriters.AFTER) ? SyncWriters.RECORDS : most;
          assertThat(writers.acknowledged(task.path()))
              .as("%s", writers.said(task.path()))
              .isLessThanOrEqualTo(most);
        }
      }
    }
    for (String path : expected.keySet()) {
      assertThat(read(cluster.stock(), path)).as(path).isEqualTo(expected.get(path));
      assertThat(read(cluster.ours(), path)).as(path).isEqualTo(expected.get(path));
      assertThat(cluster.stock().isFileClosed(file(path))).as(path).isTrue();
    }
    for (SyncWriters.Task task : all) {
      assertThat(temporaryFiles(task.path())).as("%s", task).isEmpty();
    }
    for (SyncWriters.Task task : deleted) {
      assertThat(cluster.stock().exists(file(task.path()))).isFalse();
    }
  }

  private static boolean isReplicated(SyncWriters.Task task) {
    return task.stop().equals(Step.DROP.name()) || task.stop().equals(SyncWriters.AFTER);
  }

  private static void assertComplete(SyncWriters writers, List<SyncWriters.Task> tasks)
      throws IOException {
    for (SyncWriters.Task task : tasks) {
      assertComplete(writers, task);
      assertThat(temporaryFiles(task.path())).isEmpty();
    }
  }

  @Test
  void writersGoOnWhenTheActiveNameNodeStops() throws Exception {
    List<SyncWriters.Task> tasks = tasks("failover", false);
    tasks.addAll(tasks("failover", true));
    try (SyncWriters writers = start(tasks)) {
      int old = active;
      cluster.mini().shutdownNameNode(old);
      writers.goOn();
      active = 1 - old;
      cluster.mini().transitionToActive(active);
      writers.awaitEnded(tasks);
      // Not before: both NameNodes of this JVM share the policies, which a start clears at first.
      cluster.mini().restartNameNode(old, false);
      assertComplete(writers, tasks);
    }
  }

  @Test
  void writersGoOnWhenTheActiveNameNodeRestarts() throws Exception {
    List<SyncWriters.Task> tasks = tasks("restart", false);
    tasks.addAll(tasks("restart", true));
    try (SyncWriters writers = start(tasks)) {
      cluster.mini().restartNameNode(active, false);
      cluster.mini().transitionToActive(active);
      // A first sync fails while no DataNode has registered, as the first block of any file does.
      cluster.mini().waitActive(active);
      writers.goOn();
      writers.awaitEnded(tasks);
      assertComplete(writers, tasks);
    }
  }

  @Test
  void writersGoOnWithoutTwoDataNodes() throws Exception {
    List<SyncWriters.Task> tasks = tasks("dataNodes", false);
    tasks.addAll(tasks("dataNodes", true));
    try (SyncWriters writers = start(tasks)) {
      withoutTwoDataNodes(
          () -> {
            writers.goOn();
            writers.awaitEnded(tasks);
            assertComplete(writers, tasks);
          });
    }
  }

  @Test
  void manyOpenFilesUseWhatThoseOfStockClientsUse() throws Exception {
    Configuration stock = new Configuration(cluster.stock().getConf());
    cluster.stock().mkdirs(file("/plain"));
    String replicated = usage(stock, "/plain");
    String switched = usage(cluster.ours().getConf(), "/rs/many");
    System.out.println(STREAMS + " open files of a stock client: " + replicated);
    System.out.println(STREAMS + " open files of our client: " + switched);
    Usage before = Usage.of(switched, "before");
    Usage theirs = Usage.of(replicated, "open");
    Usage ours = Usage.of(switched, "open");
    Usage closed = Usage.of(switched, "closed");
    assertThat(ours.threads()).isLessThan(theirs.threads() + STREAMS / 10);
    assertThat(ours.sockets()).isLessThanOrEqualTo(theirs.sockets() + CACHED_MAX);
    assertThat(ours.heapBytes() - theirs.heapBytes())
        .isLessThan(STREAMS * MORE_HEAP_MAX + (4 << 20));
    assertThat(closed.threads()).isLessThan(before.threads() + STREAMS / 10);
    assertThat(closed.sockets()).isLessThanOrEqualTo(before.sockets() + CACHED_MAX);
    assertThat(closed.heapBytes()).isLessThan(before.heapBytes() + (4 << 20));
  }

  private static String usage(Configuration conf, String folder) throws Exception {
    Path site = Files.createTempFile(dir, "usage", ".xml");
    try (OutputStream out = Files.newOutputStream(site)) {
      conf.writeXml(out);
    }
    String output =
        ForkedJvm.of(SyncUsage.class, site.toString(), folder, String.valueOf(STREAMS))
            .logging(dir, "FATAL")
            .output();
    int leases = NameNodeAdapter.getLeaseManager(cluster.mini().getNamesystem(active)).countLease();
    assertThat(leases).isZero();
    assertThat(temporaryFiles(folder + "/log")).isEmpty();
    return output;
  }
}
