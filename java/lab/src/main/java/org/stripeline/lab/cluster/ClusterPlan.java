// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.lab.cluster.ClusterDirectory.Description;

/** The requested options, passed to the cluster's process as a file in its run directory. */
final class ClusterPlan {
  Integer datanodes;
  List<String> racks = new ArrayList<>();
  Integer port;
  Integer webPort;
  ClusterOptions.FastRecovery fastRecovery = ClusterOptions.FastRecovery.STOCK;
  int heapMib = ClusterOptions.HEAP_MIB_DEFAULT;
  Map<String, String> settings = new LinkedHashMap<>();

  /** The process whose end ends the cluster, or null. */
  ProcessIdentity owner;

  static ClusterPlan of(ClusterOptions options, ProcessIdentity owner) {
    ClusterPlan plan = new ClusterPlan();
    plan.datanodes = options.datanodes();
    plan.racks.addAll(options.racks());
    plan.port = options.port();
    plan.webPort = options.webPort();
    plan.fastRecovery = options.fastRecovery();
    plan.heapMib = options.heapMib();
    plan.settings.putAll(options.settings());
    plan.owner = options.lifetime() == ClusterOptions.Lifetime.OF_STARTER ? owner : null;
    return plan;
  }

  /**
   * Combines the requested options, the stored description and the defaults into one description.
   *
   * @param kept the description stored in the directory, or null if it is new; ports of 0 request
   *     free ones
   */
  Description settle(Description kept) throws ClusterException {
    Description result = new Description();
    if (kept == null) {
      result.datanodes = datanodes == null ? ClusterOptions.DATANODES_DEFAULT : datanodes;
      result.racks.addAll(
          racks.isEmpty()
              ? ClusterOptions.builder().racks(ClusterOptions.RACKS_DEFAULT).build().racks()
              : racks);
      result.port = port == null ? 0 : port;
      result.webPort = webPort == null ? 0 : webPort;
      return result;
    }
    if (datanodes != null && datanodes < kept.datanodes) {
      throw new ClusterException(
          "Cannot start cluster: the directory holds "
              + kept.datanodes
              + " DataNodes, and fewer ("
              + datanodes
              + ") would lose blocks; omit --datanodes");
    }
    result.datanodes = datanodes == null ? kept.datanodes : datanodes;
    result.racks.addAll(racks.isEmpty() ? kept.racks : racks);
    result.port = port == null ? kept.port : port;
    result.webPort = webPort == null ? kept.webPort : webPort;
    return result;
  }
}
