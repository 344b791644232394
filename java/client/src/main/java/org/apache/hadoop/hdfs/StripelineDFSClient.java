// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsPathHandle;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.stripeline.client.PipelineChoice;
import org.stripeline.client.read.ReadContext;

/** Hadoop's client, but for the streams of erasure-coded files. */
class StripelineDFSClient extends DFSClient {
  private final PipelineChoice choice;
  private final ReadContext readContext;

  StripelineDFSClient(URI uri, Configuration conf, FileSystem.Statistics statistics)
      throws IOException {
    super(uri, conf, statistics);
    choice = PipelineChoice.of(conf);
    readContext = new ReadContext(conf);
  }

  ReadContext readContext() {
    return readContext;
  }

  @Override
  public DFSInputStream open(String src, int bufferSize, boolean verifyChecksum)
      throws IOException {
    if (!choice.ourRead()) {
      return super.open(src, bufferSize, verifyChecksum);
    }
    checkOpen();
    return open(getLocatedBlocks(src, 0), src, verifyChecksum);
  }

  @Override
  public DFSInputStream open(HdfsPathHandle handle, int bufferSize, boolean verifyChecksum)
      throws IOException {
    if (!choice.ourRead()) {
      return super.open(handle, bufferSize, verifyChecksum);
    }
    checkOpen();
    String src = handle.getPath();
    HdfsLocatedFileStatus status = getLocatedFileInfo(src, true);
    handle.verify(status);
    return open(status.getLocatedBlocks(), src, verifyChecksum);
  }

  private DFSInputStream open(LocatedBlocks blocks, String src, boolean verifyChecksum)
      throws IOException {
    if (blocks == null) {
      throw new IOException("Cannot open filename " + src);
    }
    ErasureCodingPolicy policy = blocks.getErasureCodingPolicy();
    if (policy == null) {
      return new DFSInputStream(this, src, verifyChecksum, blocks);
    }
    return new StripelineInputStream(this, src, verifyChecksum, policy, blocks);
  }
}
