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

/** Makes clients for the file system classes that live in other packages of Hadoop. */
public final class StripelineClients {
  private StripelineClients() {}

  /**
   * Returns a client with our pipelines, or null where the configuration or this Hadoop leaves all
   * to the stock client.
   */
  public static DFSClient create(URI uri, Configuration conf, FileSystem.Statistics statistics)
      throws IOException {
    if (!PipelineChoice.of(conf).anyOfOurs() || !ClientCompat.isUsable()) {
      return null;
    }
    return StripelineDFSClient.create(uri, conf, statistics);
  }

  /**
   * Passes statuses on; if the client is ours, those of files with wide cells tell where each
   * internal block is.
   */
  public static <T extends LocatedFileStatus> RemoteIterator<T> correct(
      DFSClient client, RemoteIterator<T> all) {
    return client instanceof StripelineDFSClient
        ? ((StripelineDFSClient) client).correct(all)
        : all;
  }

  /**
   * Tells what our pipelines rest on and this Hadoop lacks.
   *
   * @return names of members, empty when the pipelines can be used
   */
  public static List<String> missing() {
    return ClientCompat.missing();
  }

  /** Tells whether a file system's client is ours. */
  public static boolean isOurs(DistributedFileSystem fs) {
    return fs.getClient() instanceof StripelineDFSClient;
  }
}
