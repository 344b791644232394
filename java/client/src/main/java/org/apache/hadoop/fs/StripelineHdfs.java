// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.fs;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.StripelineClients;
import org.stripeline.client.ClassLoaderCheck;

/**
 * The counterpart of {@link org.apache.hadoop.hdfs.StripelineFileSystem} for {@link FileContext};
 * set it in {@code fs.AbstractFileSystem.hdfs.impl}.
 */
public class StripelineHdfs extends Hdfs {
  private final boolean isOurs;

  /** Called by {@link AbstractFileSystem#createFileSystem} through reflection. */
  StripelineHdfs(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(uri, conf);
    isOurs = ClassLoaderCheck.isLoadedWithHadoop();
    DFSClient ours = isOurs ? StripelineClients.create(uri, conf, getStatistics()) : null;
    if (ours != null) {
      // The constructor of Hdfs has created a client that nothing has used yet.
      dfs.close();
      dfs = ours;
    }
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    RemoteIterator<LocatedFileStatus> all = super.listLocatedStatus(path);
    return isOurs ? StripelineClients.correct(dfs, all) : all;
  }
}
