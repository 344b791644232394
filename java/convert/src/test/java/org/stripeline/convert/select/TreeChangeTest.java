// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.TableText;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.report.Vanished;
import org.stripeline.convert.settings.JobSettings;

/** Tests trees that users or other jobs change during the walk. */
class TreeChangeTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory,
            6,
            3,
            conf -> {
              // The limit applies to locations: 3 files of one block, with 3 replicas each.
              conf.setInt("dfs.ls.limit", 8);
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
            });
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void write(String directory, int files) throws IOException {
    for (int i = 0; i < files; i++) {
      cluster.write(directory + "/f" + i, 10);
    }
  }

  private static void rename(String from, String to) {
    try {
      assertThat(cluster.fs().rename(new Path(from), new Path(to))).isTrue();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static FileFinder finder(String root) throws IOException {
    return new FileFinder(cluster.fs().getClient(), root, JobDirectory.ROOT_DEFAULT);
  }

  private static List<String> rest(FileFinder finder) throws IOException {
    List<String> paths = new ArrayList<>();
    while (finder.hasNext()) {
      paths.add(finder.next().path());
    }
    return paths;
  }

  private static void assertVanished(Vanished vanished, long directories, long files) {
    assertThat(vanished.directories).as("%s", vanished.examples).isEqualTo(directories);
    assertThat(vanished.files).as("%s", vanished.examples).isEqualTo(files);
  }

  @Test
  void findsAllFilesOfAnUnchangedTree() throws Exception {
    write("/rest/a", 5);
    write("/rest/b", 1);
    FileFinder finder = finder("/rest");
    assertThat(rest(finder)).hasSize(6).contains("/rest/a/f4", "/rest/b/f0");
    assertVanished(finder.vanished(), 0, 0);
    finder = finder("/rest/a/f3");
    assertThat(rest(finder)).containsExactly("/rest/a/f3");
    assertVanished(finder.vanished(), 0, 0);
  }

  @Test
  void countsADirectoryThatIsRenamedBeforeItIsEntered() throws Exception {
    write("/ahead/a", 1);
    write("/ahead/b", 1);
    FileFinder finder = finder("/ahead");
    assertThat(finder.next().path()).isEqualTo("/ahead/a/f0");
    rename("/ahead/b", "/ahead-b");
    assertThat(rest(finder)).isEmpty();
    assertVanished(finder.vanished(), 1, 0);
    assertThat(finder.vanished().examples).containsExactly("/ahead/b");
  }

  @Test
  void countsADirectoryThatIsDeletedBetweenPages() throws Exception {
    write("/paged/a", 5);
    write("/paged/b", 1);
    FileFinder finder = finder("/paged");
    assertThat(finder.next().path()).isEqualTo("/paged/a/f0");
    cluster.fs().delete(new Path("/paged/a"), true);
    assertThat(rest(finder)).containsExactly("/paged/a/f1", "/paged/a/f2", "/paged/b/f0");
    assertVanished(finder.vanished(), 1, 0);
  }

  @Test
  void countsADirectoryThatAnotherReplaced() throws Exception {
    write("/other/a", 5);
    write("/other-one", 5);
    cluster.write("/other-one/g", 10);
    FileFinder finder = finder("/other");
    assertThat(finder.next().path()).isEqualTo("/other/a/f0");
    rename("/other/a", "/other-away");
    rename("/other-one", "/other/a");
    // The files of the page that was already read, and none of the new directory at the same path.
    assertThat(rest(finder)).containsExactly("/other/a/f1", "/other/a/f2");
    assertVanished(finder.vanished(), 1, 0);
  }

  @Test
  void countsTheTreeAndDirectoriesThatBecameFiles() throws Exception {
    write("/root/a/b", 5);
    write("/root/a/c", 1);
    FileFinder finder = finder("/root");
    assertThat(finder.next().path()).isEqualTo("/root/a/b/f0");
    rename("/root/a", "/root-a");
    cluster.write("/root/a", 10);
    assertThat(rest(finder)).containsExactly("/root/a/b/f1", "/root/a/b/f2");
    assertVanished(finder.vanished(), 2, 0);
    assertVanished(finder("/no-root").vanished(), 1, 0);
  }

  @Test
  void aDryRunReportsChanges() throws Exception {
    write("/dry/a", 1);
    write("/dry/b", 1);
    JobObserver renamer =
        new JobObserver() {
          @Override
          public void planned(Candidate file, FileDecision decision) {
            rename("/dry/b", "/dry-b");
          }
        };
    Totals totals;
    JobSettings settings = ConvertCluster.striped("/dry", CODE);
    try (Driver driver = cluster.driver(cluster.client(), renamer, StepListener.NONE)) {
      totals = driver.plan(settings);
    }
    assertVanished(totals.vanished, 1, 0);
    StringWriter out = new StringWriter();
    new TableText(new PrintWriter(out)).plan(settings, totals, Collections.emptyMap());
    assertThat(out.toString())
        .contains(
            "renamed or deleted before they were examined: 1 directory, 0 files; such as /dry/b");
  }

  @Test
  void aDryRunOfUndoReportsDeletedFiles() throws Exception {
    cluster.write("/undo-dry/a", 3 * BLOCK);
    cluster.write("/undo-dry/b", 3 * BLOCK);
    try (Driver driver = cluster.driver()) {
      driver.execute(ConvertCluster.striped("/undo-dry", CODE), "undo-dry");
    }
    JobObserver deleter =
        new JobObserver() {
          @Override
          public void planned(Candidate file, FileDecision decision) {
            rename("/undo-dry/b", "/undo-dry-b");
            try {
              cluster.fs().delete(new Path("/undo-dry-b"), false);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), deleter, StepListener.NONE)) {
      Totals totals = driver.plan(ConvertCluster.undo("/undo-dry"));
      assertThat(totals.files).isEqualTo(1);
      assertVanished(totals.vanished, 0, 1);
    }
  }

  @Test
  void aJobThatDidNotExamineAllFilesIsNotComplete() throws Exception {
    byte[] bytes = cluster.write("/moving/a/0", 3 * BLOCK);
    cluster.write("/moving/a/1", 3 * BLOCK);
    byte[] moved = cluster.write("/moving/b/0", 3 * BLOCK);
    JobSettings settings = ConvertCluster.striped("/moving", CODE);
    // The walk waits for the first file before it continues after the second.
    settings.filesAtOnce = 1;
    StepListener renamer =
        (step, path) -> {
          if (step == Step.CREATED && path.equals("/moving/a/0")) {
            rename("/moving/b", "/moving/c");
          }
        };
    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, renamer)) {
      report = driver.execute(settings, "moving");
    }

    assertThat(report.failures()).isEmpty();
    assertThat(report.converted()).isEqualTo(2);
    assertVanished(report.vanished(), 1, 0);
    assertThat(report.isComplete()).isFalse();
    StringWriter out = new StringWriter();
    new TableText(new PrintWriter(out)).report(report, 1);
    assertThat(out.toString())
        .contains("1 directory, 0 files; such as /moving/b", "begin another job");
    assertThat(cluster.policy("/moving/c/0")).isNull();

    try (Driver driver = cluster.driver()) {
      JobReport again = driver.execute(settings, "moving-again");
      assertThat(again.converted()).isEqualTo(1);
      assertThat(again.isComplete()).isTrue();
    }
    assertThat(cluster.policy("/moving/c/0")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/moving/c/0")).isEqualTo(moved);
    assertThat(cluster.read("/moving/a/0")).isEqualTo(bytes);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aFileThatIsMetTwiceIsConvertedOnce() throws Exception {
    byte[] bytes = cluster.write("/twice/a", 3 * BLOCK);
    cluster.write("/twice/a0", 3 * BLOCK);
    cluster.write("/twice/a1", 3 * BLOCK);
    cluster.write("/twice/b/last", 3 * BLOCK);
    JobSettings settings = ConvertCluster.striped("/twice", CODE);
    // The walk waits for the end of the second file before it continues after the third.
    settings.filesAtOnce = 2;
    CountDownLatch isRenamed = new CountDownLatch(1);
    CountDownLatch isLast = new CountDownLatch(1);
    StepListener renamer =
        (step, path) -> {
          // After the lease is taken the file is open, and would be skipped for that reason.
          if (step == Step.BEGUN && path.equals("/twice/a")) {
            rename("/twice/a", "/twice/b/a");
            isRenamed.countDown();
            await(isLast);
          } else if (step == Step.CHECKED && path.equals("/twice/a0")) {
            await(isRenamed);
          } else if (step == Step.CHECKED && path.equals("/twice/b/last")) {
            isLast.countDown();
          }
        };
    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, renamer)) {
      report = driver.execute(settings, "twice");
    }
    assertThat(report.failures()).isEmpty();
    assertThat(report.converted()).isEqualTo(4);
    assertThat(cluster.policy("/twice/b/a")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/twice/b/a")).isEqualTo(bytes);
    assertThat(cluster.temporaries()).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void twoCopyingJobsOnOneTreeLoseNothing() throws Exception {
    twoJobs("/both-striped", ConvertCluster.striped("/both-striped", CODE), "RS-3-2-64k");
  }

  @Test
  void twoAdoptingJobsOnOneTreeLoseNothing() throws Exception {
    twoJobs("/both", ConvertCluster.contiguous("/both", CODE), "RS-3-2-1024k");
  }

  /** Jobs in directories with different parents cannot detect each other. */
  private static void twoJobs(String tree, JobSettings settings, String policy) throws Exception {
    Map<String, byte[]> files = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      String path = tree + "/f" + i;
      files.put(path, cluster.write(path, 3 * BLOCK + i));
    }
    CountDownLatch begun = new CountDownLatch(2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<JobReport>> jobs = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        String root = tree + "-jobs/" + i;
        JobObserver together =
            new JobObserver() {
              @Override
              public void begun(JobDirectory directory, Totals totals) {
                begun.countDown();
                await(begun);
              }
            };
        jobs.add(
            threads.submit(
                () -> {
                  DistributedFileSystem client = cluster.client();
                  try (Driver driver = new Driver(client, root, together, StepListener.NONE)) {
                    return driver.execute(settings, "job");
                  }
                }));
      }
      long converted = 0;
      for (Future<JobReport> job : jobs) {
        converted += job.get().converted();
      }
      assertThat(converted).isEqualTo(files.size());
    } finally {
      threads.shutdownNow();
    }
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      assertThat(cluster.policy(file.getKey())).isEqualTo(policy);
      cluster.assertBytes(file.getKey(), file.getValue());
      cluster.assertHealthy(file.getKey());
    }
    for (int i = 0; i < 2; i++) {
      FileStatus[] left = cluster.fs().listStatus(new Path(tree + "-jobs/" + i, "job"));
      assertThat(left).extracting(status -> status.getPath().getName()).doesNotContain("tmp");
    }
  }
}
