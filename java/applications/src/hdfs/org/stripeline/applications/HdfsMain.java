// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/**
 * An HDFS of nine DataNodes with an erasure-coded root directory, in a JVM of its own, because the
 * applications bring other versions of Hadoop's libraries. It writes its address to a file and ends
 * when its input does.
 */
public final class HdfsMain {
  private static final String POLICY = "RS-6-3-1024k";
  private static final int DATA_NODES = 9;

  private HdfsMain() {}

  /** Runs with: the directory of the cluster, the file of the address. */
  public static void main(String[] arguments) throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, Path.of(arguments[0]).toString());
    // Block recovery is ordered with heartbeats.
    conf.setInt("dfs.heartbeat.interval", 1);
    try (MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(conf).numDataNodes(DATA_NODES).build()) {
      cluster.waitActive();
      DistributedFileSystem fs = cluster.getFileSystem();
      fs.enableErasureCodingPolicy(POLICY);
      org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path("/");
      fs.setErasureCodingPolicy(root, POLICY);
      fs.setPermission(root, new FsPermission("777"));
      Path written = Files.writeString(Path.of(arguments[1] + ".new"), fs.getUri().toString());
      Files.move(written, Path.of(arguments[1]), StandardCopyOption.ATOMIC_MOVE);
      System.in.transferTo(OutputStream.nullOutputStream());
    }
    System.exit(0);
  }
}
