// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.client.BlockReportOptions;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.testkit.Conditions;

/** Tests that agents, or the DataNodes with them, disappear during an adoption. */
@Tag("full")
class AgentLossTest {
  private static final String CODE = "RS-3-2";
  private static final String POLICY = "RS-3-2-1024k";
  private static final int BLOCK = ConvertCluster.BLOCK;

  /** A UUID that no DataNode has. */
  private static final String NO_NODE = "none";

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  private final List<DataNode> silenced = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory,
            8,
            4,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setInt("ipc.client.connect.retry.interval", 50);
            });
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void startAgents() {
    silenced.forEach(AgentSwitch::start);
    silenced.clear();
  }

  private static JobSettings settings(String path) {
    return ConvertCluster.contiguous(path, CODE);
  }

  private static JobReport convert(JobSettings settings, StepListener listener) throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.execute(settings, settings.path.substring(1));
    }
  }

  private void silence(String uuid) {
    DataNode node = AgentSwitch.node(cluster, uuid);
    silenced.add(node);
    AgentSwitch.stop(node);
  }

  /** Returns the lines of one kind in a job's journal. */
  private static List<JournalRecord> journal(String job, JournalRecord.Kind kind)
      throws IOException {
    List<JournalRecord> lines = new ArrayList<>();
    Path file = new Path(JobDirectory.ROOT_DEFAULT + "/" + job + "/journal");
    if (cluster.fs().exists(file)) {
      Journal.read(
          cluster.fs(),
          file,
          line -> {
            if (line.kind == kind) {
              lines.add(line);
            }
          });
    }
    return lines;
  }

  private static void assertConvertedWithout(String path, byte[] bytes, String uuid)
      throws Exception {
    assertThat(cluster.policy(path)).isEqualTo(POLICY);
    List<LocatedBlock> groups =
        cluster.fs().getClient().getLocatedBlocks(path, 0).getLocatedBlocks();
    assertThat(groups).hasSize(2);
    for (int i = 0; i < groups.size(); i++) {
      // The groups have 3 and 2 data blocks, and 2 parity blocks each. Earlier links on that
      // DataNode may still exist.
      assertThat(indicesWithout(groups.get(i), uuid)).hasSize(5 - i);
    }
    // A link that no agent could remove exists twice, until the NameNode deletes one of the copies.
    Conditions.await("internal blocks to be there once", () -> hasEachBlockOnce(path));
    cluster.assertBytes(path, bytes);
    cluster.assertHealthy(path);
    cluster.assertParityRight(path);
    assertThat(cluster.temporaries()).isEmpty();
  }

  private static boolean hasEachBlockOnce(String path) throws IOException {
    for (LocatedBlock group : cluster.blocks(path)) {
      byte[] indices = ((LocatedStripedBlock) group).getBlockIndices();
      if (indices.length != indicesWithout(group, NO_NODE).size()) {
        return false;
      }
    }
    return true;
  }

  private static Set<Byte> indicesWithout(LocatedBlock group, String uuid) {
    Set<Byte> indices = new HashSet<>();
    for (int i = 0; i < group.getLocations().length; i++) {
      if (!group.getLocations()[i].getDatanodeUuid().equals(uuid)) {
        indices.add(((LocatedStripedBlock) group).getBlockIndices()[i]);
      }
    }
    return indices;
  }

  /** Runs a job slowly enough for the test to act while an agent encodes. */
  private static JobReport convertWhile(String path, Meeting meeting) throws Exception {
    JobSettings settings = settings(path);
    settings.groupsAtOnce = 1;
    settings.bytesPerSecond = BLOCK;
    AtomicReference<JobReport> report = new AtomicReference<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread job =
        new Thread(
            () -> {
              try {
                report.set(convert(settings, StepListener.NONE));
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    job.start();
    String name = path.substring(1);
    Conditions.await(
        "a task", () -> !journal(name, JournalRecord.Kind.TASK).isEmpty() || !job.isAlive());
    meeting.at(journal(name, JournalRecord.Kind.TASK).get(0).node);
    job.join();
    assertThat(failure.get()).isNull();
    return report.get();
  }

  private interface Meeting {
    void at(String encoder) throws Exception;
  }

  @Test
  void anotherNodeEncodesWhenTheEncoderIsKilled() throws Exception {
    byte[] bytes = cluster.write("/killed/a", 4 * BLOCK + 11);
    AtomicReference<DataNodeProperties> stopped = new AtomicReference<>();
    AtomicReference<DatanodeID> victim = new AtomicReference<>();

    JobReport report =
        convertWhile(
            "/killed",
            encoder -> {
              victim.set(AgentSwitch.node(cluster, encoder).getDatanodeId());
              stopped.set(cluster.mini.stopDataNode(victim.get().getXferAddr()));
            });
    String uuid = victim.get().getDatanodeUuid();
    try {
      cluster.mini.setDataNodeDead(victim.get());
      convertIfLeft(report, "/killed", "killed", bytes);
      assertConvertedWithout("/killed/a", bytes, uuid);
    } finally {
      cluster.mini.restartDataNode(stopped.get(), true);
      cluster.mini.waitActive();
    }
    cluster.fs().delete(new Path("/killed"), true);
    awaitNoInternalBlocks();
  }

  @Test
  void anotherNodeEncodesWhenTheAgentAloneIsGone() throws Exception {
    byte[] bytes = cluster.write("/mute/a", 4 * BLOCK + 11);
    AtomicReference<String> victim = new AtomicReference<>();

    JobReport report =
        convertWhile(
            "/mute",
            encoder -> {
              victim.set(encoder);
              silence(encoder);
            });

    boolean isLeft = convertIfLeft(report, "/mute", "mute", bytes);
    assertConvertedWithout("/mute/a", bytes, isLeft ? NO_NODE : victim.get());
    cluster.fs().delete(new Path("/mute"), true);
    awaitNoInternalBlocks();
  }

  /**
   * Converts the file again if the first job left it. An encoder that is gone may have blocks of
   * the group that cannot be removed; the file is unchanged then, and the next job converts it.
   */
  private boolean convertIfLeft(JobReport report, String path, String job, byte[] bytes)
      throws Exception {
    if (report.failures().isEmpty()) {
      assertThat(report.converted()).isEqualTo(1);
      return false;
    }
    assertLeft(report, path + "/a", bytes);
    startAgents();
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(settings(path), job + "-again").failures()).isEmpty();
    }
    return true;
  }

  private static void assertLeft(JobReport report, String path, byte[] bytes) throws Exception {
    assertThat(report.failures()).extracting(failure -> failure.path).containsExactly(path);
    assertThat(report.failures().get(0).reason).contains("does not confirm that it has removed");
    assertThat(cluster.policy(path)).isNull();
    cluster.assertBytes(path, bytes);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aFileIsLeftIfAnUnneededLinkCannotBeRemoved() throws Exception {
    byte[] bytes = cluster.write("/stray/a", 3 * BLOCK);
    AtomicBoolean isFirst = new AtomicBoolean(true);

    JobReport report =
        convert(
            settings("/stray"),
            (step, path) -> {
              if (step == Step.LINKED && isFirst.getAndSet(false)) {
                silence(holder("stray", 0));
              }
            });

    assertLeft(report, "/stray/a", bytes);
    cluster.fs().delete(new Path("/stray"), true);
    awaitNoInternalBlocks();
  }

  @Test
  void aFileIsLeftIfALinkMayHaveBeenMadeWhoseAnswerIsLost() throws Exception {
    byte[] bytes = cluster.write("/unanswered/a", 3 * BLOCK);
    AtomicReference<DataNode> victim = new AtomicReference<>();

    JobReport report =
        convert(
            settings("/unanswered"),
            (step, path) -> {
              if (step == Step.GROUP_NAMED && victim.get() == null) {
                victim.set(AgentSwitch.node(cluster, holder("unanswered", 0)));
                silenced.add(victim.get());
                AgentSwitch.loseAnswers(victim.get());
              }
            });

    assertLeft(report, "/unanswered/a", bytes);
    cluster.fs().delete(new Path("/unanswered"), true);
    startAgents();
    awaitNoInternalBlocks();
  }

  /** The task may still run, and its later rollback would remove what the next task has written. */
  @Test
  void aFileWhoseEncoderIsCutOffIsLeftAsItWas() throws Exception {
    byte[] bytes = cluster.write("/cut/a", 4 * BLOCK + 11);
    AtomicReference<DataNode> victim = new AtomicReference<>();
    JobReport report;
    try {
      report =
          convertWhile(
              "/cut",
              encoder -> {
                victim.set(AgentSwitch.node(cluster, encoder));
                AgentSwitch.cutOff(victim.get());
              });
    } finally {
      silenced.add(victim.get());
      AgentSwitch.stop(victim.get());
    }

    assertThat(report.converted()).isZero();
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).reason)
        .contains("it is unknown whether DataNode " + victim.get().getDatanodeId().getXferAddr())
        .contains("convert the file again");
    assertThat(cluster.policy("/cut/a")).isNull();
    cluster.assertBytes("/cut/a", bytes);
    awaitNoInternalBlocks();

    startAgents();
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(settings("/cut"), "cut-again").failures()).isEmpty();
    }
    assertConvertedWithout("/cut/a", bytes, NO_NODE);
    cluster.fs().delete(new Path("/cut"), true);
    awaitNoInternalBlocks();
  }

  @Test
  void aTaskWhoseNumberIsLostIsEndedBeforeAnotherNodeEncodes() throws Exception {
    byte[] bytes = cluster.write("/lost/a", 4 * BLOCK + 11);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    Map<DataNode, List<String>> called = new LinkedHashMap<>();
    AtomicReference<DataNode> victim = new AtomicReference<>();
    for (DataNode node : cluster.mini.getDataNodes()) {
      called.put(
          node,
          AgentSwitch.loseAnswers(
              node,
              method -> {
                boolean isLost = method.equals("encode") && isFirst.getAndSet(false);
                if (isLost) {
                  victim.set(node);
                }
                return isLost;
              }));
    }
    try {
      JobReport report = convert(settings("/lost"), StepListener.NONE);
      assertThat(report.failures()).isEmpty();
      assertThat(report.converted()).isEqualTo(1);
      assertThat(called.get(victim.get())).containsSubsequence("encode", "cancel", "poll");
    } finally {
      for (DataNode node : called.keySet()) {
        silenced.add(node);
        AgentSwitch.stop(node);
      }
    }
    startAgents();
    cluster.assertBytes("/lost/a", bytes);
    cluster.assertHealthy("/lost/a");
    cluster.assertParityRight("/lost/a");
    cluster.fs().delete(new Path("/lost"), true);
    awaitNoInternalBlocks();
  }

  @Test
  void anotherReplicaIsLinkedWhenAnAgentIsGone() throws Exception {
    byte[] bytes = cluster.write("/deaf/a", 4 * BLOCK + 11);
    AtomicReference<String> victim = new AtomicReference<>();
    StepListener listener =
        (step, path) -> {
          if (step == Step.GROUP_NAMED && victim.get() == null) {
            victim.set(holder("deaf", 1));
            silence(victim.get());
          }
        };

    JobReport report = convert(settings("/deaf"), listener);

    assertThat(report.failures()).isEmpty();
    assertConvertedWithout("/deaf/a", bytes, victim.get());
    cluster.fs().delete(new Path("/deaf"), true);
    awaitNoInternalBlocks();
  }

  /** Returns the planned DataNode of an internal block of the last group. */
  private static String holder(String job, int index) {
    try {
      List<JournalRecord> groups = journal(job, JournalRecord.Kind.GROUP);
      return groups.get(groups.size() - 1).blocks.get(index).node;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theFileStaysAsItWasWhenTooFewAgentsAreLeft() throws Exception {
    byte[] bytes = cluster.write("/alone/a", 4 * BLOCK + 11);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    long modified = cluster.fs().getFileStatus(new Path("/alone/a")).getModificationTime();
    StepListener listener =
        (step, path) -> {
          if (step == Step.LINKED && isFirst.getAndSet(false)) {
            // Two are left, and even the short second group needs four nodes with agents.
            for (int i = 0; i < 6; i++) {
              silence(cluster.mini.getDataNodes().get(i).getDatanodeUuid());
            }
          }
        };

    JobReport report = convert(settings("/alone"), listener);

    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).path).isEqualTo("/alone/a");
    assertThat(cluster.policy("/alone/a")).isNull();
    cluster.assertBytes("/alone/a", bytes);
    assertThat(cluster.fs().getFileStatus(new Path("/alone/a")).getModificationTime())
        .isEqualTo(modified);
    assertThat(cluster.temporaries()).isEmpty();
    awaitNoInternalBlocks();

    startAgents();
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(settings("/alone"), "alone-again").failures()).isEmpty();
    }
    assertConvertedWithout("/alone/a", bytes, NO_NODE);
    cluster.fs().delete(new Path("/alone"), true);
    awaitNoInternalBlocks();
  }

  @ParameterizedTest
  @ValueSource(ints = {AgentProtocol.NUMBER - 1, AgentProtocol.NUMBER + 1})
  void anAgentOfAnotherProtocolIsRefusedBeforeAnyChange(int protocol) throws Exception {
    cluster.write("/later/a", 4 * BLOCK);
    DataNode node = cluster.mini.getDataNodes().get(2);
    int policies = cluster.fs().getAllErasureCodingPolicies().size();
    JobSettings settings = ConvertCluster.contiguous("/later", "RS-3-2");
    AgentSwitch.stop(node);
    AgentSwitch.answerAs(node, protocol);
    try (Driver driver = cluster.driver()) {
      assertThat(driver.plan(settings).files).isEqualTo(1);
      assertThatThrownBy(() -> driver.execute(settings, "later"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("1 of 8 DataNodes have no suitable agent")
          .hasMessageContaining(node.getDatanodeId().getXferAddr())
          .hasMessageContaining(
              "9.8.7 (protocol " + protocol + ", wanted " + AgentProtocol.NUMBER + ")")
          .hasMessageContaining("install this release there")
          .hasMessageContaining("--layout=striped");
    } finally {
      AgentSwitch.start(node);
    }
    assertThat(cluster.policy("/later/a")).isNull();
    assertThat(cluster.fs().exists(new Path(JobDirectory.ROOT_DEFAULT, "later"))).isFalse();
    assertThat(cluster.fs().getAllErasureCodingPolicies()).hasSize(policies);
  }

  /** DataNodes whose agents were gone delete their blocks after their next block report. */
  private static void awaitNoInternalBlocks() throws Exception {
    for (DataNode node : cluster.mini.getDataNodes()) {
      node.triggerBlockReport(new BlockReportOptions.Factory().setIncremental(false).build());
    }
    Conditions.await("internal blocks to go", () -> cluster.internalBlocks() == 0);
  }
}
