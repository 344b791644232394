// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;

/** A NameNode or DataNode in a process of its own, which ends with the process that started it. */
final class ServerMain {
  static final String NAME_NODE = "namenode";
  static final String DATA_NODE = "datanode";

  private ServerMain() {}

  /** Runs a server until the end of the standard input. */
  public static void main(String[] arguments) throws IOException {
    Configuration conf = new HdfsConfiguration();
    if (arguments[0].equals(NAME_NODE)) {
      NameNode node = NameNode.createNameNode(new String[0], conf);
      // The next command then need not wait a minute for the leases of one that was killed.
      NameNodeAdapter.getLeaseManager(node.getNamesystem()).setLeasePeriod(500, 3_600_000);
    } else {
      DataNode.createDataNode(new String[0], conf);
    }
    while (System.in.read() >= 0) {
      // The input is ignored until its end.
    }
    Runtime.getRuntime().halt(0);
  }
}
