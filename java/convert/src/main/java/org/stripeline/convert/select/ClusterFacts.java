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

/** The DataNodes that can take blocks, and their racks. */
public final class ClusterFacts {
  private final List<DatanodeInfo> nodes = new ArrayList<>();
  private final Set<String> racks = new TreeSet<>();

  private ClusterFacts() {}

  /**
   * Asks the NameNode.
   *
   * @throws org.apache.hadoop.security.AccessControlException if the caller is no superuser
   */
  public static ClusterFacts of(DFSClient client) throws IOException {
    // A standby answers the question for DataNodes too, and may not know them yet. This one it
    // does not answer, so that the client finds the active NameNode and stays with it.
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

  int racks() {
    return racks.size();
  }

  /**
   * Refuses a code for which there are too few nodes, or racks so few that one of them holds more
   * of a group than parity makes up for.
   *
   * <p>One rack alone is taken: replicas in it do not survive its loss either.
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
              + " parity blocks; use a code with more parity, or say --allow-rack-loss");
    }
  }
}
