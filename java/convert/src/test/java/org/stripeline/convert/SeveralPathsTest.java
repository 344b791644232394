// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.hdfs.DFSOpsCountStatistics;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.ProgressText;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Origin;
import org.stripeline.terminal.AtSignal;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;

/** Tests commands with several paths: what they look at, what they say, and their exit status. */
class SeveralPathsTest {
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    cluster = new ConvertCluster(directory, 4, 2, conf -> {});
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private int run(String... arguments) {
    List<String> words = new ArrayList<>(List.of("convert"));
    words.addAll(List.of(arguments));
    return ConvertMain.run(cluster, out, err, words);
  }

  private static long listings() {
    StorageStatistics counts = GlobalStorageStatistics.INSTANCE.get(DFSOpsCountStatistics.NAME);
    return counts.getLong(DFSOpsCountStatistics.OpType.LIST_STATUS.getSymbol());
  }

  @Test
  void aCommandWithManyPathsLooksOnceAtEachEndedJob() throws Exception {
    int jobs = 60;
    int paths = 6;
    String root = "/many-jobs";
    cluster.fs().mkdirs(new Path(root), JobDirectory.PRIVATE);
    for (int i = 0; i < jobs; i++) {
      cluster.fs().create(new Path(root, i + "/journal")).close();
      cluster.fs().create(new Path(root, i + "/job.json")).close();
    }
    for (int i = 0; i < paths; i++) {
      cluster.fs().mkdirs(new Path("/many-paths/" + i));
    }

    long before = listings();
    int status =
        run(
            "/many-paths/*",
            "--policy=XOR-2-1",
            "--layout=striped",
            "--allow-rack-loss",
            "--allow-stale-readers",
            "--job-directory=" + root,
            "--execute");

    assertThat(status).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(listings() - before).isLessThan(2 * jobs + 20 * paths);
    assertThat(cluster.fs().listStatus(new Path(root))).hasSize(jobs + paths);
  }

  /** The jobs, snapshots and globs of a tree are found by comparing paths. */
  @Test
  void aPathThatEndsWithADotIsThatOfTheTree() throws Exception {
    cluster.write("/dot/kept/a", 2 * BLOCK);
    cluster.write("/dot/b", 2 * BLOCK);
    cluster.fs().allowSnapshot(new Path("/dot/kept"));
    cluster.fs().createSnapshot(new Path("/dot/kept"), "one");
    String[] options = {
      "--policy=XOR-2-1", "--layout=striped", "--allow-rack-loss", "--allow-stale-readers", "--json"
    };
    for (String path : new String[] {"/dot/.", "/dot/kept/..", "/dot/"}) {
      List<String> words = new ArrayList<>(List.of(options));
      words.add(path);
      assertThat(run(words.toArray(new String[0]))).as(err.toString()).isZero();
      assertThat(out.toString())
          .contains("\"path\":\"/dot/b\"", "SNAPSHOTTED")
          .doesNotContain("//b", "//kept");
      out.getBuffer().setLength(0);
    }
  }

  @Test
  void namesOfJobsOfOneCommandDiffer() {
    Set<String> names = new HashSet<>();
    int count = 20_000;
    for (int i = 0; i < count; i++) {
      names.add(JobDirectory.newName());
    }
    assertThat(names).hasSize(count);
  }

  @Test
  void aLostNameNodeDoesNotHideThatFilesWereNotConverted() throws Exception {
    cluster.write("/first-of-two/a", 2 * BLOCK);
    JobSettings settings = ConvertCluster.striped("/first-of-two", "XOR-2-1");
    settings.allowRackLoss = true;
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(settings, "two").converted()).isEqualTo(1);
    }
    byte[] more = "9".getBytes(StandardCharsets.US_ASCII);
    cluster.fs().setXAttr(new Path("/first-of-two/a"), Origin.ATTRIBUTE, more);

    String[] paths = {"/first-of-two", "hdfs://127.0.0.1:1/second", "/third"};
    assertThat(
            run(
                paths[0],
                paths[1],
                paths[2],
                "--undo",
                "--execute",
                "-Dipc.client.connect.max.retries=0"))
        .isEqualTo(ExitStatus.FAILED);
    assertThat(out.toString()).contains("not converted: 1 file");
    assertThat(err.toString())
        .contains("ConnectException")
        .contains("Not begun: " + cluster.uri() + "/third");
  }

  @Test
  void anInterruptionSaysWhichJobsHadEnded() {
    PathSequence paths = new PathSequence(List.of("/a", "/b", "/c"));
    List<String> said = new ArrayList<>();
    String none = "Interrupted before the job began: no file was changed.";
    Runnable interrupt = () -> Interruption.explain(paths, name -> null, said::add);
    interrupt.run();
    // No job begins any more.
    assertThat(paths.next()).isFalse();
    assertThat(said).containsExactly(none);

    assertThat(said(1, false)).isEqualTo(none);
    assertThat(said(1, true))
        .isEqualTo("Interrupted after the job on /a had ended.\nEnded: /a\nNot begun: /b /c");
    assertThat(said(3, false))
        .isEqualTo(
            "Interrupted before the job on /c began: no file there was changed.\n"
                + "Ended: /a /b\nNot begun: /c");
    assertThat(said(3, true))
        .isEqualTo("Interrupted after the job on /c had ended.\nEnded: /a /b /c");
  }

  @Test
  void anInterruptionEndsAlthoughItsOutputIsNotRead() {
    PathSequence paths = new PathSequence(List.of("/a"));
    assertThat(paths.next()).isTrue();
    PrintWriter to = new PrintWriter(err);
    Progress progress = new Progress(to, Progress.Style.LINES, System::nanoTime);
    ProgressText shown = new ProgressText(progress, JobObserver.NONE);
    paths.shows(shown);
    // As a thread that prints, and waits for a full pipe.
    synchronized (shown) {
      AtSignal.runOrGiveUp(() -> Interruption.explain(paths, name -> null, text -> {}));
      assertThat(err.toString()).isEmpty();
    }
  }

  /** Interrupts a command at one of its paths, before or after the job there. */
  private static String said(int path, boolean hasEnded) {
    PathSequence paths = new PathSequence(List.of("/a", "/b", "/c"));
    for (int i = 0; i < path; i++) {
      assertThat(paths.next()).isTrue();
      if (hasEnded || i < path - 1) {
        paths.ended();
      }
    }
    List<String> said = new ArrayList<>();
    Interruption.explain(paths, name -> null, said::add);
    return said.stream().collect(Collectors.joining());
  }

  @Test
  void aQuotaOfNamesThatIsTooSmallForAJobIsARefusal() throws Exception {
    cluster.write("/named/a", 2 * BLOCK);
    cluster.write("/other/a", 2 * BLOCK);
    Path few = new Path("/few");
    cluster.fs().mkdirs(few);
    String[] words = {
      "/named",
      "/other",
      "--policy=XOR-2-1",
      "--cell-size=64KiB",
      "--allow-stale-readers",
      "--allow-rack-loss",
      "--execute",
      "--job-directory=/few/jobs"
    };
    // For itself, the parent of jobs, the directory of the job, its tmp, settings, and journal.
    for (int names = 1; names < 6; names++) {
      cluster.fs().setQuota(few, names, HdfsConstants.QUOTA_DONT_SET);
      err.getBuffer().setLength(0);
      assertThat(run(words)).as(names + " names: " + err).isEqualTo(ExitStatus.USAGE);
      assertThat(err.toString())
          .contains(
              "Cannot begin job ",
              "directory /few is exceeded",
              "Not begun: " + cluster.uri() + "/other");
      assertThat(JobDirectory.unfinished(cluster.fs(), "/few/jobs")).isEmpty();
      cluster.fs().delete(new Path("/few/jobs"), true);
    }
    cluster.fs().setQuota(few, HdfsConstants.QUOTA_RESET, HdfsConstants.QUOTA_DONT_SET);
    assertThat(run(words)).as(err.toString()).isEqualTo(ExitStatus.SOUND);
  }
}
