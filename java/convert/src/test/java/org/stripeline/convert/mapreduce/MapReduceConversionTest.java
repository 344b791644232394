// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.EncryptionZones;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.testkit.Conditions;

/** Tests conversions by maps, on the local MapReduce framework. */
@Tag("full")
class MapReduceConversionTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            8,
            4,
            conf -> {
              conf.set("hadoop.tmp.dir", directory.resolve("mapred").toString());
              conf.setBoolean("dfs.block.access.token.enable", true);
              EncryptionZones.configure(conf, directory);
              conf.setInt("mapreduce.local.map.tasks.maximum", 4);
              // Shortens the pauses between the retries of readers that cannot read a block.
              conf.setInt("dfs.client.retry.window.base", 10);
            });
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static JobSettings striped(String path) {
    return ConvertCluster.mapped(ConvertCluster.striped(path, CODE));
  }

  private static JobReport run(JobSettings settings) throws IOException {
    return run(settings, settings.path.substring(1).replace('/', '-'), StepListener.NONE);
  }

  private static JobReport run(JobSettings settings, String job, StepListener listener)
      throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.execute(settings, job);
    }
  }

  private static List<Long> groups(String path) throws IOException {
    return cluster.blocks(path).stream()
        .map(LocatedBlock::getBlockSize)
        .collect(Collectors.toList());
  }

  @Test
  void joinsGroupsThatMapsCopiedAndCanBeUndone() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] several = cluster.write("/copied/a", 7 * BLOCK + 12345);
    byte[] one = cluster.write("/copied/b", 2 * BLOCK);
    Path file = new Path("/copied/a");
    fs.setReplication(file, (short) 2);
    fs.setOwner(file, "alice", "staff");
    fs.setPermission(file, new FsPermission((short) 0640));
    fs.setXAttr(file, "user.colour", "blue".getBytes());
    fs.setTimes(file, 1_111_111_111_000L, 1_222_222_222_000L);
    FileStatus before = fs.getFileStatus(file);

    JobReport report = run(striped("/copied"));

    assertThat(report.failures()).isEmpty();
    assertThat(report.converted()).isEqualTo(2);
    assertThat(report.traffic().filesCopiedByDriver()).isZero();
    FileStatus after = fs.getFileStatus(file);
    assertThat(after.getOwner()).isEqualTo("alice");
    assertThat(after.getPermission()).isEqualTo(before.getPermission());
    assertThat(after.getModificationTime()).isEqualTo(before.getModificationTime());
    assertThat(after.getAccessTime()).isEqualTo(before.getAccessTime());
    assertThat(fs.getXAttr(file, "user.colour")).isEqualTo("blue".getBytes());
    assertThat(groups("/copied/a")).containsExactly(3L * BLOCK, 3L * BLOCK, BLOCK + 12345L);
    assertStriped("/copied/a", several);
    assertStriped("/copied/b", one);
    assertThat(cluster.temporaries()).isEmpty();

    // Joined files can be loaded from edits, and from an fsimage.
    cluster.mini.restartNameNode();
    assertStriped("/copied/a", several);
    assertThat(new DFSAdmin(cluster.conf()).run(new String[] {"-safemode", "enter"})).isZero();
    assertThat(new DFSAdmin(cluster.conf()).run(new String[] {"-saveNamespace"})).isZero();
    cluster.mini.restartNameNode();
    assertStriped("/copied/a", several);

    assertThat(
            run(ConvertCluster.mapped(ConvertCluster.undo("/copied")), "back", StepListener.NONE)
                .failures())
        .isEmpty();
    assertThat(cluster.policy("/copied/a")).isNull();
    assertThat(cluster.fs().getFileStatus(file).getReplication()).isEqualTo((short) 2);
    assertThat(cluster.read("/copied/a")).isEqualTo(several);
    assertThat(cluster.read("/copied/b")).isEqualTo(one);
  }

  private static void assertStriped(String path, byte[] bytes) throws Exception {
    assertThat(cluster.policy(path)).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read(path)).isEqualTo(bytes);
    cluster.assertHealthy(path);
    cluster.assertParityRight(path);
  }

  @Test
  void leavesAFileThatMapsCannotReadAndContinues() throws Exception {
    cluster.write("/unread/bad", 5 * BLOCK);
    byte[] good = cluster.write("/unread/good", 5 * BLOCK);
    LocatedBlock block =
        cluster.fs().getClient().getLocatedBlocks("/unread/bad", 4 * BLOCK, 1).get(0);
    assertThat(cluster.mini.corruptBlockOnDataNodes(block.getBlock())).isEqualTo(3);

    JobReport report = run(striped("/unread"));

    assertThat(report.failures())
        .extracting(failure -> failure.path)
        .containsExactly("/unread/bad");
    assertThat(report.failures().get(0).reason)
        .containsAnyOf("ChecksumException", "BlockMissingException");
    assertThat(cluster.policy("/unread/bad")).isNull();
    assertStriped("/unread/good", good);
    assertThat(cluster.temporaries()).isEmpty();
    // Its lease has been released.
    cluster.fs().append(new Path("/unread/bad")).close();
  }

  @Test
  void aMapOfSeveralGroupsCopiesAllThatCanBeRead() throws Exception {
    byte[] a = cluster.write("/several/a", 12 * BLOCK);
    byte[] b = cluster.write("/several/b", 12 * BLOCK);
    cluster.write("/several/bad", 12 * BLOCK);
    LocatedBlock block =
        cluster.fs().getClient().getLocatedBlocks("/several/bad", 4 * BLOCK, 1).get(0);
    assertThat(cluster.mini.corruptBlockOnDataNodes(block.getBlock())).isEqualTo(3);
    JobSettings settings = striped("/several");
    // Twelve groups and three maps at a time: some of the four racks have several groups.
    settings.filesAtOnce = 3;
    settings.groupsAtOnce = 1;

    JobReport report = run(settings);

    assertThat(report.failures())
        .extracting(failure -> failure.path)
        .containsExactly("/several/bad");
    assertStriped("/several/a", a);
    assertStriped("/several/b", b);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aGroupThatFailsAmongOthersIsRepeatedAlone() throws Exception {
    // All of its groups have the same core rack.
    DatanodeInfo[] nodes = cluster.fs().getDataNodeStats();
    Arrays.sort(nodes, Comparator.comparing(DatanodeInfo::getNetworkLocation));
    InetSocketAddress[] favored =
        Stream.of(nodes[0], nodes[1], nodes[nodes.length - 1])
            .map(node -> new InetSocketAddress(node.getIpAddr(), node.getXferPort()))
            .toArray(InetSocketAddress[]::new);
    Path file = new Path("/repeated/bad");
    try (FSDataOutputStream out =
        cluster
            .fs()
            .create(file, FsPermission.getDefault(), true, 4096, (short) 3, BLOCK, null, favored)) {
      out.write(ConvertCluster.bytes(5, 12 * BLOCK));
    }
    DFSTestUtil.waitReplication(cluster.fs(), file, (short) 3);
    LocatedBlock block =
        cluster.fs().getClient().getLocatedBlocks(file.toString(), 4 * BLOCK, 1).get(0);
    assertThat(cluster.mini.corruptBlockOnDataNodes(block.getBlock())).isEqualTo(3);
    JobSettings settings = striped("/repeated");
    settings.filesAtOnce = 1;
    settings.groupsAtOnce = 1;
    Set<String> jobs = ConcurrentHashMap.newKeySet();
    JobObserver observer =
        new JobObserver() {
          @Override
          public void mapping(String maps, float progress) {
            jobs.add(maps);
          }
        };

    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      report = driver.execute(settings, "repeated");
    }

    assertThat(report.failures()).hasSize(1);
    assertThat(jobs).as("one for all groups, one for the group that failed").hasSize(2);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void waitsWhileTheOperatorPausesIt() throws Exception {
    byte[] bytes = cluster.write("/paused/a", 4 * BLOCK);
    Path pause = new Path(JobDirectory.ROOT_DEFAULT + "/paused/pause");
    AtomicReference<String> seen = new AtomicReference<>();
    List<Throwable> failures = new ArrayList<>();
    StepListener pauser =
        (step, path) -> {
          if (step == Step.CREATED) {
            create(pause);
            seen.set(path);
          }
        };
    Thread job =
        new Thread(
            () -> {
              try {
                run(striped("/paused"), "paused", pauser);
              } catch (Throwable e) {
                failures.add(e);
              }
            });
    job.start();
    Conditions.await("pause", () -> seen.get() != null);
    Conditions.await("dispatcher", () -> isWaiting("stripeline-convert-maps"));
    assertThat(cluster.policy("/paused/a")).isNull();
    cluster.fs().delete(pause, false);
    job.join();
    assertThat(failures).isEmpty();
    assertStriped("/paused/a", bytes);
  }

  private static void create(Path path) {
    try {
      cluster.fs().create(path).close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isWaiting(String thread) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(entry -> entry.getKey().getName().equals(thread))
        .flatMap(entry -> Arrays.stream(entry.getValue()))
        .anyMatch(frame -> frame.getMethodName().equals("waitWhilePaused"));
  }

  @Test
  void respectsTheRateLimit() throws Exception {
    cluster.write("/slow/a", 6 * BLOCK);
    JobSettings settings = striped("/slow");
    settings.bytesPerSecond = 6 * BLOCK;
    long start = System.nanoTime();
    assertThat(run(settings).failures()).isEmpty();
    // Two maps, each with half of the rate, write 3 blocks and read 5 to check parity.
    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1300));
  }

  @Test
  void copiesEncryptedFilesInTheDriverAndReportsIt() throws Exception {
    EncryptionZones.make(cluster, "/zone");
    byte[] bytes = cluster.write("/zone/a", 4 * BLOCK + 5);

    JobReport report = run(striped("/zone"));

    assertThat(report.failures()).isEmpty();
    assertThat(report.traffic().filesCopiedByDriver()).isEqualTo(1);
    assertThat(cluster.policy("/zone/a")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/zone/a")).isEqualTo(bytes);
  }

  @Test
  void closesItsClients() throws Exception {
    cluster.write("/counted-clients/a", 4 * BLOCK);
    cluster.conf().set(MRConfig.FRAMEWORK_NAME, CountedFramework.NAME);
    try {
      assertThat(run(striped("/counted-clients")).failures()).isEmpty();
    } finally {
      cluster.conf().unset(MRConfig.FRAMEWORK_NAME);
    }
    // One of the check before the job, and one of each wave.
    assertThat(CountedFramework.OPENED.get()).isGreaterThanOrEqualTo(2);
    assertThat(CountedFramework.CLOSED.get()).isEqualTo(CountedFramework.OPENED.get());
  }

  /** Cancels a job while the framework does not answer, and lets its maps wait. */
  private static JobReport cancelWithMaps(String job, JobObserver observer) throws IOException {
    cluster.write("/" + job + "/a", 18 * BLOCK);
    cluster.conf().set(MRConfig.FRAMEWORK_NAME, CountedFramework.NAME);
    CountedFramework.beforeJob =
        () -> {
          create(new Path(JobDirectory.ROOT_DEFAULT + "/" + job + "/pause"));
          create(new Path(JobDirectory.ROOT_DEFAULT + "/" + job + "/cancel"));
        };
    CountedFramework.isAway = true;
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      return driver.execute(striped("/" + job), job);
    }
  }

  private static void endMaps(String job) throws Exception {
    cluster.fs().delete(new Path(JobDirectory.ROOT_DEFAULT + "/" + job + "/pause"), false);
    CountedFramework.isAway = false;
    CountedFramework.beforeJob = () -> {};
    cluster.conf().unset(MRConfig.FRAMEWORK_NAME);
    Conditions.await("the end of all maps", CountedFramework::isIdle);
  }

  @Test
  void aJobEndsOnlyWhenItsMapsAreKilled() throws Exception {
    List<String> warnings = new CopyOnWriteArrayList<>();
    JobObserver observer =
        new JobObserver() {
          @Override
          public void warned(String text) {
            warnings.add(text);
          }
        };
    Path temporaries = new Path(JobDirectory.ROOT_DEFAULT + "/unkilled/tmp");
    try {
      JobReport report = cancelWithMaps("unkilled", observer);
      assertThat(report.isOpen()).isTrue();
      assertThat(report.isComplete()).isFalse();
      assertThat(warnings).hasSize(1);
      assertThat(warnings.get(0))
          .contains("Cannot end MapReduce job 'stripeline convert unkilled wave-")
          .contains("no ResourceManager", "with --resume");
      assertThat(cluster.fs().exists(temporaries)).isTrue();
      assertThatThrownBy(() -> resume("unkilled")).hasMessageContaining("no ResourceManager");
      assertThat(CountedFramework.isIdle()).isFalse();

      CountedFramework.isAway = false;
      assertThat(resume("unkilled").isCancelled()).isTrue();
      assertThat(CountedFramework.isIdle()).isTrue();
      assertThat(cluster.fs().exists(temporaries)).isFalse();
    } finally {
      endMaps("unkilled");
    }
  }

  @Test
  void noMapsAreStartedWhileOthersCannotBeKilled() throws Exception {
    cluster.write("/unended/a", 3 * BLOCK);
    cluster.write("/unended/b", 3 * BLOCK);
    JobSettings settings = striped("/unended");
    settings.filesAtOnce = 1;
    AtomicInteger jobs = new AtomicInteger();
    JobObserver observer =
        new JobObserver() {
          @Override
          public void mapping(String maps, float progress) {
            throw new IllegalStateException("no terminal");
          }
        };
    cluster.conf().set(MRConfig.FRAMEWORK_NAME, CountedFramework.NAME);
    CountedFramework.beforeJob = jobs::incrementAndGet;
    CountedFramework.isAway = true;
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      JobReport report = driver.execute(settings, "unended");
      assertThat(report.failures()).hasSize(2);
      assertThat(report.failures().get(0).reason).contains("no terminal");
      assertThat(report.failures().get(1).reason).contains("Cannot end MapReduce job");
      assertThat(report.isOpen()).isTrue();
      assertThat(jobs.get()).isEqualTo(1);
    } finally {
      endMaps("unended");
    }
    assertThat(resume("unended").converted()).isEqualTo(2);
  }

  private static JobReport resume(String job) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.resume("/" + job, job, new JobTuning());
    }
  }

  @Test
  void mapsThatStartAfterTheEndOfTheirJobCreateNothing() throws Exception {
    String directory = JobDirectory.ROOT_DEFAULT + "/late";
    try {
      cancelWithMaps("late", JobObserver.NONE);
      cluster.fs().delete(new Path(directory, "tmp"), true);
    } finally {
      endMaps("late");
    }
    assertThat(cluster.fs().exists(new Path(directory, "tmp"))).isFalse();
    assertThat(cluster.policy("/late/a")).isNull();
  }

  @Test
  void refusesJobsThatMapsCannotRun() throws Exception {
    cluster.write("/refused/a", 4 * BLOCK);
    DistributedFileSystem fs = cluster.fs();
    fs.mkdirs(new Path("/.stripeline"));
    fs.setQuota(new Path("/.stripeline"), Long.MAX_VALUE - 1, 1L << 40);
    try {
      assertThatThrownBy(() -> run(striped("/refused")))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("below /.stripeline, which has a space quota");
    } finally {
      fs.setQuota(new Path("/.stripeline"), -1, -1);
    }
    cluster.conf().set(MRConfig.FRAMEWORK_NAME, "nonsense");
    try {
      assertThatThrownBy(() -> run(striped("/refused")))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("mapreduce.framework.name");
    } finally {
      cluster.conf().unset(MRConfig.FRAMEWORK_NAME);
    }
    assertThatThrownBy(
            () -> run(ConvertCluster.mapped(ConvertCluster.contiguous("/refused", CODE))))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("use --driver=client");
    assertThat(cluster.policy("/refused/a")).isNull();
  }

  /** Shows the miscount of the NameNode; if this test fails, the refusal above can be removed. */
  @Test
  void concatMakesTheNameNodeMiscountTheRoot() throws Exception {
    cluster.write("/counted/a", 6 * BLOCK);
    Path root = new Path("/");
    long before = miscount(root);
    assertThat(run(striped("/counted")).failures()).isEmpty();
    assertThat(miscount(root) - before).isEqualTo(4L * 3 * BLOCK);
  }

  private static long miscount(Path path) throws IOException {
    return cluster.fs().getQuotaUsage(path).getSpaceConsumed()
        - cluster.fs().getContentSummary(path).getSpaceConsumed();
  }
}
