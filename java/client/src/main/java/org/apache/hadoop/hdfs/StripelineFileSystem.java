// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.stripeline.client.ClassLoaderCheck;

/**
 * {@code hdfs://} with Stripeline's pipelines for erasure-coded files; set it in {@code
 * fs.hdfs.impl}. Replicated files are written by Hadoop's streams, and read by them with a check
 * that the file has not become erasure-coded. Besides open, create and append, only the recovery of
 * leases and the block locations of erasure-coded files differ from Hadoop's. If this Hadoop lacks
 * members that the pipelines need, Hadoop's own client serves all files, and one WARN reports it.
 */
public class StripelineFileSystem extends DistributedFileSystem {
  private boolean isOurs;

  @Override
  void initDFSClient(URI uri, Configuration conf) throws IOException {
    DFSClient ours = StripelineClients.create(uri, conf, statistics);
    if (ours == null) {
      super.initDFSClient(uri, conf);
    } else {
      dfs = ours;
    }
  }

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    // In another class loader, initDFSClient does not override the package-private method of the
    // base class.
    isOurs = ClassLoaderCheck.isLoadedWithHadoop();
    super.initialize(uri, conf);
  }

  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter)
      throws IOException {
    RemoteIterator<LocatedFileStatus> all = super.listLocatedStatus(path, filter);
    return isOurs ? StripelineClients.correct(dfs, all) : all;
  }
}
