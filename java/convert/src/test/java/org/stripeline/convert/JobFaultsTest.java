// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.WatchedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.TableText;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.Origin;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.convert.status.JobEntry;
import org.stripeline.convert.status.JobList;
import org.stripeline.convert.status.JobState;
import org.stripeline.terminal.ExitStatus;

/**
 * Tests what becomes of jobs, and of other files, when files of a job are lost or strange, and when
 * requests come at a bad time.
 */
class JobFaultsTest {
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final String ROOT = JobDirectory.ROOT_DEFAULT;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    cluster = new ConvertCluster(directory, 4, 2, conf -> {});
    cluster.mini.setLeasePeriod(500, 3_600_000);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void deleteJobs() throws IOException {
    cluster.fs().delete(new Path(ROOT), true);
  }

  private int run(String command, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of(arguments));
    return ConvertMain.run(cluster, out, err, words);
  }

  private static JobSettings settings(String path) {
    JobSettings settings = ConvertCluster.striped(path, "XOR-2-1");
    settings.allowRackLoss = true;
    settings.filesAtOnce = 1;
    return settings;
  }

  private static JobDirectory begin(String job, String path) throws IOException {
    return JobDirectory.create(cluster.fs(), ROOT, job, settings(path));
  }

  private static Path file(String job, String name) {
    return new Path(ROOT + "/" + job, name);
  }

  private static void put(Path file, String content) throws IOException {
    try (FSDataOutputStream to = cluster.fs().create(file, true)) {
      to.write(content.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static JobEntry entry(String job) throws IOException {
    List<JobEntry> found = new JobList(cluster.fs(), ROOT).read(job::equals);
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private static void kill(String job, Step step) throws IOException {
    DistributedFileSystem client = cluster.client();
    try (Driver driver = cluster.driver(client, JobObserver.NONE, new Crash(client, step, 1))) {
      assertThatThrownBy(() -> driver.execute(settings("/" + job), job))
          .isInstanceOf(Crash.Death.class);
    }
  }

  private static JobReport resume(String path, String job, StepListener listener)
      throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.resume(path, job, new JobTuning());
    }
  }

  private static void makeOld(Path parent) throws IOException {
    long then = System.currentTimeMillis() - TimeUnit.DAYS.toMillis(31);
    for (FileStatus one : cluster.fs().listStatus(parent)) {
      cluster.fs().setTimes(one.getPath(), then, then);
    }
  }

  @Test
  void deletesOldDirectoriesOfJobsOnly() throws Exception {
    String home = "/home-of-superuser";
    cluster.fs().mkdirs(new Path(home), JobDirectory.PRIVATE);
    for (String name : new String[] {"project/tmp/data", "other/journal", "other/job.json"}) {
      put(new Path(home, name), "precious");
    }
    put(new Path(home, "other/data"), "precious");
    put(new Path(home, "died-early/tmp/job.json.1"), "{");
    JobDirectory begun = JobDirectory.create(cluster.fs(), home, "begun", settings("/x"));
    for (String name : new String[] {"project", "other", "died-early", "begun"}) {
      makeOld(new Path(home, name));
    }

    new JobList(cluster.fs(), home).expire();

    assertThat(cluster.fs().exists(new Path(home, "project/tmp/data"))).isTrue();
    assertThat(cluster.fs().exists(new Path(home, "other/data"))).isTrue();
    assertThat(cluster.fs().exists(new Path(home, "died-early"))).isFalse();
    assertThat(cluster.fs().exists(begun.path())).isFalse();
    assertThatThrownBy(() -> JobDirectory.create(cluster.fs(), home, "project", settings("/x")))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void anOldJobThatIsResumedBeforeItIsDeletedIsKept() throws Exception {
    String home = "/home-of-resumed";
    JobDirectory begun = JobDirectory.create(cluster.fs(), home, "begun", settings("/x"));
    makeOld(begun.path());
    AtomicBoolean isFirst = new AtomicBoolean(true);
    try (DistributedFileSystem client =
        new WatchedFileSystem(
            call -> {
              if ((call.equals("create") || call.equals("delete")) && isFirst.getAndSet(false)) {
                takeUp(begun);
              }
            })) {
      client.initialize(cluster.uri(), new Configuration(cluster.conf()));

      new JobList(client, home).expire();
    }
    assertThat(isFirst).isFalse();
    assertThat(begun.contents().hasJournal()).isTrue();
  }

  private static void takeUp(JobDirectory job) {
    try {
      Journal.create(cluster.fs(), job.journalFile()).close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void requestsOfOperatorsWhoAskAtTheSameTimeAreKept() throws Exception {
    JobDirectory job = begin("asked", "/asked");
    AtomicBoolean isFirst = new AtomicBoolean(true);
    try (DistributedFileSystem client =
        new WatchedFileSystem(
            call -> {
              // The other operator asks between the creation of the file and its end.
              if (call.equals("complete") && isFirst.getAndSet(false)) {
                cancel(job);
              }
            })) {
      client.initialize(cluster.uri(), new Configuration(cluster.conf()));

      JobDirectory.unfinished(client, ROOT).get(0).cancel();
    }
    assertThat(isFirst).isFalse();
    assertThat(job.contents().request()).isEqualTo(JobDirectory.Request.CANCEL);
  }

  private static void cancel(JobDirectory job) {
    try {
      job.cancel();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aJobWhoseStatusIsStrangeIsStillControlled() throws Exception {
    cluster.write("/strange/a", 2 * BLOCK);
    kill("strange", Step.FENCED);
    Path status = file("strange", "status.json");
    String[] contents = {
      "", "[]", "{\"driver\": [", "{\"failures\": null}", "{\"dataNodes\": {\"x\": null}}"
    };
    for (String content : contents) {
      put(status, content);
      assertThat(entry("strange").state()).as(content).isEqualTo(JobState.RUNNING);
      assertThat(entry("strange").status()).as(content).isNull();
      assertThat(run("status", "/")).as(content).isEqualTo(ExitStatus.SOUND);
    }
    assertThat(run("convert", "/", "--pause", "--job=strange")).isEqualTo(ExitStatus.SOUND);
    cluster.fs().delete(status, false);
    cluster.fs().mkdirs(status);
    assertThat(entry("strange").state()).isEqualTo(JobState.PAUSED);
    long then = System.currentTimeMillis() - TimeUnit.MINUTES.toMillis(2);
    cluster.fs().setTimes(status, then, then);
    assertThat(run("status", "/")).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString())
        .contains("job strange: interrupted\n  continue it with: stripeline convert /strange");

    assertThat(run("convert", "/", "--cancel", "--job=strange"))
        .as(err.toString())
        .isEqualTo(ExitStatus.SOUND);
    assertThat(entry("strange").state()).isEqualTo(JobState.CANCELLED);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aJobWithStrangeSettingsBlocksOnlyNewJobsAndSaysSo() throws Exception {
    cluster.fs().mkdirs(new Path("/fine"));
    for (String content : new String[] {"", "{}", "{\"path\": [", "x".repeat((16 << 20) + 1)}) {
      JobDirectory broken = begin("broken", "/broken");
      put(file("broken", "job.json"), content);
      begin("fine", "/fine");
      assertThat(resume("/fine", null, StepListener.NONE).isComplete()).isTrue();
      cluster.fs().delete(file("fine", "x").getParent(), true);
      begin("fine", "/fine");
      assertThat(resume(null, "fine", StepListener.NONE).isComplete()).isTrue();
      assertThat(entry("fine").state()).isEqualTo(JobState.FINISHED);

      try (Driver driver = cluster.driver()) {
        assertThatThrownBy(() -> driver.execute(settings("/fine"), "more"))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("job broken is not finished, and may be on the same files")
            .hasMessageContaining("Cannot read " + ROOT + "/broken/job.json: ");
      }
      assertThatThrownBy(() -> resume(null, "broken", StepListener.NONE))
          .hasMessageContaining("Cannot read " + ROOT + "/broken/job.json: ");
      assertThat(run("convert", "/", "--cancel", "--job=broken")).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(err.toString()).contains("Cannot read " + ROOT + "/broken/job.json: ");
      cluster.fs().delete(broken.path(), true);
      cluster.fs().delete(file("fine", "x").getParent(), true);
    }
  }

  @Test
  void aJobWithoutItsJournalIsNotResumedAsIfNothingHadBeenDone() throws Exception {
    byte[] bytes = cluster.write("/lost/a", 2 * BLOCK);
    kill("lost", Step.SWAP_NAMED);
    cluster.fs().rename(file("lost", "journal"), new Path("/journal-of-lost"));

    assertThat(entry("lost").state()).isEqualTo(JobState.INTERRUPTED);
    for (String[] options : new String[][] {{"/lost", "--resume"}, {"/", "--cancel"}}) {
      assertThat(run("convert", options[0], options[1], "--job=lost")).isEqualTo(ExitStatus.USAGE);
      assertThat(err.toString())
          .contains("Cannot resume job lost: its journal was deleted")
          .doesNotContain("a driver that has the job will end it");
    }
    cluster.fs().rename(new Path("/journal-of-lost"), file("lost", "journal"));
    assertThat(resume("/lost", "lost", StepListener.NONE).isCancelled()).isTrue();
    cluster.assertBytes("/lost/a", bytes);
    cluster.fs().append(new Path("/lost/a")).close();
  }

  @Test
  void aCancelDuringARefusalEndsTheJob() throws Exception {
    cluster.fs().mkdirs(new Path("/refused"));
    JobSettings settings = settings("/refused");
    settings.storagePolicy = "LUKEWARM";
    JobDirectory job = JobDirectory.create(cluster.fs(), ROOT, "refused", settings);
    DistributedFileSystem client =
        new WatchedFileSystem(
            call -> {
              // The check that refuses the job, which follows the first look for requests.
              if (call.equals("getStoragePolicies")) {
                cancel(job);
              }
            });
    client.initialize(cluster.uri(), new Configuration(cluster.conf()));

    JobReport report;
    try (Driver driver = cluster.driver(client, JobObserver.NONE, StepListener.NONE)) {
      report = driver.resume("/refused", "refused", new JobTuning());
    }

    assertThat(report.refusal()).isNull();
    assertThat(report.isCancelled()).isTrue();
    assertThat(entry("refused").state()).isEqualTo(JobState.CANCELLED);
  }

  private static StepListener canceller(String job) {
    return (step, path) -> {
      if (step == Step.SWAP_NAMED) {
        try {
          put(file(job, "cancel"), "");
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
    };
  }

  @Test
  void theJournalSaysHowAJobEndedWhoseLastStatusIsMissing() throws Exception {
    cluster.write("/all/a", 2 * BLOCK);
    cluster.write("/part/a", 2 * BLOCK);
    cluster.write("/part/b", 2 * BLOCK);
    for (String job : new String[] {"all", "part"}) {
      try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, canceller(job))) {
        assertThat(driver.execute(settings("/" + job), job).converted()).isEqualTo(1);
      }
    }
    assertThat(run("convert", "/", "--status", "--job=all")).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString())
        .contains("job all: finished")
        .contains("the request to cancel it came when nothing was left to do");
    assertThat(run("convert", "/", "--status", "--job=part")).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains("job part: cancelled").doesNotContain("came when");

    // As if the drivers had died before they recorded the last status.
    cluster.fs().delete(file("all", "status.json"), false);
    cluster.fs().delete(file("part", "status.json"), false);
    cluster.fs().delete(file("part", "cancel"), false);
    assertThat(entry("all").state()).isEqualTo(JobState.FINISHED);
    assertThat(entry("part").state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aCancelledJobDoesNotWalkTheRestOfTheTree() throws Exception {
    for (String name : new String[] {"/walked/a", "/walked/b"}) {
      cluster.write(name, 2 * BLOCK);
    }
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(settings("/walked"), "walked").converted()).isEqualTo(2);
    }
    for (String name : new String[] {"/walked/a", "/walked/b"}) {
      byte[] more = "9".getBytes(StandardCharsets.US_ASCII);
      cluster.fs().setXAttr(new Path(name), Origin.ATTRIBUTE, more);
    }
    // The driver looks for requests at least every five ticks.
    CountDownLatch looks = new CountDownLatch(6);
    JobObserver observer =
        new JobObserver() {
          private boolean isAsked;

          @Override
          public void ended(String path, long bytes, FileOutcome outcome) {
            try {
              put(file("back", "cancel"), "");
              isAsked = true;
              assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (IOException | InterruptedException e) {
              throw new AssertionError(e);
            }
          }

          @Override
          public void ticked(boolean isPaused) {
            if (isAsked) {
              looks.countDown();
            }
          }
        };

    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      report = driver.execute(ConvertCluster.undo("/walked"), "back");
    }

    assertThat(report.isCancelled()).isTrue();
    assertThat(report.failures()).hasSize(1);
    assertThat(entry("back").state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aJobWithUnsettledFilesIsNotCalledCancelled() throws Exception {
    cluster.write("/unsettled/a", 2 * BLOCK);
    kill("unsettled", Step.FENCED);
    put(file("unsettled", "cancel"), "");

    JobReport report =
        resume(
            "/unsettled",
            "unsettled",
            (step, path) -> {
              if (step == Step.BACK_NAMED) {
                throw new IllegalStateException("no answer");
              }
            });

    new TableText(new PrintWriter(out)).report(report, 1);
    assertThat(out.toString())
        .contains("job unsettled is not cancelled yet", "run --cancel again")
        .doesNotContain("was cancelled");
    assertThat(entry("unsettled").state()).isEqualTo(JobState.INTERRUPTED);
    assertThat(run("status", "/")).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString())
        .contains("end it with: stripeline convert --cancel --job=unsettled\n")
        .doesNotContain("continue it with: stripeline convert /unsettled");
    assertThat(run("convert", "/", "--cancel", "--job=unsettled"))
        .as(err.toString())
        .isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains("job unsettled was cancelled");
  }

  /** A client that does something before it opens a file. */
  private static DistributedFileSystem clientThatOpensAfter(Callable<Void> event)
      throws IOException {
    DistributedFileSystem fs =
        new DistributedFileSystem() {
          @Override
          public FSDataInputStream open(Path file, int buffer) throws IOException {
            try {
              event.call();
            } catch (IOException e) {
              throw e;
            } catch (Exception e) {
              throw new IOException(e);
            }
            return super.open(file, buffer);
          }
        };
    fs.initialize(cluster.uri(), new Configuration(cluster.conf()));
    return fs;
  }

  @Test
  void jobsAreReadConcurrently() throws Exception {
    String root = "/read-together";
    for (String name : new String[] {"one", "two"}) {
      JobDirectory.create(cluster.fs(), root, name, settings("/" + name));
    }
    CountDownLatch both = new CountDownLatch(2);
    try (DistributedFileSystem client =
        clientThatOpensAfter(
            () -> {
              both.countDown();
              assertThat(both.await(60, TimeUnit.SECONDS)).isTrue();
              return null;
            })) {
      assertThat(new JobList(client, root).read().stream().map(JobEntry::name))
          .containsExactly("one", "two");
    }
  }

  @Test
  void aNameNodeThatIsLostDuringAListingIsNotAnEmptyList() throws Exception {
    String root = "/read-partly";
    JobDirectory.create(cluster.fs(), root, "one", settings("/one"));
    try (DistributedFileSystem client =
        clientThatOpensAfter(
            () -> {
              throw new ConnectException("Connection refused");
            })) {
      assertThatThrownBy(() -> new JobList(client, root).read())
          .isInstanceOf(ConnectException.class);
    }
  }
}
