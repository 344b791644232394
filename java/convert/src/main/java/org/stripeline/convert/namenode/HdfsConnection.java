// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.stripeline.convert.settings.RefusedException;

/** Opens the file systems of conversions. */
public final class HdfsConnection {
  private HdfsConnection() {}

  /**
   * Connects to the HDFS of a path with a new client, to convert files.
   *
   * @throws RefusedException if the file system is not HDFS
   * @throws IOException if it cannot be reached
   */
  public static DistributedFileSystem open(Configuration conf, Path path) throws IOException {
    return open(conf, path, "convert");
  }

  /**
   * Does the same for another purpose.
   *
   * @param verb what the command does with the path, for messages
   */
  public static DistributedFileSystem open(Configuration conf, Path path, String verb)
      throws IOException {
    Configuration own = new Configuration(conf);
    // The only checksums that can be compared between replicated and erasure-coded files.
    own.set(HdfsClientConfigKeys.DFS_CHECKSUM_COMBINE_MODE_KEY, "COMPOSITE_CRC");
    URI uri = path.toUri().getScheme() == null ? FileSystem.getDefaultUri(own) : path.toUri();
    FileSystem fs;
    try {
      fs = FileSystem.newInstance(uri, own);
    } catch (IllegalArgumentException e) {
      // Hadoop throws this exception for an unknown host.
      throw new IOException("Cannot " + verb + " " + path + ": " + e.getMessage(), e);
    }
    if (!(fs instanceof DistributedFileSystem)) {
      fs.close();
      throw new RefusedException(
          "Cannot "
              + verb
              + " "
              + path
              + ": "
              + uri.getScheme()
              + " is not HDFS; set HADOOP_CONF_DIR, or name it as hdfs://HOST:PORT/PATH");
    }
    return (DistributedFileSystem) fs;
  }
}
