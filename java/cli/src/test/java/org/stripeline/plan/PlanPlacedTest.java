// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.EarStripedPlacementPolicy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.lab.cluster.ClusterOptions;
import org.stripeline.lab.cluster.ClusterProcess;
import org.stripeline.placement.CodeName;
import org.stripeline.server.namenode.EarKeys;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Sheet;

/** Tests that plans and audits follow the rule by which a NameNode placed files for encoding. */
@Tag("full")
@Timeout(240)
class PlanPlacedTest {
  private static final int MIB = 1 << 20;
  private static final int K = 3;
  private static final String CODE = "RS-3-3";

  @TempDir Path temporary;

  private static void write(DistributedFileSystem fs, String file, int blocks) throws Exception {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
    try (OutputStream out = fs.create(path, true, 4096, (short) 3, MIB)) {
      out.write(new byte[blocks * MIB]);
    }
  }

  private static PlanSettings settings() {
    PlanSettings settings = new PlanSettings();
    settings.path = "/warm";
    settings.code = CodeName.parse(CODE, null, MIB);
    return settings;
  }

  private static void convert(Configuration conf) throws Exception {
    JobSettings settings = new JobSettings();
    settings.path = "/warm";
    settings.policy = CODE;
    settings.layout = Layout.CONTIGUOUS;
    org.apache.hadoop.fs.Path root =
        new org.apache.hadoop.fs.Path(FileSystem.getDefaultUri(conf).resolve("/"));
    try (Driver driver =
        new Driver(
            HdfsConnection.open(conf, root),
            JobDirectory.ROOT_DEFAULT,
            JobObserver.NONE,
            StepListener.NONE)) {
      assertThat(driver.execute(settings, "placed").failures()).isEmpty();
    }
  }

  @Test
  void groupsStayInTheRacksOfTheirBlocksAndAreSoundThere() throws Exception {
    ClusterProcess cluster =
        ClusterProcess.start(
            temporary.resolve("cluster"),
            ClusterOptions.builder()
                .datanodes(9)
                .racks(3)
                .lifetime(ClusterOptions.Lifetime.OF_STARTER)
                .setting("dfs.block.replicator.classname", EarPlacementPolicy.class.getName())
                .setting(
                    "dfs.block.placement.ec.classname", EarStripedPlacementPolicy.class.getName())
                .setting(EarKeys.DIRECTORIES, "/warm")
                .setting(EarKeys.CODE, CODE)
                .setting(EarKeys.BLOCKS_PER_RACK, "3")
                .setting(EarKeys.TARGET_RACKS, "2")
                .build());
    Configuration conf = new Configuration();
    conf.set("fs.defaultFS", cluster.client().status().uri);
    conf.set("dfs.namenode.http-address", URI.create(cluster.client().status().web).getAuthority());
    Progress progress = Progress.onStandardError(new PrintWriter(new StringWriter()));
    try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(conf)) {
      write(fs, "/warm/file", 4 * K);
      PlanReport plan = (PlanReport) Plan.ofNameNode(settings(), fs, progress).forJson();
      assertThat(plan.notes)
          .anyMatch(note -> note.contains("instead of HDFS's own, by which a group is in 3 racks"));
      assertThat(plan.moves.blocksSent).isZero();
      assertThat(plan.moves.groupsAgainstRackRule).isZero();
      // All parity stays in the core rack; HDFS's rule would put some of it in the third one.
      assertThat(plan.moves.crossRackAdoption).isZero();
      assertThat(plan.moves.crossRackEar).isZero();

      convert(conf);
      Audit audit = Audit.of(settings(), fs, progress);
      assertThat(audit.isSound()).as(Sheet.text(audit)).isTrue();
      PlanSettings even = settings();
      even.blocksPerRackMax = 2;
      assertThat(Audit.of(even, fs, progress).isSound()).isFalse();
    } finally {
      cluster.stop();
    }
  }
}
