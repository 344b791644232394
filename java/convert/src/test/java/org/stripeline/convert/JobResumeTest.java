// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.Layout;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.Conditions;

/**
 * Tests that a resumed job keeps its settings, and that its files are recovered even if it cannot
 * continue.
 */
@Tag("full")
class JobResumeTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  /** The command that was run last. */
  private CommandRun last;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory, 6, 3, conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Runs a job until all of its files, which are converted concurrently, have reached a step. */
  private static void kill(JobSettings settings, Step step, int files) throws IOException {
    settings.filesAtOnce = files;
    CyclicBarrier all = new CyclicBarrier(files);
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, step, 1);
    StepListener listener =
        (reached, path) -> {
          if (reached == step && !crash.happened()) {
            await(all);
          }
          crash.reached(reached, path);
        };
    try (Driver driver = cluster.driver(client, JobObserver.NONE, listener)) {
      assertThatThrownBy(() -> driver.execute(settings, settings.path.substring(1)))
          .isInstanceOfAny(Crash.Death.class, JournalLostException.class);
    }
  }

  private static void await(CyclicBarrier all) {
    try {
      all.await(1, TimeUnit.MINUTES);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static JobReport resume(String path, StepListener listener) throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.resume(path, null, new JobTuning());
    }
  }

  private int run(String path, String... options) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add("convert");
    arguments.add(cluster.uri() + path);
    arguments.addAll(Arrays.asList(options));
    last = CommandRun.of(ConvertMain.commandLine(), arguments);
    return last.status();
  }

  private static JsonObject settings(String job) throws IOException {
    Path file = new Path(JobDirectory.ROOT_DEFAULT + "/" + job, "job.json");
    try (InputStreamReader in = new InputStreamReader(cluster.fs().open(file))) {
      return JsonParser.parseReader(in).getAsJsonObject();
    }
  }

  private static boolean isFinished(String job) throws IOException {
    return !cluster.fs().exists(new Path(JobDirectory.ROOT_DEFAULT + "/" + job, "tmp"));
  }

  private static void assertNobodyWrites(String path) throws Exception {
    cluster.fs().append(new Path(path)).close();
  }

  /** A file that would be left now keeps the layout that was announced for it. */
  @Test
  void aJobWithAutomaticLayoutKeepsTheLayoutsThatItAnnounced() throws Exception {
    byte[] copied = cluster.write("/auto/a", BLOCK);
    byte[] adopted = cluster.write("/auto/b", 3 * BLOCK);
    JobSettings begun = ConvertCluster.striped("/auto", CODE);
    begun.layout = Layout.AUTO;
    kill(begun, Step.CREATED, 2);
    byte[] later = cluster.write("/auto/later", BLOCK);
    Path file = new Path(JobDirectory.ROOT_DEFAULT + "/auto", "job.json");
    JsonObject changed = settings("auto");
    assertThat(changed.get("layout").getAsString()).isEqualTo("auto");
    changed.addProperty("allowStaleReaders", false);
    try (OutputStream to = cluster.fs().create(file, true)) {
      to.write(changed.toString().getBytes(StandardCharsets.UTF_8));
    }

    JobReport report = resume("/auto", StepListener.NONE);

    assertThat(report.failures()).isEmpty();
    assertThat(report.rolledBack()).isEqualTo(2);
    assertThat(report.converted()).isEqualTo(2);
    assertThat(cluster.policy("/auto/a")).isEqualTo(CODE + "-64k");
    assertThat(cluster.policy("/auto/b")).isEqualTo(CODE + "-" + (BLOCK >> 10) + "k");
    assertThat(cluster.policy("/auto/later")).isNull();
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(ConvertCluster.undo("/auto"), "auto-undone").converted())
          .isEqualTo(2);
    }
    assertThat(cluster.policy("/auto/a")).isNull();
    assertThat(cluster.policy("/auto/b")).isNull();
    cluster.assertBytes("/auto/a", copied);
    cluster.assertBytes("/auto/b", adopted);
    cluster.assertBytes("/auto/later", later);
  }

  @Test
  void theCommandKeepsTheJobsSettingsExceptGivenOnes() throws Exception {
    byte[] bytes = cluster.write("/kept/a", 3 * BLOCK);
    JobSettings begun = ConvertCluster.striped("/kept", CODE);
    begun.bytesPerSecond = BLOCK;
    begun.groupsAtOnce = 3;
    begun.properties.put("some.key", "some value");
    begun.properties.put(
        "dfs.namenode.http-address", cluster.mini.getHttpUri(0).substring("http:".length() + 2));
    kill(begun, Step.CREATED, 1);

    assertThat(run("/kept", "--resume", "--groups-at-once=7")).as(last.err()).isZero();

    assertThat(last.err()).startsWith("Continuing the job; the lease of its last driver");
    // Limited to 1 MiB/s.
    String line = last.out();
    double seconds = Double.parseDouble(line.replaceAll("(?s).* in ([0-9.]+) s.*", "$1"));
    assertThat(seconds).as(line).isGreaterThan(2);
    JsonObject kept = settings("kept");
    assertThat(kept.get("bytesPerSecond").getAsLong()).isEqualTo(BLOCK);
    assertThat(kept.get("filesAtOnce").getAsInt()).isEqualTo(1);
    assertThat(kept.get("groupsAtOnce").getAsInt()).isEqualTo(7);
    assertThat(kept.getAsJsonObject("properties").get("some.key").getAsString())
        .isEqualTo("some value");
    assertThat(cluster.policy("/kept/a")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/kept/a")).isEqualTo(bytes);
  }

  @Test
  void aSecondResumeHasTheSettingsOfTheFirst() throws Exception {
    cluster.write("/twice/a", 2 * BLOCK);
    JobSettings begun = ConvertCluster.striped("/twice", CODE);
    begun.bytesPerSecond = BLOCK;
    kill(begun, Step.CREATED, 1);
    DistributedFileSystem client = cluster.client();
    JobTuning tuning = new JobTuning();
    tuning.bytesPerSecond = 0L;
    tuning.filesAtOnce = 2;
    try (Driver driver =
        cluster.driver(client, JobObserver.NONE, new Crash(client, Step.CREATED, 1))) {
      assertThatThrownBy(() -> driver.resume("/twice", null, tuning))
          .isInstanceOf(Crash.Death.class);
    }

    assertThat(settings("twice").get("bytesPerSecond").getAsLong()).isZero();
    assertThat(settings("twice").get("filesAtOnce").getAsInt()).isEqualTo(2);
    assertThat(resume("/twice", StepListener.NONE).converted()).isEqualTo(1);
    assertThat(settings("twice").get("filesAtOnce").getAsInt()).isEqualTo(2);
  }

  @Test
  void settingsAreOnTheDisksOfTheirDataNodes() throws Exception {
    JobSettings settings = ConvertCluster.undo("/none");
    long before = syncs();
    JobDirectory job = JobDirectory.create(cluster.fs(), "/synced", "job", settings);
    assertThat(syncs()).isGreaterThanOrEqualTo(before + 3);
    before = syncs();
    job.keep(settings);
    assertThat(syncs()).isGreaterThanOrEqualTo(before + 3);
  }

  private static long syncs() {
    return cluster.mini.getDataNodes().stream()
        .map(node -> MetricsAsserts.getMetrics(node.getMetrics().name()))
        .mapToLong(metrics -> MetricsAsserts.getLongCounter("FsyncCount", metrics))
        .sum();
  }

  @Test
  void theDriverHasAsManyFilesAtOnceAsTheJob() throws Exception {
    for (int i = 0; i < 3; i++) {
      cluster.write("/single/" + i, 2 * BLOCK);
    }
    kill(ConvertCluster.striped("/single", CODE), Step.CREATED, 1);
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(2);
    StepListener counter =
        (step, path) -> {
          if (step == Step.CHECKED) {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            second.countDown();
            awaitBriefly(second);
          } else if (step == Step.ENDED) {
            now.decrementAndGet();
          }
        };

    assertThat(resume("/single", counter).converted()).isEqualTo(3);
    assertThat(most).hasValue(1);
  }

  private static void awaitBriefly(CountDownLatch latch) {
    try {
      latch.await(500, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void refusesOptionsThatItWouldIgnore() throws Exception {
    for (String option :
        new String[] {
          "--storage-policy=COLD", "--min-age=1d", "--driver=mapreduce", "--allow-rack-loss"
        }) {
      assertThat(run("/x", "--resume", option)).isEqualTo(ExitStatus.USAGE);
      assertThat(last.err()).contains("leave " + option.split("=")[0] + " out");
    }
  }

  @Test
  void recoversAJobWhoseTreeWasRenamedAndEndsIt() throws Exception {
    byte[] bytes = cluster.write("/renamed/a", 2 * BLOCK);
    cluster.write("/renamed/b", 2 * BLOCK);
    kill(ConvertCluster.contiguous("/renamed", CODE), Step.LINKED, 2);
    cluster.fs().rename(new Path("/renamed"), new Path("/renamed-away"));

    assertThat(run("/renamed", "--resume")).as(last.err()).isEqualTo(ExitStatus.FAILED);

    assertThat(last.out())
        .contains("rolled back work in progress of a dead driver: 2 files")
        .contains("Nothing exists at /renamed any more, so the job ends");
    assertThat(isFinished("renamed")).isTrue();
    assertNobodyWrites("/renamed-away/a");
    assertNobodyWrites("/renamed-away/b");
    assertThat(cluster.read("/renamed-away/a")).isEqualTo(bytes);
  }

  @Test
  void recoversAJobWhoseTreeWasReplacedByAFile() throws Exception {
    cluster.write("/below/tree/a", 2 * BLOCK);
    JobSettings settings = ConvertCluster.striped("/below/tree", CODE);
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, Step.MADE, 1);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
      assertThatThrownBy(() -> driver.execute(settings, "below")).isInstanceOf(Crash.Death.class);
    }
    cluster.fs().delete(new Path("/below"), true);
    cluster.write("/below", 10);

    JobReport report = resume("/below/tree", StepListener.NONE);

    assertThat(report.rolledBack()).isEqualTo(1);
    assertThat(report.gone()).contains("/below/tree");
    assertThat(report.isComplete()).isFalse();
    assertThat(isFinished("below")).isTrue();
  }

  @Test
  void recoversWithoutAnAgentAndContinuesWhenItReturns() throws Exception {
    byte[] bytes = cluster.write("/agentless/a", 4 * BLOCK);
    kill(ConvertCluster.contiguous("/agentless", CODE), Step.FENCED, 1);
    DataNode node = cluster.mini.getDataNodes().get(0);
    AgentSwitch.stop(node);
    try {
      assertThat(run("/agentless", "--resume")).isEqualTo(ExitStatus.USAGE);
      assertThat(last.out()).contains("rolled back work in progress of a dead driver: 1 file");
      assertThat(last.err()).contains("1 of 6 DataNodes have no suitable agent");
      assertNobodyWrites("/agentless/a");
      assertThat(isFinished("agentless")).isFalse();
    } finally {
      AgentSwitch.start(node);
    }

    JobReport report = resume("/agentless", StepListener.NONE);

    assertThat(report.rolledBack()).isZero();
    assertThat(report.converted()).isEqualTo(1);
    assertThat(isFinished("agentless")).isTrue();
    cluster.assertBytes("/agentless/a", bytes);
    cluster.assertParityRight("/agentless/a");
  }

  /** The soft limit of leases is half a second here, the hard limit an hour. */
  @Test
  void aUserAppendsToTheFileOfADeadDriverAfterTheSoftLimitOfItsLease() throws Exception {
    byte[] bytes = cluster.write("/taken/a", 4 * BLOCK);
    kill(ConvertCluster.contiguous("/taken", CODE), Step.FENCED, 1);
    Conditions.await("the lease of the dead driver to end", () -> isAppended("/taken/a"));

    JobReport report = resume("/taken", StepListener.NONE);

    assertThat(report.rolledBack()).isEqualTo(1);
    assertThat(report.failures()).isEmpty();
    assertThat(cluster.read("/taken/a")).startsWith(bytes).hasSize(4 * BLOCK + 1);
  }

  private static boolean isAppended(String path) {
    try (OutputStream append = cluster.fs().append(new Path(path))) {
      append.write(7);
      return true;
    } catch (IOException e) {
      // The first attempt begins the recovery of the lease.
      return false;
    }
  }

  @Test
  void oneFileThatCannotBeRecoveredStopsNoOther() throws Exception {
    byte[] bytes = cluster.write("/stuck/a", 2 * BLOCK);
    cluster.write("/stuck/b", 2 * BLOCK);
    cluster.write("/stuck/c", 2 * BLOCK);
    kill(ConvertCluster.striped("/stuck", CODE), Step.CREATED, 3);
    StepListener failing =
        (step, path) -> {
          if (step == Step.BACK_NAMED && path.equals("/stuck/a")) {
            throw new IllegalStateException("no answer");
          }
        };

    JobReport report = resume("/stuck", failing);

    assertThat(report.rolledBack()).isEqualTo(2);
    assertThat(report.converted()).isEqualTo(2);
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).toString())
        .contains("/stuck/a", "no answer", "run the command again with --resume");
    assertThat(report.isComplete()).isFalse();
    assertThat(cluster.policy("/stuck/a")).isNull();
    assertThat(isFinished("stuck")).isFalse();

    JobReport again = resume("/stuck", StepListener.NONE);

    assertThat(again.rolledBack()).isEqualTo(1);
    assertThat(again.converted()).isEqualTo(1);
    assertThat(isFinished("stuck")).isTrue();
    assertThat(cluster.read("/stuck/a")).isEqualTo(bytes);
  }

  /** Before the totals are known, which takes long in a large tree. */
  @Test
  void aCancelDuringTheFirstWalkEndsTheWalk() throws Exception {
    for (int i = 0; i < 3; i++) {
      cluster.write("/walked/f" + i, 3 * BLOCK);
    }
    JobDirectory job =
        JobDirectory.create(
            cluster.fs(),
            JobDirectory.ROOT_DEFAULT,
            "walked",
            ConvertCluster.contiguous("/walked", CODE));
    AtomicInteger looked = new AtomicInteger();
    AtomicInteger ticked = new AtomicInteger();
    JobObserver cancelling =
        new JobObserver() {
          @Override
          public void looked() {
            if (looked.getAndIncrement() == 0) {
              cancel(job);
              int before = ticked.get();
              // The status thread looks for requests every 5 s.
              Conditions.await("a look for requests", () -> ticked.get() - before > 6);
            }
          }

          @Override
          public void ticked(boolean isPaused) {
            ticked.incrementAndGet();
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), cancelling, StepListener.NONE)) {
      JobReport report = driver.resume("/walked", null, new JobTuning());
      assertThat(report.isCancelled()).isTrue();
      assertThat(report.converted()).isZero();
    }
    assertThat(looked).hasValue(1);
    assertThat(isFinished("walked")).isTrue();
  }

  private static void cancel(JobDirectory job) {
    try {
      job.cancel();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
