// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.terminal.Release;
import org.stripeline.testkit.Conditions;

/** Examines a cluster with two NameNodes and DataNodes with and without agents. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ClusterExaminationTest {
  private static final String CELL_KEY = "dfs.namenode.ec.policies.max.cellsize";

  @TempDir Path directory;
  private ConvertCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster =
        ConvertCluster.withStandby(
            directory.resolve("dfs"),
            3,
            3,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.set("io.erasurecode.codec.rs.rawcoders", "stripeline,rs_java");
              conf.setBoolean("dfs.permissions.enabled", true);
            });
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private DoctorReport examine() {
    DoctorReport report = new DoctorReport();
    report.stripeline.version = Release.version();
    new ClusterExamination(new Configuration(cluster.conf()), report).examine();
    return report;
  }

  private static Map<String, String> states(DoctorReport report) {
    // How full the disk of this machine is does not matter here.
    return report.cluster.checks.stream()
        .filter(check -> !check.name.equals("free space"))
        .collect(Collectors.toMap(check -> check.name, check -> check.state));
  }

  private static DoctorReport.Check check(DoctorReport report, String name) {
    return report.cluster.checks.stream()
        .filter(check -> check.name.equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anyUserLearnsAboutAllServers() throws Exception {
    DoctorReport superuser = examine();
    assertThat(states(superuser))
        .hasSize(7)
        .allSatisfy((name, state) -> assertThat(state).as(name).isEqualTo("OK"));
    assertThat(check(superuser, "agents").text).isEqualTo("on 3 of 3 DataNodes");
    assertThat(check(superuser, "clocks").text).startsWith("of 5 servers");

    DoctorReport other =
        UserGroupInformation.createRemoteUser("someone")
            .doAs((PrivilegedExceptionAction<DoctorReport>) this::examine);
    assertThat(states(other)).isEqualTo(states(superuser));
    assertThat(other.unchecked).isEmpty();
    assertThat(check(other, "agent versions").text).isEqualTo(Release.version() + " on all");
    assertThat(other.cluster.dataNodes)
        .hasSize(3)
        .allSatisfy(
            node -> {
              assertThat(node.kernels).isNotNull();
              assertThat(node.capacityBytes).isPositive();
              assertThat(node.clockAheadMillis).isBetween(-10_000L, 10_000L);
            });
  }

  @Test
  void differencesBetweenServersAreNamed() throws Exception {
    cluster.conf().unset("dfs.datanode.plugins");
    cluster.conf().set("io.erasurecode.codec.rs.rawcoders", "rs_java");
    cluster.addDataNode(directory.resolve("more"), "/more");
    cluster.mini.getConfiguration(1).setInt(CELL_KEY, 1 << 20);
    cluster.mini.restartNameNode(1);
    DatanodeInfo full = cluster.fs().getDataNodeStats()[0];
    cluster.setDiskCapacity(full, 1024);
    Conditions.await(
        "a heartbeat with the capacity",
        () -> {
          for (DatanodeInfo node : cluster.fs().getDataNodeStats()) {
            if (node.getDatanodeUuid().equals(full.getDatanodeUuid())) {
              return node.getCapacity() <= 4096;
            }
          }
          return false;
        });

    DoctorReport report = examine();
    assertThat(check(report, "agents").text).startsWith("1 of 4 DataNodes have no agent: ");
    assertThat(check(report, "coders").text).contains("1 of 4 DataNodes").endsWith("=rs_java");
    assertThat(check(report, "NameNode keys").state).isEqualTo("WARNING");
    assertThat(check(report, "NameNode keys").text).contains(CELL_KEY).contains(": 1048576");
    assertThat(check(report, "free space").state).isEqualTo("FAILED");
    assertThat(check(report, "free space").text)
        .contains("no room for a block: " + full.getHostName() + ":" + full.getXferPort());
  }

  @Test
  void deadDataNodesAreNamed() throws Exception {
    DatanodeInfo lost = cluster.fs().getDataNodeStats()[0];
    cluster.mini.stopDataNode(lost.getXferAddr());
    for (int i = 0; i < 2; i++) {
      BlockManagerTestUtil.noticeDeadDatanode(cluster.mini.getNameNode(i), lost.getXferAddr());
    }
    DoctorReport superuser = examine();
    assertThat(check(superuser, "dead DataNodes").state).isEqualTo("WARNING");
    assertThat(check(superuser, "dead DataNodes").text)
        .isEqualTo("1: " + lost.getHostName() + ":" + lost.getXferPort());
    assertThat(check(superuser, "DataNodes").text).isEqualTo("all 2 live ones answered");

    DoctorReport other =
        UserGroupInformation.createRemoteUser("someone")
            .doAs((PrivilegedExceptionAction<DoctorReport>) this::examine);
    assertThat(check(other, "dead DataNodes").text)
        .isEqualTo(check(superuser, "dead DataNodes").text);
  }

  @Test
  @Tag("full")
  void aClusterThatDoesNotAnswerIsNotChecked() throws Exception {
    cluster.mini.shutdownNameNode(0);
    cluster.mini.shutdownNameNode(1);
    DoctorReport report = examine();
    assertThat(report.unchecked)
        .singleElement()
        .satisfies(missing -> assertThat(missing.text).startsWith("Cannot ask hdfs://"));
  }
}
