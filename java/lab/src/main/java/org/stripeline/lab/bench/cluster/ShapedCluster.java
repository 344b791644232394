// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.stripeline.lab.cluster.DataNodeProcess;
import org.stripeline.lab.cluster.WorkDirectory;

/** A cluster whose DataNodes are processes, each in a network of its own. */
public final class ShapedCluster {
  private ShapedCluster() {}

  /**
   * Starts it in a network that is made already.
   *
   * @param own settings laid over the cluster's own
   */
  public static IoCluster start(WorkDirectory place, ShapedNetwork network, Map<String, String> own)
      throws IOException {
    Map<String, String> settings = new LinkedHashMap<>(own);
    settings.put("dfs.namenode.rpc-bind-host", "0.0.0.0");
    // Lets the NameNode notice within seconds that the DataNode below is gone.
    settings.put("dfs.namenode.heartbeat.recheck-interval", "5000");
    IoCluster cluster = place.add(IoCluster.start(place.cluster(), 1, settings));
    int port = Integer.parseInt(cluster.nameNode().split(":")[1]);
    for (int i = 1; i <= network.datanodes(); i++) {
      cluster.add(
          new DataNodeProcess.Place(
              place.data().resolve("dn" + i),
              network.here(i) + ":" + port,
              ShapedNetwork.address(i),
              ShapedNetwork.prefix(i)));
    }
    // A cluster starts with a DataNode of its own, which no link would slow.
    cluster.remove("dn1");
    return cluster;
  }
}
