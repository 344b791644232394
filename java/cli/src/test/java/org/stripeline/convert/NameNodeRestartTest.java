// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyState;
import org.apache.hadoop.hdfs.server.namenode.SecondaryNameNode;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.hdfs.tools.ECAdmin;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.doctor.Doctor;
import org.stripeline.cli.doctor.DoctorReport;
import org.stripeline.cli.doctor.ReportPrinter;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;

/**
 * A NameNode without standby that was configured for larger cells and is restarted without that
 * setting.
 */
@Tag("full")
class NameNodeRestartTest {
  private static final String KEY = "dfs.namenode.ec.policies.max.cellsize";
  private static final String SECONDARY = "dfs.namenode.secondary.http-address";
  private static final int DEFAULT = 4 << 20;
  private static final int BLOCK = 8 << 20;
  private static final String POLICY = "XOR-2-1-8192k";
  private static final String FILE = "/restart/a";

  @TempDir java.nio.file.Path directory;
  private final List<String> warnings = new ArrayList<>();
  private ConvertCluster cluster;
  private byte[] bytes;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("cluster"),
            3,
            1,
            conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
    bytes = ConvertCluster.bytes(1, 2 * BLOCK + 1);
    try (FSDataOutputStream out =
        cluster.fs().create(new Path(FILE), true, 4096, (short) 3, BLOCK)) {
      out.write(bytes);
    }
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private JobReport execute(JobSettings settings, String name) throws IOException {
    JobObserver observer =
        new JobObserver() {
          @Override
          public void warned(String text) {
            warnings.add(text);
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      return driver.execute(settings, name);
    }
  }

  private static JobSettings contiguous() {
    JobSettings settings = ConvertCluster.contiguous("/restart", "XOR-2-1");
    settings.allowRackLoss = true;
    return settings;
  }

  private void restart(int cellBytesMax) throws IOException {
    cluster.mini.getConfiguration(0).setInt(KEY, cellBytesMax);
    cluster.mini.restartNameNode(0);
    cluster.mini.waitActive();
  }

  private void saveNamespace() throws Exception {
    for (String command : new String[] {"-safemode enter", "-saveNamespace", "-safemode leave"}) {
      assertThat(ToolRunner.run(new DFSAdmin(cluster.conf()), command.split(" "))).isZero();
    }
  }

  private ErasureCodingPolicyState state() throws IOException {
    for (ErasureCodingPolicyInfo info : cluster.fs().getAllErasureCodingPolicies()) {
      if (info.getPolicy().getName().equals(POLICY)) {
        return info.getState();
      }
    }
    return null;
  }

  private DoctorReport examine() throws IOException {
    java.nio.file.Path site = Files.createDirectories(directory.resolve("site"));
    Configuration client = new Configuration(false);
    for (String key : new String[] {"fs.defaultFS", "dfs.namenode.http-address"}) {
      client.set(key, cluster.conf().get(key));
    }
    try (OutputStream out = Files.newOutputStream(site.resolve("hdfs-site.xml"))) {
      client.writeXml(out);
    }
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {site.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      return new Doctor().examine(site.toString(), true);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private void assertExamined(String state, String policy, String problem) throws IOException {
    DoctorReport report = examine();
    StringWriter text = new StringWriter();
    new ReportPrinter(new PrintWriter(text)).print(report);
    assertThat(report.cluster.largestPolicy).isEqualTo(policy);
    assertThat(report.cluster.nameNodes).extracting(node -> node.state).containsExactly(state);
    assertThat(text.toString()).contains(policy == null ? "no policies were added" : policy);
    if (problem == null) {
      assertThat(report.problems).noneMatch(found -> found.text.contains("NameNode"));
    } else {
      assertThat(report.problems).anyMatch(found -> found.text.contains(problem));
    }
  }

  @Test
  void doesNotStartWithTheDefaultUntilAnImageHasThePolicy() throws Exception {
    assertExamined("OK", null, null);
    assertThat(execute(contiguous(), "one").converted()).isEqualTo(1);
    assertExamined("OK", POLICY + " (ENABLED)", null);
    assertThat(warnings).isEmpty();
    assertThat(cluster.policy(FILE)).isEqualTo(POLICY);
    assertThatThrownBy(() -> restart(DEFAULT))
        .hasStackTraceContaining("Cell size 8388608 should not exceed maximum 4194304");

    restart(BLOCK);
    saveNamespace();
    restart(DEFAULT);
    // No data is lost, but nothing can be written with the policy.
    assertThat(state()).isEqualTo(ErasureCodingPolicyState.DISABLED);
    cluster.assertBytes(FILE, bytes);
    assertExamined(
        "NOT ENOUGH", POLICY + " (DISABLED)", KEY + " is 4194304, 8388608 is needed; it stops");

    // The policy exists but is disabled, and the NameNode's limit is too low for its cell size.
    cluster.fs().rename(new Path(FILE), new Path("/elsewhere"));
    try (FSDataOutputStream out =
        cluster.fs().create(new Path(FILE), true, 4096, (short) 3, BLOCK)) {
      out.write(bytes);
    }
    assertThatThrownBy(() -> execute(contiguous(), "two"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("NameNode (http://")
        .hasMessageContaining(KEY + " is 4194304, 8388608 is needed");
    assertThat(state()).isEqualTo(ErasureCodingPolicyState.DISABLED);
  }

  /** Follows the steps of the installation page before the key is removed. */
  @Test
  void removingThePolicyLetsItStartWithTheDefault() throws Exception {
    assertThat(execute(contiguous(), "there").converted()).isEqualTo(1);
    assertThat(execute(ConvertCluster.undo("/restart"), "back").converted()).isEqualTo(1);
    ECAdmin admin = new ECAdmin(cluster.conf());
    assertThat(ToolRunner.run(admin, new String[] {"-disablePolicy", "-policy", POLICY})).isZero();
    assertThat(ToolRunner.run(admin, new String[] {"-removePolicy", "-policy", POLICY})).isZero();
    assertThat(state()).isEqualTo(ErasureCodingPolicyState.REMOVED);
    // The edit that removes a policy does not undo the edit that added it.
    assertThatThrownBy(() -> restart(DEFAULT))
        .hasStackTraceContaining("Cell size 8388608 should not exceed maximum 4194304");

    restart(BLOCK);
    saveNamespace();
    restart(DEFAULT);
    // HDFS never deletes a policy; with the smaller limit it shows a removed policy as disabled.
    assertThat(state()).isEqualTo(ErasureCodingPolicyState.DISABLED);
    assertThat(cluster.policy(FILE)).isNull();
    cluster.assertBytes(FILE, bytes);
    saveNamespace();
    restart(DEFAULT);
    cluster.assertBytes(FILE, bytes);
  }

  @Test
  void asksASecondaryNameNodeThatIsConfigured() throws Exception {
    int port = NetUtils.getFreeSocketPort();
    cluster.conf().set(SECONDARY, "localhost:" + port);
    Configuration conf = new Configuration(cluster.mini.getConfiguration(0));
    conf.set(SECONDARY, "localhost:" + port);
    conf.set("dfs.namenode.checkpoint.dir", directory.resolve("checkpoints").toUri().toString());
    conf.setInt(KEY, DEFAULT);
    try (HadoopProcess secondary =
        HadoopProcess.start(SecondaryNameNode.class, conf, directory.resolve("secondary"))) {
      secondary.awaitListening(new InetSocketAddress("localhost", port));
      assertThatThrownBy(() -> execute(contiguous(), "refused"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("SecondaryNameNode (http://localhost:" + port + "): " + KEY)
          .hasMessageNotContaining("  NameNode");
      assertThat(state()).isNull();
    }

    // A configured SecondaryNameNode need not be running.
    assertThat(execute(contiguous(), "warned").converted()).isEqualTo(1);
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("SecondaryNameNode (http://localhost:" + port + "): could not be queried")
        .contains("if it runs with " + KEY + " below 8388608");
  }
}
