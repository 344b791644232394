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
 * {@code hdfs://} with Stripeline's pipelines for erasure-coded files; name it in {@code
 * fs.hdfs.impl}. Replicated files, and every call that is neither open, create nor append, go
 * through Hadoop's own code. Where this Hadoop lacks what the pipelines rest on, all files do, and
 * one WARN says so.
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
    // In another class loader the method above overrides nothing.
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
