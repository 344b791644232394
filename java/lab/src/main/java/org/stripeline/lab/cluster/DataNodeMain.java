// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.nio.file.Paths;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** Main class of a DataNode's own process; {@link DataNodeProcess} starts it. */
final class DataNodeMain {
  private DataNodeMain() {}

  /**
   * Runs a DataNode until the standard input ends, which it does with the process that started it.
   *
   * @param arguments a file with the DataNode's configuration
   */
  public static void main(String[] arguments) throws IOException {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.addResource(new Path(Paths.get(arguments[0]).toUri()));
    DataNode datanode = DataNode.createDataNode(new String[0], conf);
    if (datanode == null) {
      System.exit(1);
    }
    // Java 8 tells no process its children's numbers.
    System.out.println(Paths.get("/proc/self").toRealPath().getFileName());
    while (System.in.read() >= 0) {
      // Nothing is said here; only the end counts.
    }
    datanode.shutdown();
    System.exit(0);
  }
}
