// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.OpenFileEntry;
import org.apache.hadoop.hdfs.protocol.OpenFilesIterator.OpenFilesType;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;

/** Tests failovers to the other NameNode during conversions. */
@Tag("full")
class FailoverTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  /** The steps that change the state of the NameNode. */
  private static final Set<Step> STEPS =
      EnumSet.of(
          Step.FENCED,
          Step.CREATED,
          Step.GROUP_NAMED,
          Step.LINKED,
          Step.ENCODED,
          Step.MADE,
          Step.SWAP_NAMED,
          Step.SWAPPED);

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;
  private static int active;

  private final Set<String> done = ConcurrentHashMap.newKeySet();
  private final List<String> roots = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    cluster =
        ConvertCluster.withStandby(
            directory,
            7,
            3,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.set("dfs.ha.tail-edits.period", "1s");
              conf.setInt("dfs.client.failover.sleep.base.millis", 50);
              conf.setInt("dfs.client.failover.sleep.max.millis", 500);
              conf.setInt("ipc.client.connect.retry.interval", 50);
            });
    letLeasesEndSoon();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /**
   * Shortens the lease period, so that the next driver need not wait a minute for the leases of the
   * dead one.
   */
  private static void letLeasesEndSoon() {
    for (int i = 0; i < cluster.mini.getNumNameNodes(); i++) {
      NameNodeAdapter.getLeaseManager(cluster.mini.getNamesystem(i)).setLeasePeriod(500, 3_600_000);
    }
  }

  @AfterEach
  void leavesNoBlocks() throws Exception {
    for (String root : roots) {
      cluster.fs().delete(new Path(root), true);
    }
    cluster.awaitWithReports("internal blocks to go", () -> cluster.internalBlocks() == 0);
  }

  private static synchronized void failOver() {
    try {
      cluster.mini.transitionToStandby(active);
      active = 1 - active;
      cluster.mini.transitionToActive(active);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Stops the active NameNode without notice, and restarts it as the standby. */
  private static synchronized void crash() {
    try {
      int old = active;
      cluster.mini.shutdownNameNode(old);
      active = 1 - old;
      cluster.mini.transitionToActive(active);
      cluster.mini.restartNameNode(old, false);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void adoptionContinuesAfterAFailoverAtEveryStep() throws Exception {
    goOn(
        ConvertCluster.contiguous("/adopted", CODE), STEPS, "RS-3-2-1024k", FailoverTest::failOver);
  }

  @Test
  void copyingContinuesAfterAFailoverAtEveryStep() throws Exception {
    Set<Step> steps = EnumSet.copyOf(STEPS);
    steps.removeAll(EnumSet.of(Step.GROUP_NAMED, Step.LINKED, Step.ENCODED));
    goOn(ConvertCluster.striped("/copied", CODE), steps, "RS-3-2-64k", FailoverTest::failOver);
  }

  @Test
  void adoptionContinuesWhenTheActiveNameNodeStops() throws Exception {
    goOn(
        ConvertCluster.contiguous("/orphaned", CODE),
        EnumSet.of(Step.GROUP_NAMED, Step.LINKED, Step.SWAP_NAMED),
        "RS-3-2-1024k",
        FailoverTest::crash);
    letLeasesEndSoon();
  }

  @Test
  void aDeadDriversJobIsResumedAtTheOtherNameNode() throws Exception {
    for (Step step : EnumSet.of(Step.FENCED, Step.LINKED, Step.SWAP_NAMED)) {
      String root = "/taken-" + step.ordinal();
      roots.add(root);
      Map<String, byte[]> files = new TreeMap<>();
      files.put(root + "/a", cluster.write(root + "/a", 4 * BLOCK + 5));
      JobSettings settings = ConvertCluster.contiguous(root, CODE);
      settings.allowRackLoss = true;
      DistributedFileSystem client = cluster.client();
      Crash crash = new Crash(client, step, 1);
      try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
        assertThatThrownBy(() -> driver.execute(settings, root.substring(1)))
            .isInstanceOf(Crash.Death.class);
      }
      failOver();
      cluster.assertBytes(root + "/a", files.get(root + "/a"));

      try (Driver driver = cluster.driver()) {
        assertThat(driver.resume(root, null, new JobTuning()).failures()).as(root).isEmpty();
      }
      assertConverted(root, files, "RS-3-2-1024k");
    }
  }

  /** A host that is down drops packets sent to it, so each call to it lasts until a timeout. */
  @Test
  void convertsWhileTheFirstNameNodeDoesNotAnswer() throws Exception {
    byte[] bytes = cluster.write("/first/a", 4 * BLOCK + 5);
    roots.add("/first");
    List<SocketChannel> fillers = new ArrayList<>();
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < 8; i++) {
        SocketChannel filler = SocketChannel.open();
        fillers.add(filler);
        filler.configureBlocking(false);
        filler.connect(silent.getLocalSocketAddress());
      }
      Configuration conf = new Configuration(cluster.conf());
      String name = FileSystem.getDefaultUri(conf).getHost();
      String ids = conf.get("dfs.ha.namenodes." + name);
      conf.set("dfs.ha.namenodes." + name, "nn0," + ids);
      conf.set("dfs.namenode.rpc-address." + name + ".nn0", "127.0.0.1:" + silent.getLocalPort());
      // Hadoop's default is 20 s.
      conf.setInt("ipc.client.connect.timeout", 6_000);
      JobSettings settings = ConvertCluster.striped("/first", CODE);
      settings.allowRackLoss = true;
      settings.skipNameNodeCheck = true;
      JobReport report;
      DistributedFileSystem client = HdfsConnection.open(conf, new Path(cluster.uri()));
      try (Driver driver = cluster.driver(client, JobObserver.NONE, StepListener.NONE)) {
        report = driver.execute(settings, "first");
      }
      assertThat(report.failures()).isEmpty();
      assertThat(report.converted()).isEqualTo(1);
    } finally {
      for (SocketChannel filler : fillers) {
        filler.close();
      }
    }
    assertThat(cluster.read("/first/a")).isEqualTo(bytes);
  }

  /** Converts files, and changes the state of the NameNodes at one step of each file. */
  private void goOn(JobSettings settings, Set<Step> steps, String policy, Runnable change)
      throws Exception {
    roots.add(settings.path);
    Map<String, byte[]> files = new TreeMap<>();
    for (Step step : steps) {
      String path = settings.path + "/" + step;
      files.put(path, cluster.write(path, 4 * BLOCK + step.ordinal()));
    }
    settings.allowRackLoss = true;
    settings.filesAtOnce = 1;
    StepListener listener =
        (step, path) -> {
          if (path.endsWith("/" + step) && done.add(path)) {
            change.run();
          }
        };

    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      report = driver.execute(settings, settings.path.substring(1));
    }

    assertThat(done).hasSize(steps.size());
    for (JobReport.Failure failure : report.failures()) {
      // A NameNode that missed a report has the block reconstructed, and then has two copies of it,
      // or the copy is on a DataNode where the next attempt plans to write the block.
      assertThat(failure.reason)
          .containsAnyOf(
              "which is not verified there; convert the file again",
              "a replica with that name exists, FINALIZED");
      assertThat(cluster.policy(failure.path)).isNull();
      cluster.assertBytes(failure.path, files.get(failure.path));
    }
    if (!report.failures().isEmpty()) {
      cluster.reportAll();
      try (Driver driver = cluster.driver()) {
        assertThat(driver.execute(settings, settings.path.substring(1) + "-again").failures())
            .isEmpty();
      }
    }
    assertConverted(settings.path, files, policy);
  }

  private static void assertConverted(String root, Map<String, byte[]> files, String policy)
      throws Exception {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      String path = file.getKey();
      assertThat(cluster.policy(path)).as(path).isEqualTo(policy);
      cluster.assertBytes(path, file.getValue());
      cluster.awaitWhole(path);
    }
    cluster.assertHealthy(root);
    cluster.assertParityRight(files.keySet().iterator().next());
    assertThat(cluster.temporaries()).isEmpty();
    RemoteIterator<OpenFileEntry> open =
        cluster.fs().listOpenFiles(EnumSet.of(OpenFilesType.ALL_OPEN_FILES), "/");
    assertThat(open.hasNext()).as("files whose lease somebody holds").isFalse();
  }
}
