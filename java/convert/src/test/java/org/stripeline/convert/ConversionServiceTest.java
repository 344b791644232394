// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.hdfs.DFSOpsCountStatistics;
import org.apache.hadoop.hdfs.DFSOpsCountStatistics.OpType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.ExitStatus;

/**
 * Tests rules on a cluster: which files they convert, in which order, when and by which process.
 */
@Timeout(300)
class ConversionServiceTest extends ServiceTestCase {
  @Test
  void eachFileIsConvertedByTheFirstRuleThatTakesIt() throws Exception {
    write("/shop/hot/a", 2, 50);
    write("/shop/WALs/a", 2, 50);
    write("/shop/new", 2, 1);
    write("/shop/old", 2, 50);
    write("/shop/part/old", 2, 50);
    rules(
        rule("hot", "/shop/hot", "<leave/>"),
        rule("parts", "/shop/pa*", COPY.replace("XOR-2-1", "RS-3-2")),
        rule("none", "/not-there-*", COPY),
        rule("rest", "/shop", "<min-age>30d</min-age>" + COPY));
    byte[] before = cluster.read("/shop/old");

    assertThat(run()).as(err.toString()).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString())
        .contains("rule hot (line 2) leaves its files")
        .contains("rule parts (line 3): Cannot")
        .contains("Nothing was changed");
    assertThat(cluster.fs().exists(new Path(jobs))).isFalse();

    // RS-3-2 needs five DataNodes: the other rules are carried out all the same.
    assertThat(run("--once", "--execute")).as(err.toString()).isEqualTo(ExitStatus.FAILED);
    assertThat(isConverted("/shop/old")).isTrue();
    assertThat(cluster.read("/shop/old")).isEqualTo(before);
    for (String path :
        Arrays.asList("/shop/hot/a", "/shop/WALs/a", "/shop/new", "/shop/part/old")) {
      assertThat(isConverted(path)).as(path).isFalse();
    }
    assertThat(status().state).isEqualTo("stopped");
    assertThat(status().filesConverted).isEqualTo(1);
    assertThat(status().rules)
        .extracting(one -> one.filesConverted)
        .containsExactly(0L, 0L, 0L, 1L);
    assertThat(status().rules.get(1).last).isEqualTo("exit status 2");
    assertThat(status().rules.get(3).last).isEqualTo("done");

    out.getBuffer().setLength(0);
    assertThat(showStatus()).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString())
        .contains(": stopped; status of ")
        .containsPattern("rest +done +\\d{8}-\\d{6}-[0-9a-f]{4} +1 +2.00 MiB +0")
        .contains("/shop");
    out.getBuffer().setLength(0);
    assertThat(showStatus("--json")).isEqualTo(ExitStatus.SOUND);
    JsonObject service =
        JsonParser.parseString(out.toString().split("\n")[0])
            .getAsJsonObject()
            .getAsJsonObject("service");
    assertThat(service.get("filesConverted").getAsLong()).isEqualTo(1);

    explains("/shop/hot/a", "rule hot (line 2) takes it: it stays as it is");
    explains("/shop/new", "rule rest (line 5) takes it: not yet, it must be 30 days old");
    explains("/shop/WALs/a", "stays as it is: written with hsync");
    explains("/shop/old", "rule parts (line 3) does not take it: it is not below /shop/pa*");
    explains("/shop/old", "it stays as it is: has this layout already");
    write("/other", 2, 0);
    explains("/other", "no rule takes it");
    assertThat(run("--explain", "/shop")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("it is a directory");
  }

  private int showStatus(String... more) {
    List<String> words = new ArrayList<>(List.of("status", "-Dfs.defaultFS=" + cluster.uri()));
    words.add("--job-directory=" + jobs);
    words.addAll(List.of(more));
    return ConvertMain.run(cluster, out, err, words);
  }

  private void explains(String path, String text) {
    out.getBuffer().setLength(0);
    assertThat(run("--explain", path)).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains(text);
  }

  @Test
  void optionsOfRulesAndOfJobsAreNotMixed() throws Exception {
    rules(rule("a", "/a", "<leave/>"));
    String[][] wrong = {
      {"--policy=RS-6-3"},
      {"--min-age=1d"},
      {"/a"},
      {"--explain"},
      {"--every=1h"},
      {"--once", "--every=1h", "--execute"},
      {"--every=0s", "--execute"},
      {"--every=x", "--execute"},
      {"--execute", "--dry-run"}
    };
    for (String[] words : wrong) {
      assertThat(run(words)).as(String.join(" ", words)).isEqualTo(ExitStatus.USAGE);
    }
    for (String option : Arrays.asList("--once", "--every=1h", "--explain")) {
      assertThat(ConvertMain.run(cluster, out, err, List.of("convert", "/a", option)))
          .isEqualTo(ExitStatus.USAGE);
    }
    assertThat(err.toString()).contains("Cannot use --explain without --rules");
    assertThat(cluster.fs().exists(new Path(jobs))).isFalse();
  }

  @Test
  void theOldestAndLargestFilesComeFirst() throws Exception {
    write("/sorted/a", 2, 10);
    write("/sorted/b", 2, 30);
    write("/sorted/c/d", 4, 10);
    write("/sorted/e", 2, 60);
    write("/sorted/f", 2, 5);
    rules(rule("all", "/sorted", COPY));

    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).isEqualTo(ExitStatus.SOUND);
    }
    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).isEqualTo(ExitStatus.SOUND);
      // A pass in which there is nothing to do leaves no job.
      assertThat(JobDirectory.all(fs, jobs)).hasSize(1);
    }
    assertThat(swapped)
        .containsExactly("/sorted/e", "/sorted/b", "/sorted/c/d", "/sorted/a", "/sorted/f");
  }

  @Test
  void aWindowEndsAJobAfterTheFileInProgress() throws Exception {
    for (String name : Arrays.asList("a", "b", "c")) {
      write("/night/" + name, 2, 3);
    }
    rules(rule("night", "/night", "<window>22:00-06:00</window>" + COPY));
    listener =
        (step, path) -> {
          if (step == Step.SWAPPED) {
            clock.set("06:00");
          }
        };
    try (DistributedFileSystem fs = cluster.client()) {
      assertThat(service(fs).serve(0)).isEqualTo(ExitStatus.SOUND);
      assertThat(status().rules.get(0).last).isEqualTo("outside its window 22:00-06:00");
      assertThat(swapped).isEmpty();

      clock.set("23:00");
      assertThat(service(fs).serve(0)).isEqualTo(ExitStatus.SOUND);
      assertThat(status().rules.get(0).last).isEqualTo("its window ended");
      assertThat(swapped).containsExactly("/night/a");
      assertThat(JobDirectory.unfinished(fs, jobs)).isEmpty();

      clock.set("23:00");
      listener = StepListener.NONE;
      assertThat(service(fs).serve(0)).isEqualTo(ExitStatus.SOUND);
    }
    assertThat(swapped).containsExactly("/night/a", "/night/b", "/night/c");
  }

  @Test
  void aServiceGoesOnAfterErrorsWithTheRulesOfBefore() throws Exception {
    write("/again/a", 2, 3);
    rules(rule("again", "/again", COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service = service(fs);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      awaitPass(1);
      assertThat(swapped).containsExactly("/again/a");
      assertThat(status().nextPassMs).isEqualTo(clock.millis() + 3_600_000);

      Files.write(rules, "<rules>".getBytes(StandardCharsets.UTF_8));
      write("/again/b", 2, 3);
      clock.set("13:00");
      awaitPass(2);
      assertThat(status().rulesError).contains("the rules of before stay in force");
      assertThat(swapped).containsExactly("/again/a", "/again/b");

      rules(rule("more", "/again", COPY));
      clock.set("14:00");
      awaitPass(3);
      assertThat(status().rulesError).isNull();
      assertThat(status().rules).extracting(one -> one.name).containsExactly("more");

      service.stop();
      assertThat(serving.get(60, TimeUnit.SECONDS)).isEqualTo(ExitStatus.SOUND);
      assertThat(status().state).isEqualTo("stopped");
    }
  }

  @Test
  void onlyOneServiceWorksAndTheNextTakesOver() throws Exception {
    rules(rule("one", "/one-of-two", COPY));
    cluster.fs().mkdirs(new Path("/one-of-two"));
    try (DistributedFileSystem fs = cluster.client();
        DistributedFileSystem other = cluster.client()) {
      ConversionService first = service(fs);
      Future<Integer> working = threads.submit(() -> first.serve(3_600_000));
      awaitPass(1);

      assertThatThrownBy(() -> service(other).serve(0))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("another service with " + jobs + " works now");
      ConversionService second = service(other);
      Future<Integer> patient = threads.submit(() -> second.serve(3_600_000));
      await(
          "that it waits",
          () -> said.contains("Another service works; this one takes over when that ends"));
      first.stop();
      assertThat(working.get(60, TimeUnit.SECONDS)).isEqualTo(ExitStatus.SOUND);
      clock.set("12:01");
      await("the second service", () -> "waiting".equals(status().state));
      second.stop();
      assertThat(patient.get(60, TimeUnit.SECONDS)).isEqualTo(ExitStatus.SOUND);
    }
  }

  @Test
  void aServiceThatHasLostItsLeaseDoesNothingMore() throws Exception {
    write("/lost/a", 2, 3);
    rules(rule("lost", "/lost", COPY));
    try (DistributedFileSystem fs = cluster.client()) {
      ConversionService service = service(fs);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      awaitPass(1);
      assertThat(cluster.fs().recoverLease(new Path(jobs, "service.lease"))).isTrue();
      write("/lost/b", 2, 3);
      clock.set("14:00");
      assertThatThrownBy(() -> serving.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IOException.class);
    }
    assertThat(swapped).containsExactly("/lost/a");
  }

  @Test
  void aJobThatADeadServiceLeftIsEnded() throws Exception {
    write("/left/a", 2, 3);
    rules(rule("left", "/left", COPY));
    JobSettings settings = RulesFile.read(rules.toString()).get(0).job("/left", List.of());
    JobDirectory.create(cluster.fs(), jobs, "dead", settings);
    assertThat(run("--execute")).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(err.toString()).contains("Ending job dead, which an earlier service left");
    assertThat(isConverted("/left/a")).isTrue();
    assertThat(JobDirectory.unfinished(cluster.fs(), jobs)).isEmpty();
  }

  @Test
  void aFaultAtAnyQuestionWhetherAJobIsOverEndsItsDriver() throws Exception {
    for (int fault = 1; ; fault++) {
      String path = "/fault-" + fault;
      write(path + "/a", 2, 3);
      write(path + "/b", 2, 3);
      rules(rule("fault", path, COPY));
      JobSettings settings = RulesFile.read(rules.toString()).get(0).job(path, List.of());
      AtomicInteger left = new AtomicInteger(fault);
      try (Driver driver = cluster.driver()) {
        driver.beginUntil(
            () -> {
              if (left.decrementAndGet() == 0) {
                throw new IllegalStateException("fault");
              }
              return false;
            });
        driver.execute(settings, "fault-" + fault);
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("fault");
        continue;
      }
      assertThat(isConverted(path + "/b")).isTrue();
      assertThat(fault).isGreaterThan(4);
      return;
    }
  }

  /** Creates a job of a rule that has done nothing. */
  private void leave(String name, Map<String, String> properties, boolean isEnded)
      throws IOException {
    JobSettings settings = ConvertCluster.undo("/left");
    settings.rule = "left";
    settings.properties.putAll(properties);
    JobDirectory job = JobDirectory.create(cluster.fs(), jobs, name, settings);
    Journal.create(cluster.fs(), job.journalFile()).close();
    if (isEnded) {
      job.markFinished();
    }
  }

  @Test
  void earlierJobsAreEndedWithTheirOwnPropertiesAndListedOnce() throws Exception {
    int ended = 30;
    for (int i = 0; i < ended; i++) {
      leave("ended-" + i, Map.of(), true);
    }
    leave("left", Map.of("stripeline.test.left", "yes"), false);
    StorageStatistics calls = GlobalStorageStatistics.INSTANCE.get(DFSOpsCountStatistics.NAME);
    long before = calls.getLong(OpType.LIST_STATUS.getSymbol());
    try (DistributedFileSystem fs = cluster.client()) {
      int status = new EarlierJobs(fs, jobs, said::add, Ticker.SYSTEM).settle(() -> false);
      assertThat(status).as(said.toString()).isEqualTo(ExitStatus.SOUND);
      assertThat(fs.getConf().get("stripeline.test.left")).isNull();
    }
    assertThat(JobDirectory.unfinished(cluster.fs(), jobs)).isEmpty();
    assertThat(calls.getLong(OpType.LIST_STATUS.getSymbol()) - before)
        .as("listings, of which the check above has one for each job")
        .isLessThan(3L * ended);
  }

  @Test
  void safeModeIsTold() throws Exception {
    write("/safe/a", 2, 3);
    rules(rule("safe", "/safe", COPY));
    cluster.fs().mkdirs(new Path(jobs), JobDirectory.PRIVATE);
    cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    try {
      assertThat(run("--execute", "-Ddfs.client.retry.policy.enabled=false"))
          .isEqualTo(ExitStatus.UNCHECKED);
      assertThat(err.toString()).contains("safe mode");
    } finally {
      cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    }
    assertThat(isConverted("/safe/a")).isFalse();
  }
}
