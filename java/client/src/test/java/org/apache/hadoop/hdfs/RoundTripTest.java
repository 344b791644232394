// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes a file with the configured file system class and reads it back. */
class RoundTripTest {

  @Test
  void readsReturnTheWrittenBytes(@TempDir Path dir) throws Exception {
    Configuration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(5).build()) {
      cluster.waitActive();
      DistributedFileSystem fs = cluster.getFileSystem();
      assertThat(fs).isInstanceOf(StripelineFileSystem.class);
      fs.enableErasureCodingPolicy("RS-3-2-1024k");
      fs.setErasureCodingPolicy(new org.apache.hadoop.fs.Path("/"), "RS-3-2-1024k");
      byte[] data = new byte[10_000_000];
      new Random(1).nextBytes(data);
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/f");
      try (FSDataOutputStream out = fs.create(file)) {
        out.write(data);
      }
      byte[] back = new byte[data.length];
      try (FSDataInputStream in = fs.open(file)) {
        assertThat(in.getWrappedStream()).isInstanceOf(StripelineInputStream.class);
        in.readFully(back);
      }
      assertThat(back).isEqualTo(data);
    }
  }
}
