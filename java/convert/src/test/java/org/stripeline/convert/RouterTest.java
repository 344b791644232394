// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.federation.MiniRouterDFSCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;

/**
 * Tests a Router over two namespaces whose files have the same inode ids. It forwards a path to the
 * namespace in its mount table, and an inode path to the default namespace.
 */
@Tag("full")
class RouterTest {
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final String[] SPACES = {"ns0", "ns1"};

  @Test
  void filesOfAnotherNamespaceAreUnchanged(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.setInt("dfs.blocksize", BLOCK);
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setBoolean("dfs.namenode.edits.asynclogging", false);
    conf.setBoolean("dfs.federation.router.http.enable", false);
    MiniRouterDFSCluster federation = new MiniRouterDFSCluster(false, SPACES.length);
    try {
      federation.setNumDatanodesPerNameservice(3);
      federation.startCluster(conf);
      federation.startRouters();
      federation.registerNamenodes();
      federation.installMockLocations();
      List<DistributedFileSystem> spaces = new ArrayList<>();
      for (int i = 0; i < SPACES.length; i++) {
        DistributedFileSystem space = federation.getCluster().getFileSystem(i);
        spaces.add(space);
        write(space, file(federation, i));
      }
      assertThat(spaces.get(0).getClient().getFileInfo(file(federation, 0)).getFileId())
          .isEqualTo(spaces.get(1).getClient().getFileInfo(file(federation, 1)).getFileId());

      Configuration client = new Configuration(federation.generateClientConfiguration());
      client.setInt("dfs.blocksize", BLOCK);
      String router = federation.getRouters().get(0).getFileSystemURI().toString();
      JobSettings settings =
          ConvertCluster.striped(federation.getFederatedPathForNS("ns1"), "RS-3-2");
      settings.skipNameNodeCheck = true;
      settings.allowRackLoss = true;
      DistributedFileSystem fs =
          HdfsConnection.open(client, new org.apache.hadoop.fs.Path(router + settings.path));
      List<Throwable> thrown = new ArrayList<>();
      try (Driver driver =
          new Driver(fs, JobDirectory.ROOT_DEFAULT, JobObserver.NONE, StepListener.NONE)) {
        try {
          driver.execute(settings, "router");
        } catch (IOException e) {
          thrown.add(e);
        }
      }
      for (int i = 0; i < SPACES.length; i++) {
        assertThat(
                spaces
                    .get(i)
                    .getErasureCodingPolicy(new org.apache.hadoop.fs.Path(file(federation, i))))
            .as(SPACES[i])
            .isNull();
      }
      assertThat(thrown).hasSize(1);
      assertThat(thrown.get(0)).isInstanceOf(RefusedException.class).hasMessageContaining("Router");
    } finally {
      federation.shutdown();
    }
  }

  private static String file(MiniRouterDFSCluster federation, int space) {
    return federation.getNamenodePathForNS(SPACES[space]) + "/a";
  }

  private static void write(DistributedFileSystem fs, String path) throws IOException {
    try (FSDataOutputStream out =
        fs.create(new org.apache.hadoop.fs.Path(path), true, 4096, (short) 3, BLOCK)) {
      out.write(ConvertCluster.bytes(1, 3 * BLOCK));
    }
  }
}
