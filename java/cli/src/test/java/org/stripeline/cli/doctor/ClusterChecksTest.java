// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the judgement of what servers report, and the survey of DataNodes that hang or refuse. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class ClusterChecksTest {
  private static final long BLOCK = 128L << 20;
  private static final long TIB = 1L << 40;
  private static final int LIMIT_MILLIS = 1_000;

  private final DoctorReport report = new DoctorReport();
  private final List<DoctorReport.DataNode> nodes = new ArrayList<>();

  @BeforeEach
  void describeSoundNodes() {
    report.cluster = new DoctorReport.Cluster();
    report.stripeline.version = "1.2.3";
    for (int i = 0; i < 40; i++) {
      DoctorReport.DataNode node = new DoctorReport.DataNode();
      node.name = String.format("dn%02d:9866", i);
      node.address = "http://127.0.0.1:1";
      node.agent = "1.2.3";
      node.coder = "native";
      node.kernels = "avx2";
      node.rawCoders = "stripeline,rs_java";
      node.capacityBytes = TIB;
      node.remainingBytes = TIB / 2;
      nodes.add(node);
    }
  }

  private void judge() {
    new ClusterChecks(report).judgeDataNodes(nodes, BLOCK);
  }

  private DoctorReport.Check check(String name) {
    return report.cluster.checks.stream()
        .filter(check -> check.name.equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void findsNothingOnSoundNodes() {
    judge();
    assertThat(report.cluster.checks).hasSize(6).allMatch(check -> check.state.equals("OK"));
    assertThat(report.cluster.checks).allMatch(check -> check.remedy == null);
    assertThat(check("kernels").text).isEqualTo("avx2 on 40");
    assertThat(check("free space").text)
        .isEqualTo("20.0 TiB of 40.0 TiB (50.0 %), at least 10 % on every DataNode");
    assertThat(report.problems).isEmpty();
    assertThat(report.warnings).isEmpty();
    assertThat(report.unchecked).isEmpty();
  }

  @Test
  void countsAndNamesTheNodesOfEachResult() {
    for (int i : new int[] {3, 7, 31}) {
      nodes.get(i).agent = "";
    }
    for (int i = 10; i < 30; i++) {
      nodes.get(i).agent = "1.1.0";
    }
    nodes.get(1).coder = "java";
    nodes.get(1).fallbackCause = "noexec";
    nodes.get(2).rawCoders = "rs_native,rs_java";
    nodes.get(4).remainingBytes = BLOCK - 1;
    nodes.get(5).remainingBytes = TIB / 11;
    judge();

    assertThat(check("agents").state).isEqualTo("WARNING");
    assertThat(check("agents").text)
        .isEqualTo("3 of 40 DataNodes have no agent: dn03:9866, dn07:9866, dn31:9866");
    assertThat(check("agent versions").text)
        .startsWith("20 of 37 DataNodes do not have version 1.2.3 of this command: 1.1.0 on dn10")
        .endsWith("dn14:9866 and 15 more");
    assertThat(check("agent versions").servers).hasSize(20);
    assertThat(check("kernels").text).endsWith("dn01:9866; the first because noexec");
    assertThat(check("coders").text).endsWith("rs.rawcoders=rs_native,rs_java");
    assertThat(check("free space").state).isEqualTo("FAILED");
    assertThat(check("free space").text)
        .isEqualTo("1 of 40 DataNodes have no room for a block: dn04:9866");
    assertThat(report.problems).hasSize(1);
    assertThat(report.warnings).hasSize(5).allMatch(warning -> !warning.remedy.isEmpty());
  }

  @Test
  void acceptsAClusterWithoutAgents() {
    nodes.forEach(node -> node.agent = "");
    judge();
    assertThat(check("agents").state).isEqualTo("OK");
    assertThat(check("agents").text).startsWith("on no DataNode; 'stripeline convert' in");
  }

  @Test
  void failsWithoutDataNodes() {
    nodes.clear();
    judge();
    assertThat(check("DataNodes").state).isEqualTo("FAILED");
  }

  @Test
  void namesTheClocksThatDifferFromTheOthers() {
    ClusterChecks checks = new ClusterChecks(report);
    checks.judgeClocks(Map.of("a", 900L, "b", -900L, "c", 29_000L));
    assertThat(check("clocks").state).isEqualTo("OK");

    report.cluster.checks.clear();
    checks.judgeClocks(Map.of("a", 0L, "b", 500L, "c", 90_000L));
    assertThat(check("clocks").state).isEqualTo("WARNING");
    assertThat(check("clocks").text)
        .isEqualTo("1 of 4 differ from the others: c (1 min 30 s ahead)");

    report.cluster.checks.clear();
    checks.judgeClocks(Map.of("a", 600_000L, "b", 600_500L, "c", 600_100L));
    assertThat(check("clocks").state).isEqualTo("FAILED");
    assertThat(check("clocks").servers).containsExactly("this machine");
    assertThat(check("clocks").text).contains("this machine (10 min 1 s behind)");
  }

  /** One DataNode accepts connections only, one sends its answer byte by byte without an end. */
  @Test
  void aHungDataNodeIsReportedAndDoesNotHang() throws Exception {
    try (ServerSocket hung = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
        ServerSocket slow = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      Thread sender = new Thread(() -> trickle(slow), "trickle");
      sender.start();
      nodes.subList(2, nodes.size()).clear();
      nodes.get(0).address = "http://127.0.0.1:" + hung.getLocalPort();
      nodes.get(1).address = "http://127.0.0.1:" + slow.getLocalPort();
      try (DataNodeSurvey survey = new DataNodeSurvey(new HdfsConfiguration(), LIMIT_MILLIS)) {
        survey.ask(nodes);
      }
      assertThat(nodes.get(0).reason).contains("timed out");
      assertThat(nodes.get(1).reason).isEqualTo("no answer within 1 s");
      judge();
      assertThat(check("DataNodes").state).isEqualTo("FAILED");
      assertThat(check("DataNodes").text)
          .startsWith("2 of 2 DataNodes did not answer on their web port: dn00:9866, dn01:9866");
      slow.close();
      sender.join();
    }
  }

  private static void trickle(ServerSocket server) {
    try (Socket client = server.accept()) {
      client.setSoTimeout(LIMIT_MILLIS / 10);
      client.getOutputStream().write("HTTP/1.1 200 OK\r\nX: ".getBytes());
      while (!server.isClosed()) {
        try {
          client.getInputStream().read();
        } catch (SocketTimeoutException e) {
          client.getOutputStream().write('x');
        }
      }
    } catch (IOException e) {
      assertThat(server.isClosed() || e.getMessage() != null).isTrue();
    }
  }

  @Test
  void aDataNodeThatRefusesIsNotAProblem() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(403, -1);
          exchange.close();
        });
    server.start();
    try {
      nodes.get(0).address = "http://127.0.0.1:" + server.getAddress().getPort();
      List<DoctorReport.DataNode> one = new ArrayList<>(Arrays.asList(nodes.get(0)));
      try (DataNodeSurvey survey = new DataNodeSurvey(new HdfsConfiguration(), 10_000)) {
        survey.ask(one);
      }
      nodes.set(0, one.get(0));
      judge();
      assertThat(check("DataNodes").state).isEqualTo("NOT ASKED");
      assertThat(check("DataNodes").text)
          .contains("refused to show their web pages: dn00:9866")
          .contains("HTTP status 403");
      assertThat(check("agents").text).isEqualTo("on 39 of 40 DataNodes");
      assertThat(report.problems).isEmpty();
      assertThat(report.unchecked).hasSize(1);
    } finally {
      server.stop(0);
    }
  }
}
