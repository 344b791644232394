// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskReport;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.testkit.Conditions;
import org.stripeline.testkit.ForkedJvm;

/** Tests conversions by maps in separate processes on YARN, some of which are killed. */
@Tag("full")
class YarnConversionTest {
  private static final String CODE = "RS-3-2";
  private static final String POLICY = "RS-3-2-64k";
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final long SEED = 21;
  private static final int ENDED_MAPS_MAX = 8;

  /**
   * Small heap and fast start. Application masters inject classes, which needs the access that Java
   * 8 allowed.
   */
  private static final String JAVA_OPTIONS =
      "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
          + " --add-opens=java.base/java.lang=ALL-UNNAMED";

  /** MapReduce jobs that a test has already modified. */
  private static final Set<JobID> MEDDLED = new HashSet<>();

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;
  private static MiniMRYarnCluster yarn;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            8,
            4,
            conf -> {
              conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
            });
    // So that a driver need not wait a minute for the leases of a dead one.
    cluster.mini.setLeasePeriod(1000, 3_600_000);
    Configuration conf = new Configuration(cluster.conf());
    conf.set("fs.defaultFS", cluster.mini.getURI().toString());
    conf.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    conf.setBoolean("yarn.nodemanager.disk-health-checker.enable", false);
    conf.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    conf.setInt("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", 100);
    conf.setInt("yarn.app.mapreduce.am.hard-kill-timeout-ms", 500);
    conf.setInt("yarn.scheduler.minimum-allocation-mb", 256);
    conf.setInt("yarn.app.mapreduce.am.resource.mb", 512);
    conf.set("yarn.app.mapreduce.am.command-opts", JAVA_OPTIONS);
    conf.setInt("mapreduce.map.memory.mb", 512);
    conf.set("mapreduce.map.java.opts", JAVA_OPTIONS);
    yarn = new MiniMRYarnCluster("stripeline-convert", 1);
    yarn.init(conf);
    yarn.start();
  }

  @AfterAll
  static void stop() {
    yarn.stop();
    cluster.close();
  }

  private static Driver driver() throws IOException {
    return cluster.driver(
        HdfsConnection.open(yarn.getConfig(), new Path(cluster.mini.getURI())),
        JobObserver.NONE,
        StepListener.NONE);
  }

  private static JobReport execute(JobSettings settings) throws IOException {
    try (Driver driver = driver()) {
      return driver.execute(settings, settings.path.substring(1));
    }
  }

  private interface Meddler {
    void meddle(Job job) throws Exception;
  }

  /** Runs an action on the MapReduce job of a job while one of its maps runs. */
  private static void meddle(String job, Meddler meddler) throws Exception {
    Cluster jobs = new Cluster(yarn.getConfig());
    try {
      Conditions.await("map of " + job, () -> running(jobs, job) != null);
      Job running = running(jobs, job);
      MEDDLED.add(running.getJobID());
      meddler.meddle(running);
    } finally {
      jobs.close();
    }
  }

  private static Job running(Cluster jobs, String name) throws Exception {
    for (JobStatus status : jobs.getAllJobStatuses()) {
      if (!status.isJobComplete()
          && !MEDDLED.contains(status.getJobID())
          && status.getJobName().startsWith(MapJobs.name(name) + " ")
          && status.getState() == JobStatus.State.RUNNING) {
        Job job = jobs.getJob(status.getJobID());
        if (job != null && attempt(job) != null) {
          return job;
        }
      }
    }
    return null;
  }

  private static TaskAttemptID attempt(Job job) throws Exception {
    List<TaskAttemptID> attempts = attempts(job);
    return attempts.isEmpty() ? null : attempts.get(0);
  }

  private static List<TaskAttemptID> attempts(Job job) throws Exception {
    List<TaskAttemptID> attempts = new ArrayList<>();
    for (TaskReport report : job.getTaskReports(TaskType.MAP)) {
      attempts.addAll(report.getRunningTaskAttemptIds());
    }
    return attempts;
  }

  private static <T> T with(Callable<T> work, String job, Meddler meddler) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<T> result = thread.submit(work);
      meddle(job, meddler);
      return result.get();
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void copiesWhereTheBlocksAreThoughAMapIsKilled() throws Exception {
    byte[] bytes = cluster.write("/yarn-striped", 5 * BLOCK + 99);
    JobSettings settings = ConvertCluster.mapped(ConvertCluster.striped("/yarn-striped", CODE));
    settings.bytesPerSecond = 2 * BLOCK;
    List<String> attempts = new ArrayList<>();

    JobReport report =
        with(
            () -> execute(settings),
            "yarn-striped",
            job -> {
              assertInCoreRacks("/yarn-striped");
              TaskAttemptID attempt = attempt(job);
              job.killTask(attempt);
              attempts.add(attempt.toString());
              String next = attempt.toString().replaceAll("_0$", "_1");
              Conditions.await("part of " + next, () -> isFileOfMaps(next));
            });

    assertThat(attempts).hasSize(1);
    assertThat(report.failures()).isEmpty();
    assertThat(cluster.policy("/yarn-striped")).isEqualTo(POLICY);
    assertThat(cluster.read("/yarn-striped")).isEqualTo(bytes);
    cluster.assertParityRight("/yarn-striped");
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void everyFileIsConvertedThoughMapsEndAtRandomTimes() throws Exception {
    Random random = new Random(SEED);
    Map<String, byte[]> files = new TreeMap<>();
    for (int i = 0; i < 4; i++) {
      String path = "/yarn-random/f" + i;
      int bytes = (1 + random.nextInt(6)) * BLOCK + random.nextInt(99_999);
      files.put(path, cluster.write(path, bytes));
    }
    JobSettings settings = ConvertCluster.mapped(ConvertCluster.striped("/yarn-random", CODE));
    settings.bytesPerSecond = 6 * BLOCK;
    ExecutorService thread = Executors.newSingleThreadExecutor();
    JobReport report;
    try {
      Future<JobReport> result = thread.submit(() -> execute(settings));
      assertThat(endMapsUntil(result, random)).as("ended maps").isGreaterThan(3);
      report = result.get();
    } finally {
      thread.shutdownNow();
    }

    Set<String> left = new HashSet<>();
    report.failures().forEach(failure -> left.add(failure.path));
    assertThat(report.converted() + left.size()).isEqualTo(files.size());
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      String path = file.getKey();
      assertThat(cluster.read(path)).as(path).isEqualTo(file.getValue());
      assertThat(cluster.policy(path)).as(path).isEqualTo(left.contains(path) ? null : POLICY);
      if (!left.contains(path)) {
        cluster.assertParityRight(path);
      }
    }
    assertThat(cluster.temporaries()).isEmpty();
    assertThat(JobDirectory.unfinished(cluster.fs(), JobDirectory.ROOT_DEFAULT)).isEmpty();
  }

  /** Ends a random map after a random number of looks, several times; returns how many ended. */
  private static int endMapsUntil(Future<?> result, Random random) throws Exception {
    int ended = 0;
    Cluster jobs = new Cluster(yarn.getConfig());
    try {
      while (ended < ENDED_MAPS_MAX && !result.isDone()) {
        AtomicInteger looks = new AtomicInteger(random.nextInt(30));
        Conditions.await(
            "a map",
            () -> {
              boolean isRunning = running(jobs, "yarn-random") != null;
              return result.isDone() || isRunning && looks.getAndDecrement() <= 0;
            });
        Job job = running(jobs, "yarn-random");
        List<TaskAttemptID> attempts = job == null ? Collections.emptyList() : attempts(job);
        if (!attempts.isEmpty()) {
          TaskAttemptID attempt = attempts.get(random.nextInt(attempts.size()));
          ended += end(job, attempt, random.nextInt(3)) ? 1 : 0;
        }
      }
    } finally {
      jobs.close();
    }
    return ended;
  }

  /** Ends a map, and returns whether it still ran. */
  private static boolean end(Job job, TaskAttemptID attempt, int way) {
    if (way == 0) {
      return ProcessHandle.current()
          .descendants()
          .filter(one -> one.info().commandLine().orElse("").contains(attempt.toString()))
          .map(ProcessHandle::destroyForcibly)
          .reduce(false, Boolean::logicalOr);
    }
    try {
      if (way == 1) {
        job.killTask(attempt);
      } else {
        job.failTask(attempt);
      }
      return true;
    } catch (IOException e) {
      // It has ended by itself.
      return false;
    }
  }

  /** Checks the hosts of the running job's splits. */
  private static void assertInCoreRacks(String path) throws Exception {
    Path orders = null;
    for (String temporary : cluster.temporaries()) {
      orders = temporary.contains("/wave-") ? new Path(temporary, "orders") : orders;
    }
    Job job = Job.getInstance(yarn.getConfig());
    FileInputFormat.setInputPaths(job, orders);
    List<InputSplit> splits = new GroupInputFormat().getSplits(job);
    assertThat(splits).hasSize(2);
    for (InputSplit split : splits) {
      GroupOrder order = GroupOrder.parse(((GroupSplit) split).orders().get(0).toString());
      assertThat(split.getLocations()).isNotEmpty();
      assertInCoreRack(
          cluster
              .fs()
              .getClient()
              .getLocatedBlocks(path, order.copy.offset, order.copy.length)
              .getLocatedBlocks(),
          split.getLocations());
    }
  }

  private static void assertInCoreRack(List<LocatedBlock> group, String[] hosts) {
    Map<String, String> racks = new HashMap<>();
    Map<String, Integer> blocks = new HashMap<>();
    for (LocatedBlock block : group) {
      Set<String> of = new HashSet<>();
      for (DatanodeInfo node : block.getLocations()) {
        racks.put(node.getHostName(), node.getNetworkLocation());
        of.add(node.getNetworkLocation());
      }
      of.forEach(rack -> blocks.merge(rack, 1, Integer::sum));
    }
    int most = blocks.values().stream().mapToInt(Integer::intValue).max().getAsInt();
    for (String host : hosts) {
      assertThat(racks.get(host)).isEqualTo(racks.get(hosts[0]));
      assertThat(blocks.get(racks.get(host))).isEqualTo(most);
    }
  }

  /** Returns whether maps have created a file whose name contains a string. */
  private static boolean isFileOfMaps(String name) throws IOException {
    for (String temporary : cluster.temporaries()) {
      if (temporary.endsWith(".maps")) {
        for (FileStatus part : cluster.fs().listStatus(new Path(temporary))) {
          if (part.getPath().getName().contains(name)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  @Test
  void leavesFilesWhoseJobIsKilledAndConvertsThemLater() throws Exception {
    byte[] bytes = cluster.write("/yarn-killed", 3 * BLOCK);
    Set<String> before = internalBlocks();
    JobSettings settings = ConvertCluster.mapped(ConvertCluster.striped("/yarn-killed", CODE));
    settings.bytesPerSecond = BLOCK / 2;

    JobReport killed = with(() -> execute(settings), "yarn-killed", Job::killJob);

    assertThat(killed.failures()).hasSize(1);
    assertThat(killed.failures().get(0).reason).contains("was killed");
    assertThat(cluster.policy("/yarn-killed")).isNull();
    assertThat(cluster.read("/yarn-killed")).isEqualTo(bytes);
    assertThat(cluster.temporaries()).isEmpty();
    Conditions.await("internal blocks to go", () -> internalBlocks().equals(before));

    // The next driver dies while its MapReduce job runs.
    Process driver = drive("/yarn-killed", "again");
    try {
      meddle("again", job -> driver.destroyForcibly().waitFor());
    } catch (AssertionError e) {
      throw new AssertionError(Files.readString(directory.resolve("driver.log")), e);
    } finally {
      driver.destroyForcibly();
    }
    assertThat(cluster.read("/yarn-killed")).isEqualTo(bytes);

    try (Driver next = driver()) {
      JobReport report = next.resume("/yarn-killed", "again", new JobTuning());
      assertThat(report.failures()).isEmpty();
      assertThat(report.rolledBack()).isEqualTo(1);
      assertThat(report.converted()).isEqualTo(1);
    }
    assertThat(states("again")).contains(JobStatus.State.KILLED, JobStatus.State.SUCCEEDED);
    assertThat(cluster.policy("/yarn-killed")).isEqualTo(POLICY);
    assertThat(cluster.read("/yarn-killed")).isEqualTo(bytes);
    cluster.assertHealthy("/yarn-killed");
    cluster.assertParityRight("/yarn-killed");
    assertThat(cluster.temporaries()).isEmpty();
  }

  private static Set<JobStatus.State> states(String name) throws Exception {
    Cluster jobs = new Cluster(yarn.getConfig());
    Set<JobStatus.State> states = new HashSet<>();
    for (JobStatus status : jobs.getAllJobStatuses()) {
      if (status.getJobName().startsWith(MapJobs.name(name) + " ")) {
        states.add(status.getState());
      }
    }
    jobs.close();
    return states;
  }

  /**
   * Returns the names of files of internal blocks on the disks of all DataNodes: their ids are
   * negative.
   */
  private static Set<String> internalBlocks() throws IOException {
    try (Stream<java.nio.file.Path> files = Files.walk(directory.resolve("dfs"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("blk_-"))
          .collect(Collectors.toSet());
    }
  }

  /** Starts a driver as a separate process, slow enough to be killed. */
  private static Process drive(String path, String job) throws IOException {
    return ForkedJvm.of(
            ConvertMain.class,
            "convert",
            cluster.mini.getURI() + path,
            "--policy=" + CODE,
            "--layout=striped",
            "--cell-size=64KiB",
            "--allow-stale-readers",
            "--driver=mapreduce",
            "--throttle=" + BLOCK / 2,
            "--job=" + job,
            "--execute")
        // Later files override earlier ones, and so do the defaults of the later ones.
        .site(directory.resolve("conf"), yarn.getConfig(), "core", "hdfs", "mapred", "yarn")
        .start(directory.resolve("driver.log"));
  }
}
