// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.StartupOption;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;

/**
 * Tests upgrades of HDFS, which create further hard links to all replicas, and rollbacks before and
 * after a conversion.
 */
@Tag("full")
class UpgradeTest {
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final int NODES = 6;
  private static final Path FILE = new Path("/tree/a");

  @TempDir java.nio.file.Path directory;
  private Configuration conf;
  private MiniDFSCluster cluster;
  private byte[] bytes;

  @BeforeEach
  void start() throws IOException {
    conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.toString());
    conf.setLong("dfs.blocksize", BLOCK);
    conf.setLong("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setInt("dfs.namenode.ec.policies.max.cellsize", BLOCK);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    // With asynchronous logging, Hadoop 3.4 formats the edit of a new policy for its log after
    // another thread has reset it.
    conf.setBoolean("dfs.namenode.edits.asynclogging", false);
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
    begin(StartupOption.REGULAR, StartupOption.REGULAR, true);
    bytes = ConvertCluster.bytes(5, 4 * BLOCK + 99);
    try (FSDataOutputStream out =
        cluster.getFileSystem().create(FILE, true, 4096, (short) 3, BLOCK)) {
      out.write(bytes);
    }
  }

  @AfterEach
  void stop() {
    cluster.shutdown();
  }

  private void begin(StartupOption nameNode, StartupOption dataNodes, boolean isFirst)
      throws IOException {
    String[] racks = new String[NODES];
    Arrays.setAll(racks, i -> "/rack" + i % 3);
    cluster =
        new MiniDFSCluster.Builder(conf)
            .format(isFirst)
            .manageNameDfsDirs(true)
            .startupOption(nameNode)
            .dnStartupOption(dataNodes)
            .numDataNodes(NODES)
            .racks(racks)
            .build();
    cluster.waitActive();
  }

  private void upgrade() throws IOException {
    cluster.shutdown();
    begin(StartupOption.UPGRADE, StartupOption.REGULAR, false);
  }

  /** Does the same as "-rollback", without the confirmation on the terminal. */
  private void rollBack() throws Exception {
    cluster.shutdown();
    assertThat(NameNode.doRollback(conf, false)).isFalse();
    begin(StartupOption.REGULAR, StartupOption.ROLLBACK, false);
  }

  private void convert() throws IOException {
    DistributedFileSystem client = HdfsConnection.open(conf, new Path(cluster.getURI()));
    try (Driver driver =
        new Driver(client, JobDirectory.ROOT_DEFAULT, JobObserver.NONE, StepListener.NONE)) {
      JobSettings settings = ConvertCluster.contiguous("/tree", "RS-3-2");
      assertThat(driver.execute(settings, "tree").failures()).isEmpty();
    }
    assertFile("RS-3-2-1024k");
  }

  private void assertFile(String policy) throws IOException {
    DistributedFileSystem fs = cluster.getFileSystem();
    ErasureCodingPolicy has = fs.getErasureCodingPolicy(FILE);
    assertThat(has == null ? null : has.getName()).isEqualTo(policy);
    assertThat(ConvertCluster.read(fs, FILE.toString())).isEqualTo(bytes);
  }

  @Test
  void convertedFilesSurviveUpgradeAndRollback() throws Exception {
    convert();
    upgrade();
    assertFile("RS-3-2-1024k");
    rollBack();
    assertFile("RS-3-2-1024k");
  }

  @Test
  void rollbackRevertsAConversion() throws Exception {
    upgrade();
    convert();
    rollBack();
    assertFile(null);
  }
}
