// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.placement.CodeName;

/** The DataNodes that accept blocks, and their racks. */
public final class ClusterFacts {
  private final List<DatanodeInfo> nodes = new ArrayList<>();
  private final Set<String> racks = new TreeSet<>();

  private ClusterFacts() {}

  /**
   * Queries the NameNode.
   *
   * @throws org.apache.hadoop.security.AccessControlException if the caller is not a superuser
   */
  public static ClusterFacts of(DFSClient client) throws IOException {
    // A standby NameNode answers datanodeReport too, but may not know all DataNodes yet. It does
    // not answer this call, so the client fails over to the active NameNode and keeps using it.
    client.getFileInfo("/");
    ClusterFacts facts = new ClusterFacts();
    for (DatanodeInfo node : client.datanodeReport(DatanodeReportType.LIVE)) {
      if (node.getAdminState() == DatanodeInfo.AdminStates.NORMAL) {
        facts.nodes.add(node);
        facts.racks.add(node.getNetworkLocation());
      }
    }
    return facts;
  }

  public List<DatanodeInfo> nodes() {
    return Collections.unmodifiableList(nodes);
  }

  /** Returns the number of racks with a DataNode that accepts blocks. */
  public int racks() {
    return racks.size();
  }

  /**
   * Refuses a code if there are too few nodes, or if the racks are so few that one of them would
   * hold more blocks of a group than the code has parity.
   *
   * <p>A cluster with a single rack is accepted: replicas do not survive the loss of that rack
   * either.
   */
  void require(CodeName code, boolean allowRackLoss) throws RefusedException {
    if (nodes.size() < code.shape().total()) {
      throw new RefusedException(
          "Cannot use "
              + code
              + ": it needs "
              + code.shape().total()
              + " DataNodes, "
              + nodes.size()
              + " are live and in service; add DataNodes or use a smaller code");
    }
    int m = code.parity();
    int racksMin = (code.shape().total() + m - 1) / m;
    if (racks.size() > 1 && racks.size() < racksMin && !allowRackLoss) {
      int most = (code.shape().total() + racks.size() - 1) / racks.size();
      throw new RefusedException(
          "Cannot use "
              + code
              + ": it needs "
              + racksMin
              + " racks to survive the loss of one, "
              + "there are "
              + racks.size()
              + ", so that one would hold "
              + most
              + " blocks of a group with "
              + m
              + " parity blocks; use a code with more parity, or --allow-rack-loss");
    }
  }
}
