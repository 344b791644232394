// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.stripeline.lab.cluster.DataNodeProcess;
import org.stripeline.lab.cluster.WorkDirectory;

/** A cluster whose DataNodes are separate processes, each on a host of a limited network. */
public final class ShapedCluster {
  private ShapedCluster() {}

  /**
   * Starts the cluster in a network that already exists.
   *
   * @param own override the cluster's settings
   */
  public static IoCluster start(WorkDirectory place, ShapedNetwork network, Map<String, String> own)
      throws IOException {
    Map<String, String> settings = new LinkedHashMap<>(own);
    settings.put("dfs.namenode.rpc-bind-host", "0.0.0.0");
    // With this, the NameNode detects within seconds that the DataNode below was removed.
    settings.put("dfs.namenode.heartbeat.recheck-interval", "5000");
    IoCluster cluster = place.start(() -> IoCluster.start(place.cluster(), 1, settings));
    int port = cluster.nameNodePort();
    for (int i = 1; i <= network.datanodes(); i++) {
      DataNodeProcess.Place datanode =
          new DataNodeProcess.Place(
              place.data().resolve("dn" + i),
              network.here(i) + ":" + port,
              ShapedNetwork.address(i),
              ShapedNetwork.prefix(i));
      place.start(() -> cluster.add(datanode));
    }
    // A cluster starts with a DataNode in its own process, whose traffic no link would limit.
    cluster.remove("dn1");
    if (network.limitsClients()) {
      int host = network.client();
      cluster.putClients(ShapedNetwork.prefix(host), network.here(host));
    }
    return cluster;
  }
}
