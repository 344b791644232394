// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.io.IOUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.lab.cluster.ClusterOptions;
import org.stripeline.lab.cluster.ClusterProcess;
import org.stripeline.lab.cluster.DataNodeProcess;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.Conditions;

/** Kills a DataNode that runs in its own process while the command converts. */
@Timeout(180)
@Tag("full")
class ProcessKillTest {
  private static final int BLOCK = 1 << 20;
  private static final String ADDRESS = "127.0.0.19";

  @TempDir java.nio.file.Path directory;

  @Test
  void theCommandConvertsAroundAKilledDataNode() throws Exception {
    ClusterOptions options =
        ClusterOptions.builder()
            .datanodes(6)
            .racks(Arrays.asList("/a", "/b", "/c"))
            .fastRecovery(ClusterOptions.FastRecovery.FAST)
            .lifetime(ClusterOptions.Lifetime.OF_STARTER)
            .build();
    ClusterProcess cluster = ClusterProcess.start(directory.resolve("cluster"), options);
    try {
      Configuration conf = new Configuration();
      for (String site : new String[] {"core-site.xml", "hdfs-site.xml"}) {
        conf.addResource(new Path(cluster.clientConfiguration().resolve(site).toUri()));
      }
      conf.setBoolean("fs.hdfs.impl.disable.cache", true);
      try (DistributedFileSystem fs = (DistributedFileSystem) new Path("/").getFileSystem(conf);
          DataNodeProcess outside = DataNodeProcess.start(place(conf))) {
        Conditions.await("the DataNode", () -> live(fs) == 7);
        convertAndKill(fs, outside);
      }
    } finally {
      cluster.stop();
    }
  }

  private DataNodeProcess.Place place(Configuration conf) {
    String nameNode = conf.get("dfs.namenode.rpc-address");
    return new DataNodeProcess.Place(
        directory.resolve("outside"), nameNode, ADDRESS, Collections.emptyList());
  }

  private static int live(DistributedFileSystem fs) throws Exception {
    return fs.getClient().datanodeReport(DatanodeReportType.LIVE).length;
  }

  private static String uuid(DistributedFileSystem fs) throws Exception {
    for (DatanodeInfo node : fs.getClient().datanodeReport(DatanodeReportType.LIVE)) {
      if (node.getIpAddr().equals(ADDRESS)) {
        return node.getDatanodeUuid();
      }
    }
    throw new AssertionError("no DataNode " + ADDRESS);
  }

  private static void convertAndKill(DistributedFileSystem fs, DataNodeProcess outside)
      throws Exception {
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      byte[] bytes = ConvertCluster.bytes(i, 4 * BLOCK + 100 * i);
      contents.add(bytes);
      try (OutputStream out = fs.create(path(i), true, 4096, (short) 3, BLOCK)) {
        out.write(bytes);
      }
    }
    String victim = uuid(fs);
    AtomicReference<CommandRun> run = new AtomicReference<>();
    Thread command = new Thread(() -> run.set(convert(fs)));
    command.start();
    Conditions.await("a plan with the DataNode", () -> isPlanned(fs, victim) || !command.isAlive());
    // This sends SIGKILL.
    outside.close();
    command.join();

    if (run.get().status() == 1) {
      // The DataNode may already have had blocks of a group when it was killed.
      assertThat(run.get().said())
          .contains("does not confirm that it has removed what it had of the group");
      Conditions.await("the DataNode to be dead", () -> live(fs) == 6);
      run.set(convert(fs));
    }
    run.get().require(0);
    for (int i = 0; i < contents.size(); i++) {
      byte[] back = new byte[contents.get(i).length];
      try (InputStream in = fs.open(path(i))) {
        IOUtils.readFully(in, back, 0, back.length);
      }
      assertThat(back).isEqualTo(contents.get(i));
      assertThat(fs.getErasureCodingPolicy(path(i)).getName()).isEqualTo("RS-3-2-1024k");
    }
  }

  private static CommandRun convert(DistributedFileSystem fs) {
    return CommandRun.of(
        Stripeline.commandLine(),
        "convert",
        fs.getUri() + "/tree",
        "--policy=RS-3-2",
        "--execute",
        "--allow-rack-loss",
        "--throttle=2MiB",
        "--files-at-once=1");
  }

  private static Path path(int number) {
    return new Path("/tree/f" + number);
  }

  private static boolean isPlanned(DistributedFileSystem fs, String uuid) throws Exception {
    List<JournalRecord> found = new ArrayList<>();
    for (JobDirectory job : JobDirectory.unfinished(fs, JobDirectory.ROOT_DEFAULT)) {
      if (job.contents().isOnlyBegun()) {
        continue;
      }
      Journal.read(
          fs,
          job.journalFile(),
          line -> {
            if (line.blocks != null && line.blocks.stream().anyMatch(b -> b.node.equals(uuid))) {
              found.add(line);
            }
          });
    }
    return !found.isEmpty();
  }
}
