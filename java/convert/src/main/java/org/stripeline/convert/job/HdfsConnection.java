// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.stripeline.convert.settings.RefusedException;

/** Opens the file systems that conversion works on. */
public final class HdfsConnection {
  private HdfsConnection() {}

  /**
   * Connects to the HDFS of a path with a client of its own.
   *
   * @throws IOException if that is no HDFS or cannot be reached
   */
  public static DistributedFileSystem open(Configuration conf, Path path) throws IOException {
    Configuration own = new Configuration(conf);
    // What can be compared between a replicated and a coded file.
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
              + " is no HDFS; name the path with hdfs://, or set HADOOP_CONF_DIR");
    }
    return (DistributedFileSystem) fs;
  }
}
