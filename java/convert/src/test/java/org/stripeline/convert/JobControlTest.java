// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.status.JobList;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.Conditions;

/** Tests how other processes than the driver list, pause, continue and cancel jobs. */
class JobControlTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  /** The command that was run last. */
  private CommandRun last;

  /** Steps at {@link Step#CREATED}: one permit lets one file pass. */
  private final Semaphore pass = new Semaphore(0);

  private final Semaphore arrived = new Semaphore(0);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @BeforeAll
  static void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void stopThreads() {
    pass.release(100);
    threads.shutdown();
  }

  private int run(String command, String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.add(command);
    arguments.add(cluster.uri() + "/");
    arguments.addAll(List.of(options));
    return run(arguments);
  }

  private int run(List<String> arguments) {
    last = CommandRun.of(ConvertMain.commandLine(), arguments);
    return last.status();
  }

  private String control(String... options) {
    assertThat(run("convert", options)).as(last.err()).isEqualTo(ExitStatus.SOUND);
    return last.out();
  }

  private int runAs(String user, String group, String command, String... options) throws Exception {
    UserGroupInformation other =
        UserGroupInformation.createUserForTesting(user, new String[] {group});
    return other.doAs((PrivilegedExceptionAction<Integer>) () -> run(command, options));
  }

  private String controlAsCarol(String... options) throws Exception {
    assertThat(runAs("carol", "supergroup", "convert", options))
        .as(last.err())
        .isEqualTo(ExitStatus.SOUND);
    return last.out();
  }

  private void assertRefused(String message, String... options) {
    assertThat(run("convert", options)).as(last.err()).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains(message);
  }

  private JsonObject json(String job) {
    for (String line : control("--list", "--json").split("\n")) {
      JsonObject one = JsonParser.parseString(line).getAsJsonObject();
      if (one.get("job").getAsString().equals(job)) {
        return one;
      }
    }
    throw new AssertionError("no job " + job + " in " + last);
  }

  private String state(String job) {
    return json(job).get("state").getAsString();
  }

  private static Path file(String job, String name) {
    return new Path(JobDirectory.ROOT_DEFAULT + "/" + job, name);
  }

  private static JobReport execute(JobSettings settings, String job, StepListener listener)
      throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.execute(settings, job);
    }
  }

  /** Starts a job that stops at each file until {@link #pass} has a permit. */
  private Future<JobReport> begin(String job) {
    JobSettings settings = ConvertCluster.contiguous("/" + job, CODE);
    settings.filesAtOnce = 1;
    return threads.submit(
        () ->
            execute(
                settings,
                job,
                (step, path) -> {
                  if (step == Step.CREATED) {
                    arrived.release();
                    pass.acquireUninterruptibly();
                  }
                }));
  }

  private void awaitFile() throws InterruptedException {
    assertThat(arrived.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Dates the status of a job back, as if its driver had been silent for two minutes. */
  private static void age(String job) throws IOException {
    long then = System.currentTimeMillis() - TimeUnit.MINUTES.toMillis(2);
    cluster.fs().setTimes(file(job, "status.json"), then, then);
  }

  @Test
  void anotherSuperuserPausesContinuesAndCancelsAJob() throws Exception {
    byte[] second = null;
    for (String name : new String[] {"a", "b", "c"}) {
      byte[] bytes = cluster.write("/shared/" + name, 4 * BLOCK);
      second = name.equals("b") ? bytes : second;
    }
    Future<JobReport> job = begin("shared");
    awaitFile();
    assertThat(controlAsCarol("--status")).contains("shared", "running", "0 of 3", "12.0 MiB");
    assertThat(controlAsCarol("--pause")).contains("Job shared on /shared is paused");
    assertThat(controlAsCarol("--list")).contains("paused");
    long recorded = json("shared").getAsJsonObject("status").get("atMs").getAsLong();
    pass.release();
    Conditions.await(
        "a newer status",
        () -> json("shared").getAsJsonObject("status").get("atMs").getAsLong() > recorded);
    // The file that was begun before the pause waits before its first group.
    assertThat(cluster.policy("/shared/a")).isNull();

    assertThat(controlAsCarol("--continue", "--job=shared")).contains("continues");
    awaitFile();
    assertThat(cluster.policy("/shared/a")).isEqualTo("RS-3-2-1024k");
    assertThat(controlAsCarol("--continue", "--job=shared")).contains("was not paused");
    assertThat(controlAsCarol("--cancel", "--job=shared")).contains("is being cancelled");
    assertThat(state("shared")).isEqualTo("cancelling");
    pass.release();

    JobReport report = job.get(60, TimeUnit.SECONDS);
    assertThat(report.isCancelled()).isTrue();
    assertThat(report.isComplete()).isFalse();
    assertThat(report.converted()).isEqualTo(1);
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).toString()).isEqualTo("/shared/b: the job was cancelled");
    assertThat(cluster.policy("/shared/b")).isNull();
    assertThat(cluster.policy("/shared/c")).isNull();
    cluster.assertBytes("/shared/b", second);
    assertThat(cluster.temporaries()).isEmpty();
    assertThat(state("shared")).isEqualTo("cancelled");
    assertRefused("for job shared: it has ended", "--pause", "--job=shared");
  }

  @Test
  void aCopyIsCancelledWithinAFile() throws Exception {
    byte[] bytes = cluster.write("/copied/a", 12 * BLOCK);
    JobSettings settings = ConvertCluster.striped("/copied", CODE);
    settings.bytesPerSecond = BLOCK;
    Future<JobReport> job =
        threads.submit(
            () ->
                execute(
                    settings,
                    "copied",
                    (step, path) -> {
                      if (step == Step.CREATED) {
                        arrived.release();
                      }
                    }));
    awaitFile();
    control("--cancel", "--job=copied");

    assertThat(job.get(60, TimeUnit.SECONDS).isCancelled()).isTrue();
    assertThat(cluster.policy("/copied/a")).isNull();
    cluster.assertBytes("/copied/a", bytes);
    assertThat(state("copied")).isEqualTo("cancelled");
    assertThat(control("--status", "--job=copied"))
        .containsPattern("cancelled +0 B +12.0 MiB +0 of 1 +1 ");
  }

  @Test
  void aKilledDriverIsInterruptedAndItsJobCanBeCancelled() throws Exception {
    byte[] bytes = cluster.write("/killed/a", 4 * BLOCK);
    DistributedFileSystem client = cluster.client();
    JobSettings settings = ConvertCluster.contiguous("/killed", CODE);
    try (Driver driver =
        cluster.driver(client, JobObserver.NONE, new Crash(client, Step.ENCODED, 1))) {
      assertThatThrownBy(() -> driver.execute(settings, "killed")).isInstanceOf(Crash.Death.class);
    }
    // The status is only seconds old.
    assertThat(state("killed")).isEqualTo("running");
    age("killed");

    assertThat(run("status")).isEqualTo(ExitStatus.SOUND);
    assertThat(last.out())
        .contains("job killed: interrupted, status of 2 min")
        .contains("stripeline convert /killed --resume --job=killed\n");
    assertThat(control("--pause", "--job=killed")).contains("it has no live driver");
    assertThat(state("killed")).isEqualTo("interrupted");
    control("--continue", "--job=killed");

    assertThat(control("--cancel", "--job=killed"))
        .contains("rolled back work in progress of a dead driver: 1 file")
        .contains("job killed was cancelled");
    assertThat(state("killed")).isEqualTo("cancelled");
    assertThat(control("--status", "--job=killed")).containsPattern("cancelled +- +- +- +0 ");
    assertThat(cluster.policy("/killed/a")).isNull();
    cluster.assertBytes("/killed/a", bytes);
    cluster.fs().append(new Path("/killed/a")).close();
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aRefusalAfterAnotherPathWasResumedIsAFailure() throws Exception {
    byte[] bytes = cluster.write("/first/a", 4 * BLOCK);
    JobSettings settings = ConvertCluster.contiguous("/first", CODE);
    JobDirectory.create(cluster.fs(), JobDirectory.ROOT_DEFAULT, "first", settings);

    String root = cluster.uri().toString();
    assertThat(run(List.of("convert", root + "/first", root + "/second", "--resume")))
        .isEqualTo(ExitStatus.FAILED);

    assertThat(last.err()).contains("/second");
    assertThat(state("first")).isEqualTo("finished");
    cluster.assertBytes("/first/a", bytes);
  }

  @Test
  void aJobWhoseDriverDiedBeforeItsJournalCanBeResumedOrCancelled() throws Exception {
    cluster.write("/early/a", 4 * BLOCK);
    for (String name : new String[] {"early", "early2"}) {
      JobSettings settings = ConvertCluster.contiguous("/" + name, CODE);
      JobDirectory.create(cluster.fs(), JobDirectory.ROOT_DEFAULT, name, settings);
      assertThat(state(name)).isEqualTo("begun");
    }
    assertThat(run("status")).isEqualTo(ExitStatus.SOUND);
    assertThat(last.out())
        .contains("job early: begun, nothing has been done\n")
        .contains("continue it with: stripeline convert /early --resume --job=early\n")
        .contains("or end it with: stripeline convert --cancel --job=early\n");

    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, StepListener.NONE)) {
      assertThat(driver.resume("/early", null, new JobTuning()).converted()).isEqualTo(1);
    }
    assertThat(state("early")).isEqualTo("finished");

    assertThat(control("--cancel", "--job=early2")).contains("job early2 was cancelled");
    assertThat(state("early2")).isEqualTo("cancelled");
    // The driver that began it was only slow.
    assertThatThrownBy(() -> Journal.create(cluster.fs(), file("early2", "journal")))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void aNameWhoseDriverDiedBeforeTheSettingsCanBeUsedAgain() throws Exception {
    cluster.write("/half/a", 4 * BLOCK);
    cluster.fs().mkdirs(new Path(JobDirectory.ROOT_DEFAULT), JobDirectory.PRIVATE);
    cluster.fs().mkdirs(file("half", "tmp"), JobDirectory.PRIVATE);

    JobSettings settings = ConvertCluster.contiguous("/half", CODE);
    assertThat(execute(settings, "half", StepListener.NONE).converted()).isEqualTo(1);
    assertThatThrownBy(() -> execute(settings, "half", StepListener.NONE))
        .hasMessageContaining("/half exists; use --resume, or choose another --job");
  }

  @Test
  void aRequestThatComesWhenTheJobEndsIsRefusedAndLeavesNothing() throws Exception {
    cluster.fs().mkdirs(new Path("/ending"));
    execute(ConvertCluster.contiguous("/ending", CODE), "ending", StepListener.NONE);
    JobDirectory job =
        JobDirectory.all(cluster.fs(), JobDirectory.ROOT_DEFAULT).stream()
            .filter(one -> one.name().equals("ending"))
            .findFirst()
            .get();

    assertThatThrownBy(job::cancel).hasMessage("Cannot cancel job ending: it has ended");
    assertThatThrownBy(job::pause).hasMessage("Cannot pause job ending: it has ended");
    assertThat(job.contents().request()).isEqualTo(JobDirectory.Request.NONE);

    cluster.fs().delete(job.path(), true);
    assertThatThrownBy(job::cancel).hasMessage("Cannot cancel job ending: it has ended");
    // A later job of that name would obey the request.
    assertThat(cluster.fs().exists(job.path())).isFalse();
  }

  @Test
  void aCancelDuringACommitLetsTheFileBeConvertedAndBeginsNoOther() throws Exception {
    for (String name : new String[] {"/committed/a", "/committed/b", "/last/a"}) {
      cluster.write(name, 4 * BLOCK);
    }
    for (String job : new String[] {"committed", "last"}) {
      JobSettings settings = ConvertCluster.contiguous("/" + job, CODE);
      settings.filesAtOnce = 1;
      JobReport report =
          execute(
              settings,
              job,
              (step, path) -> {
                if (step == Step.SWAP_NAMED) {
                  control("--cancel", "--job=" + job);
                }
              });
      assertThat(report.converted()).isEqualTo(1);
      assertThat(report.failed()).isZero();
      // Nothing was left to be cancelled in the second job.
      assertThat(report.isComplete()).isEqualTo(job.equals("last"));
      assertThat(state(job)).isEqualTo(job.equals("last") ? "finished" : "cancelled");
    }
    assertThat(cluster.policy("/committed/b")).isNull();
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void showsWhatADriverRecorded() throws Exception {
    cluster.write("/shown/a", 4 * BLOCK);
    execute(ConvertCluster.contiguous("/shown", CODE), "shown", StepListener.NONE);

    JsonObject job = json("shown");
    assertThat(job.get("schema").getAsInt()).isEqualTo(1);
    assertThat(job.get("path").getAsString()).isEqualTo("/shown");
    assertThat(job.get("state").getAsString()).isEqualTo("finished");
    JsonObject status = job.getAsJsonObject("status");
    assertThat(status.get("bytesConverted").getAsLong()).isEqualTo(4L * BLOCK);
    assertThat(status.get("filesConverted").getAsInt()).isEqualTo(1);
    long[] sums = new long[3];
    status
        .getAsJsonObject("dataNodes")
        .entrySet()
        .forEach(
            node -> {
              JsonObject figures = node.getValue().getAsJsonObject();
              sums[0] += figures.get("bytesEncoded").getAsLong();
              sums[1] += figures.get("bytesKept").getAsLong();
              sums[2] += figures.get("bytesWritten").getAsLong();
            });
    assertThat(sums[0]).isEqualTo(4L * BLOCK);
    // Two groups with two parity blocks each.
    assertThat(sums[1] + sums[2]).isEqualTo(8L * BLOCK);
    assertThat(control("--status", "--job=shown")).contains("finished", "1 of 1", "DataNode");
  }

  @Test
  void aStatusThatCannotBeRecordedDoesNotStopTheJob() throws Exception {
    cluster.write("/unrecorded/a", 4 * BLOCK);
    StepListener obstacle =
        (step, path) -> {
          if (step == Step.CHECKED) {
            try {
              cluster.fs().mkdirs(file("unrecorded", "status.json.next"));
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };

    JobReport report =
        execute(ConvertCluster.contiguous("/unrecorded", CODE), "unrecorded", obstacle);

    assertThat(report.isComplete()).isTrue();
    assertThat(state("unrecorded")).isEqualTo("finished");
  }

  @Test
  void deletesOldJobsButNoneThatIsUnfinished() throws Exception {
    cluster.write("/old/a", 4 * BLOCK);
    execute(ConvertCluster.contiguous("/old", CODE), "old", StepListener.NONE);
    execute(ConvertCluster.undo("/old"), "recent", StepListener.NONE);
    cluster.write("/open/a", 4 * BLOCK);
    DistributedFileSystem client = cluster.client();
    try (Driver driver =
        cluster.driver(client, JobObserver.NONE, new Crash(client, Step.FENCED, 1))) {
      assertThatThrownBy(() -> driver.execute(ConvertCluster.contiguous("/open", CODE), "open"))
          .isInstanceOf(Crash.Death.class);
    }
    JobDirectory.create(
        cluster.fs(),
        JobDirectory.ROOT_DEFAULT,
        "unborn",
        ConvertCluster.contiguous("/unborn", CODE));
    long then = System.currentTimeMillis() - TimeUnit.DAYS.toMillis(31);
    for (String job : new String[] {"old", "open", "unborn"}) {
      for (FileStatus one : cluster.fs().listStatus(file(job, "journal").getParent())) {
        cluster.fs().setTimes(one.getPath(), then, then);
      }
    }
    try (DistributedFileSystem other = cluster.client()) {
      JobList jobs = new JobList(other, JobDirectory.ROOT_DEFAULT);
      other.getConf().set(JobList.KEEP_KEY, "soon");
      assertThatThrownBy(jobs::expire).hasMessageContaining("keep=soon is not a time");
      other.getConf().set(JobList.KEEP_KEY, "0");
      jobs.expire();
      other.getConf().set(JobList.KEEP_KEY, "32d");
      jobs.expire();
    }
    assertThat(cluster.fs().exists(file("old", "journal"))).isTrue();
    cluster.write("/new/a", 4 * BLOCK);
    execute(ConvertCluster.contiguous("/new", CODE), "new", StepListener.NONE);

    assertThat(cluster.fs().exists(file("old", "journal"))).isFalse();
    assertThat(cluster.fs().exists(file("unborn", "job.json"))).isFalse();
    assertThat(cluster.fs().exists(file("recent", "journal"))).isTrue();
    assertThat(state("open")).isEqualTo("interrupted");
    control("--cancel", "--job=open");
  }

  @Test
  void refusesWrongNamesAndOptions() {
    assertRefused("there is no job none in /.stripeline/convert", "--pause", "--job=none");
    assertRefused("there is no unfinished job", "--cancel");
    assertRefused("leave --policy out", "--list", "--policy=RS-6-3");
    assertRefused("mutually exclusive", "--list", "--pause");
    assertThat(control("--list", "--job-directory=/nothing")).isEqualTo("There are no jobs.\n");
  }

  @Test
  void oneOfKeytabAndPrincipalIsRefusedByAllCommands() {
    for (String option : List.of("--keytab=/k", "--principal=hdfs@X")) {
      assertThat(run("status", option)).isEqualTo(ExitStatus.USAGE);
      assertThat(last.err()).contains("give both");
      assertRefused("give both", "--list", option);
    }
    assertThat(run("status", "--keytab=/k", "--principal=h@X")).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains("is not kerberos");
  }

  @Test
  void refusesOtherUsersInOneLine() throws Exception {
    cluster.fs().mkdirs(new Path(JobDirectory.ROOT_DEFAULT), JobDirectory.PRIVATE);
    for (String option : new String[] {"--list", "--status", "--pause", "--cancel"}) {
      assertThat(runAs("bob", "people", "convert", option)).isEqualTo(ExitStatus.USAGE);
      assertThat(last.err().trim().split("\n"))
          .singleElement()
          .asString()
          .contains("Cannot read the jobs", "only superusers of HDFS can");
    }
    assertThat(runAs("bob", "people", "status")).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains("only superusers of HDFS can");
  }
}
