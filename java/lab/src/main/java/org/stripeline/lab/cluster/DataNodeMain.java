// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.nio.file.Paths;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** Main class of a DataNode's process; {@link DataNodeProcess} starts it. */
final class DataNodeMain {
  private DataNodeMain() {}

  /**
   * Runs a DataNode until the end of the standard input, that is, until the process that started it
   * ends.
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
    // Java 8 does not provide the process ids of children, so the process prints its own.
    System.out.println(Paths.get("/proc/self").toRealPath().getFileName());
    ChildJvm.awaitEndOfInput();
    datanode.shutdown();
    System.exit(0);
  }
}
