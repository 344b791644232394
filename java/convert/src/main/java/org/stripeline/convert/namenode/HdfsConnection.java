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
   * Connects to the HDFS of a path with a new client.
   *
   * @throws IOException if the file system is not HDFS or cannot be reached
   */
  public static DistributedFileSystem open(Configuration conf, Path path) throws IOException {
    Configuration own = new Configuration(conf);
    // The only checksums that can be compared between replicated and erasure-coded files.
    own.set(HdfsClientConfigKeys.DFS_CHECKSUM_COMBINE_MODE_KEY, "COMPOSITE_CRC");
    URI uri = path.toUri().getScheme() == null ? FileSystem.getDefaultUri(own) : path.toUri();
    FileSystem fs = FileSystem.newInstance(uri, own);
    if (!(fs instanceof DistributedFileSystem)) {
      fs.close();
      throw new RefusedException(
          "Cannot convert "
              + path
              + ": "
              + uri.getScheme()
              + " is not HDFS; name the path with hdfs://, or set HADOOP_CONF_DIR");
    }
    return (DistributedFileSystem) fs;
  }
}
