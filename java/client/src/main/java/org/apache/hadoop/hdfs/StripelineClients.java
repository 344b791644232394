// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.stripeline.client.PipelineChoice;

/** Creates clients for the file system classes that are in other packages of Hadoop. */
public final class StripelineClients {
  private StripelineClients() {}

  /**
   * Returns a client with Stripeline's pipelines, or null if the configuration or this Hadoop
   * requires the stock client for all files.
   */
  public static DFSClient create(URI uri, Configuration conf, FileSystem.Statistics statistics)
      throws IOException {
    if (!PipelineChoice.of(conf).anyOfOurs() || !ClientCompat.isUsable()) {
      return null;
    }
    return StripelineDFSClient.create(uri, conf, statistics);
  }

  /**
   * Returns the given statuses; if the client is Stripeline's, the statuses of files with wide
   * cells list the location of each internal block.
   */
  public static <T extends LocatedFileStatus> RemoteIterator<T> correct(
      DFSClient client, RemoteIterator<T> all) {
    return client instanceof StripelineDFSClient
        ? ((StripelineDFSClient) client).correct(all)
        : all;
  }

  /**
   * Returns the members that the pipelines need and this Hadoop lacks.
   *
   * @return names of members, empty when the pipelines can be used
   */
  public static List<String> missing() {
    return ClientCompat.missing();
  }

  /** Returns whether the client of a file system is Stripeline's. */
  public static boolean isOurs(DistributedFileSystem fs) {
    return fs.getClient() instanceof StripelineDFSClient;
  }
}
