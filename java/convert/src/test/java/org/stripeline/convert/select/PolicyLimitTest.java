// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.AddErasureCodingPolicyResponse;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;

/**
 * Tests that files of many or large block sizes, which any user can write, neither use up the ids
 * of policies nor keep the other files from being converted.
 */
class PolicyLimitTest {
  private static final String CODE = "RS-3-2";
  private static final String CELL_KEY = "dfs.namenode.ec.policies.max.cellsize";
  private static final int KIB = 1 << 10;
  private static final int MANY = 70;

  /** The block size of ordinary files; no policy of Hadoop's own has cells of that size. */
  private static final int ORDINARY = 2 << 20;

  private static final String ORDINARY_POLICY = CODE + "-2048k";
  private static final int USER_DEFINED_IDS = 64;

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory,
            6,
            3,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setInt(CELL_KEY, ORDINARY);
            });
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void write(String path, int block) throws IOException {
    try (FSDataOutputStream out =
        cluster.fs().create(new Path(path), true, 4096, (short) 3, block)) {
      out.write(ConvertCluster.bytes(block, 3 * block));
    }
  }

  /** Writes a file that is older than a job in progress, which would leave it otherwise. */
  private void writeOld(String path, int block) throws IOException {
    write(path, block);
    cluster.fs().setTimes(new Path(path), 1_000_000_000_000L, -1);
  }

  private JobReport execute(String path, String job) throws IOException {
    return execute(ConvertCluster.contiguous(path, CODE), job);
  }

  private JobReport execute(JobSettings settings, String job) throws IOException {
    try (Driver driver = cluster.driver()) {
      JobReport report = driver.execute(settings, job);
      assertThat(report.failures()).isEmpty();
      return report;
    }
  }

  /** Returns the names of the policies that Hadoop does not define itself. */
  private List<String> added() throws IOException {
    return cluster.fs().getAllErasureCodingPolicies().stream()
        .map(ErasureCodingPolicyInfo::getPolicy)
        .filter(policy -> !policy.isSystemPolicy())
        .map(ErasureCodingPolicy::getName)
        .collect(Collectors.toList());
  }

  private void add(ErasureCodingPolicy... policies) throws IOException {
    assertThat(cluster.fs().addErasureCodingPolicies(policies))
        .allMatch(AddErasureCodingPolicyResponse::isSucceed);
  }

  private static ErasureCodingPolicy policy(int cell) {
    return new ErasureCodingPolicy(new ECSchema("rs", 3, 2), cell);
  }

  @Test
  void aJobAddsFewPoliciesForTheBlockSizesOfMostBytes() throws Exception {
    for (int i = 1; i <= MANY; i++) {
      write("/many/" + i, (16 + i) * KIB);
    }
    write("/many/ordinary", ORDINARY);
    long left = MANY + 1 - Policies.ADDED_MAX;
    Map<String, FileDecision> last = new HashMap<>();
    JobObserver observer =
        new JobObserver() {
          @Override
          public void planned(Candidate file, FileDecision decision) {
            last.put(file.path(), decision);
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      Totals plan = driver.plan(ConvertCluster.contiguous("/many", CODE));
      assertThat(plan.files).isEqualTo(Policies.ADDED_MAX);
      assertThat(plan.policies).hasSize(Policies.ADDED_MAX).containsKey(ORDINARY_POLICY);
      assertThat(plan.skipped.get(SkipReason.POLICY_LIMIT).files).isEqualTo(left);
    }
    assertThat(last).hasSize(MANY + 1);
    assertThat(last.get("/many/ordinary").isConvert()).isTrue();
    assertThat(last.get("/many/1").skip()).isEqualTo(SkipReason.POLICY_LIMIT);
    assertThat(added()).isEmpty();

    JobReport report = execute("/many", "many");

    assertThat(report.converted()).isEqualTo(Policies.ADDED_MAX);
    assertThat(report.skipped()).containsEntry(SkipReason.POLICY_LIMIT, left);
    assertThat(added()).hasSize(Policies.ADDED_MAX);
    assertThat(cluster.policy("/many/ordinary")).isEqualTo(ORDINARY_POLICY);
    assertThat(cluster.policy("/many/" + MANY)).isNotNull();
    assertThat(cluster.policy("/many/1")).isNull();
  }

  @Test
  void theLastIdsAreLeftToOperators() throws Exception {
    int taken = USER_DEFINED_IDS - Policies.IDS_SPARED;
    ErasureCodingPolicy[] others = new ErasureCodingPolicy[taken];
    Arrays.setAll(others, i -> policy((i + 1) * KIB));
    add(others);
    for (String name : added()) {
      cluster.fs().removeErasureCodingPolicy(name);
    }
    write("/last/a", ORDINARY);

    JobReport report = execute("/last", "last");

    assertThat(report.converted()).isZero();
    assertThat(report.skipped()).containsEntry(SkipReason.POLICY_LIMIT, 1L);
    assertThat(added()).hasSize(taken);

    add(policy(ORDINARY));
    assertThat(execute("/last", "again").converted()).isEqualTo(1);
    assertThat(cluster.policy("/last/a")).isEqualTo(ORDINARY_POLICY);
  }

  @Test
  void aFileWhoseBlocksAreTooLargeIsLeft() throws Exception {
    write("/large/ordinary", ORDINARY);
    write("/large/one", 2 * ORDINARY);

    JobReport report = execute("/large", "large");

    assertThat(report.converted()).isEqualTo(1);
    assertThat(report.skipped()).containsEntry(SkipReason.CELL_LIMIT, 1L);
    assertThat(cluster.policy("/large/one")).isNull();
    assertThatThrownBy(() -> execute("/large/one", "alone"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(CELL_KEY + " is " + ORDINARY + ", " + 2 * ORDINARY + " is needed");
  }

  /** Otherwise such a job could never end, and no other could begin on its tree. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aJobOfWhichOnlyFilesWithTooLargeBlocksAreLeftCanBeResumed(boolean isUnchecked)
      throws Exception {
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
    write("/large/ordinary", ORDINARY);
    write("/large/one", 2 * ORDINARY);
    JobSettings settings = ConvertCluster.contiguous("/large", CODE);
    settings.skipNameNodeCheck = isUnchecked;
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, Step.ENDED, 1);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
      assertThatThrownBy(() -> driver.execute(settings, "large")).isInstanceOf(Crash.Death.class);
    }
    assertThat(cluster.policy("/large/ordinary")).isEqualTo(ORDINARY_POLICY);

    JobReport report;
    try (Driver driver = cluster.driver()) {
      report = driver.resume("/large", null, new JobTuning());
    }

    assertThat(report.refusal()).isNull();
    assertThat(report.isComplete()).isTrue();
    SkipReason reason = isUnchecked ? SkipReason.POLICY_LIMIT : SkipReason.CELL_LIMIT;
    assertThat(report.skipped()).containsEntry(reason, 1L);
    assertThatThrownBy(() -> execute(settings, "next"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(CELL_KEY);
  }

  @Test
  void aFileThatIsLeftForAnotherReasonIsCountedWithThat() throws Exception {
    write("/reasons/ordinary", ORDINARY);
    write("/reasons/kept/a", ORDINARY / 2 + KIB);
    Path kept = new Path("/reasons/kept");
    cluster.fs().allowSnapshot(kept);
    cluster.fs().createSnapshot(kept, "one");

    assertThat(execute("/reasons", "reasons").skipped())
        .containsEntry(SkipReason.SNAPSHOTTED, 1L)
        .doesNotContainKey(SkipReason.POLICY_LIMIT);
  }

  /** The job has looked for the policies that it needs before these files were written. */
  @Test
  void laterFilesAreConvertedIfTheirPolicyNeedNotBeAdded() throws Exception {
    ErasureCodingPolicy there = policy(ORDINARY / 4);
    add(there);
    cluster.fs().enableErasureCodingPolicy(there.getName());
    write("/later/a", ORDINARY);
    write("/later/b", ORDINARY);
    cluster.fs().mkdirs(new Path("/later/c"));
    StepListener user =
        (step, path) -> {
          // The walk waits for this file before it takes the next one.
          if (step == Step.CHECKED && path.equals("/later/a")) {
            try {
              writeOld("/later/c/there", ORDINARY / 4);
              writeOld("/later/c/to-add", ORDINARY / 2 + KIB);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }
        };
    JobSettings settings = ConvertCluster.contiguous("/later", CODE);
    settings.filesAtOnce = 1;
    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, user)) {
      report = driver.execute(settings, "later");
    }

    assertThat(report.failures()).isEmpty();
    assertThat(report.skipped()).containsOnly(Map.entry(SkipReason.POLICY_LIMIT, 1L));
    assertThat(report.converted()).isEqualTo(3);
    assertThat(cluster.policy("/later/c/there")).isEqualTo(there.getName());
  }

  /** Then only the active NameNode says that it does not accept a policy. */
  @Test
  void aFileWhoseBlocksAreTooLargeIsLeftWithoutTheCheckOfNameNodes() throws Exception {
    write("/large/ordinary", ORDINARY);
    write("/large/one", 2 * ORDINARY);
    JobSettings settings = ConvertCluster.contiguous("/large", CODE);
    settings.skipNameNodeCheck = true;

    JobReport report = execute(settings, "large");

    assertThat(report.converted()).isEqualTo(1);
    assertThat(report.skipped()).containsEntry(SkipReason.POLICY_LIMIT, 1L);
    assertThat(cluster.policy("/large/ordinary")).isEqualTo(ORDINARY_POLICY);
    settings.path = "/large/one";
    assertThatThrownBy(() -> execute(settings, "alone"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("Cannot add policy " + CODE + "-4096k")
        .hasMessageContaining("set " + CELL_KEY + " to at least " + 2 * ORDINARY);
  }
}
