// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ha.HAServiceProtocol.RequestSource;
import org.apache.hadoop.ha.HAServiceProtocol.StateChangeRequestInfo;
import org.apache.hadoop.ha.protocolPB.HAServiceProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.testkit.Conditions;

/**
 * Tests policies that one of two NameNodes does not accept; the other one is a separate process.
 */
@Tag("full")
class NameNodeLimitTest {
  private static final String KEY = "dfs.namenode.ec.policies.max.cellsize";
  private static final int DEFAULT = 4 << 20;
  private static final int CELL = 8 << 20;
  private static final String POLICY = "XOR-2-1-8192k";

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;
  private Configuration otherConf;
  private InetSocketAddress otherRpc;
  private InetSocketAddress otherHttp;
  private HadoopProcess other;
  private byte[] bytes;
  private int starts;

  @BeforeEach
  void start() throws Exception {
    cluster =
        ConvertCluster.withStandby(
            directory.resolve("cluster"),
            3,
            1,
            conf -> {
              conf.set("dfs.ha.tail-edits.period", "1s");
              // Without it, an observer answers clients that do not support observers.
              conf.setBoolean("dfs.namenode.state.context.enabled", true);
              conf.setBoolean("dfs.client.failover.random.order", false);
              conf.setInt("dfs.client.failover.sleep.base.millis", 50);
              conf.setInt("dfs.client.failover.sleep.max.millis", 500);
              conf.setInt("ipc.client.connect.retry.interval", 50);
            });
    otherRpc = cluster.mini.getNameNode(1).getNameNodeAddress();
    otherHttp = cluster.mini.getNameNode(1).getHttpAddress();
    otherConf = new Configuration(cluster.mini.getConfiguration(1));
    cluster.mini.shutdownNameNode(1);
    // Clients ask the standby first, which has few or no DataNodes right after its start.
    cluster.conf().set(namesKey(), "nn2,nn1");
    bytes = ConvertCluster.bytes(1, 3 * CELL);
    try (FSDataOutputStream out =
        cluster.fs().create(new Path("/limit/a"), true, 4096, (short) 3, CELL)) {
      out.write(bytes);
    }
  }

  private String namesKey() {
    return "dfs.ha.namenodes." + FileSystem.getDefaultUri(cluster.conf()).getHost();
  }

  @AfterEach
  void stop() throws IOException {
    if (other != null) {
      other.close();
    }
    cluster.close();
  }

  private HadoopProcess begin(int cellBytesMax) throws IOException {
    if (other != null) {
      other.close();
    }
    otherConf.setInt(KEY, cellBytesMax);
    starts++;
    return HadoopProcess.start(NameNode.class, otherConf, directory.resolve("start" + starts));
  }

  private void startOther(int cellBytesMax) throws Exception {
    other = begin(cellBytesMax).awaitListening(otherHttp).awaitListening(otherRpc);
  }

  private HAServiceProtocolClientSideTranslatorPB otherState() throws IOException {
    return new HAServiceProtocolClientSideTranslatorPB(otherRpc, cluster.conf());
  }

  private static StateChangeRequestInfo request() {
    return new StateChangeRequestInfo(RequestSource.REQUEST_BY_USER_FORCED);
  }

  private static JobSettings settings() {
    JobSettings settings = ConvertCluster.striped("/limit", "XOR-2-1");
    settings.cellBytes = CELL;
    settings.allowRackLoss = true;
    return settings;
  }

  private JobReport execute(JobSettings settings) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.execute(settings, "limit");
    }
  }

  private List<String> policies() throws IOException {
    List<String> names = new ArrayList<>();
    for (ErasureCodingPolicyInfo info : cluster.fs().getAllErasureCodingPolicies()) {
      names.add(info.getPolicy().getName() + " " + info.getState());
    }
    return names;
  }

  private void assertRefused(String... messages) throws IOException {
    List<String> before = policies();
    assertThatThrownBy(() -> execute(settings()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContainingAll(messages);
    assertThat(policies()).isEqualTo(before);
    assertThat(cluster.fs().exists(new Path(JobDirectory.ROOT_DEFAULT))).isFalse();
    assertThat(cluster.policy("/limit/a")).isNull();
  }

  @Test
  void addsNoPolicyThatAnotherNameNodeDoesNotAccept() throws Exception {
    assertRefused("NameNode nn2 (http://", "could not be queried: ConnectException");

    startOther(DEFAULT);
    assertRefused("NameNode nn2 (http://", KEY + " is 4194304, 8388608 is needed");

    otherState().transitionToObserver(request());
    assertRefused("NameNode nn2 (http://", KEY + " is 4194304, 8388608 is needed");

    otherConf.setBoolean("dfs.namenode.ec.userdefined.policy.allowed", false);
    startOther(CELL);
    assertRefused("dfs.namenode.ec.userdefined.policy.allowed is false, true is needed");
    otherConf.unset("dfs.namenode.ec.userdefined.policy.allowed");

    // A client that knows only one of the two NameNodes.
    cluster.conf().set(namesKey(), "nn1");
    assertRefused("NameNodes nn1, nn2 together", "names 1 of these 2");
  }

  @Test
  void withoutTheCheckTheOtherNameNodeStopsAndCannotRestart() throws Exception {
    startOther(DEFAULT);
    JobSettings settings = settings();
    settings.skipNameNodeCheck = true;
    assertThat(execute(settings).converted()).isEqualTo(1);

    cluster.mini.getNameNodeRpc(0).rollEditLog();
    other.awaitFailure();
    assertThat(other.log()).contains("Cell size 8388608 should not exceed maximum 4194304");

    begin(DEFAULT).awaitFailure();
    // The advice in the message of the refusal also recovers the NameNode.
    startOther(CELL);
    failOver();
    assertThat(cluster.read("/limit/a")).isEqualTo(bytes);
  }

  private void failOver() throws Exception {
    cluster.mini.shutdownNameNode(0);
    activateOther();
  }

  /**
   * Makes the other NameNode active, and waits until DataNodes have reported their blocks to it.
   */
  private void activateOther() throws Exception {
    Conditions.await("the NameNode", () -> isDone(this::beActive));
    Conditions.await("DataNodes", () -> isDone(this::isWhole));
  }

  private boolean beActive() throws IOException {
    otherState().transitionToActive(request());
    return true;
  }

  private boolean isWhole() throws IOException {
    return !cluster.fs().isInSafeMode() && cluster.isWhole("/limit/a");
  }

  /** A client may still have a connection to the previous process, and then fails once. */
  private static boolean isDone(Callable<Boolean> work) throws Exception {
    try {
      return work.call();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void convertsWhereBothAcceptAndTheOtherTakesOverAndRestarts() throws Exception {
    startOther(CELL);
    assertThat(execute(settings()).converted()).isEqualTo(1);
    assertThat(policies()).contains(POLICY + " ENABLED");

    failOver();
    assertThat(policies()).contains(POLICY + " ENABLED");
    assertThat(cluster.read("/limit/a")).isEqualTo(bytes);

    startOther(CELL);
    activateOther();
    assertThat(policies()).contains(POLICY + " ENABLED");
    assertThat(cluster.read("/limit/a")).isEqualTo(bytes);
  }

  @Test
  void anImageWithThePolicyLetsAStandbyStartWithTheDefault() throws Exception {
    startOther(CELL);
    assertThat(execute(settings()).converted()).isEqualTo(1);
    cluster.mini.getNameNodeRpc(0).rollEditLog();
    Conditions.await("the standby", () -> other.log().contains("Added erasure coding policy"));

    for (String command : new String[] {"-safemode enter", "-saveNamespace", "-safemode leave"}) {
      assertThat(ToolRunner.run(new DFSAdmin(cluster.conf()), command.split(" "))).isZero();
    }
    startOther(DEFAULT);
    failOver();
    assertThat(policies()).contains(POLICY + " DISABLED");
    assertThat(cluster.read("/limit/a")).isEqualTo(bytes);
  }
}
