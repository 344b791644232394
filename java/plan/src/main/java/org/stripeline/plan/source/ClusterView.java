// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;

/**
 * Numbers the DataNodes of a live cluster. The NameNode lists its DataNodes only for superusers;
 * nodes that it does not list are added from the locations of blocks.
 */
public final class ClusterView {
  /** Free space for one large block: a node with less gets no parity. */
  private static final long REMAINING_MIN = 256L << 20;

  private final Map<String, Integer> numbers = new HashMap<>();
  private final Map<String, Integer> racks = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final List<Integer> rackOf = new ArrayList<>();
  private final List<NodeState> states = new ArrayList<>();
  private Topology topology;
  private boolean isFromReport;

  private ClusterView() {}

  /**
   * Requests the list of DataNodes from the NameNode; begins with an empty list if the user may not
   * request it.
   */
  public static ClusterView of(DistributedFileSystem fs) throws IOException {
    ClusterView view = new ClusterView();
    try {
      for (DatanodeInfo node : fs.getDataNodeStats(DatanodeReportType.LIVE)) {
        view.add(node, stateOf(node));
      }
      for (DatanodeInfo node : fs.getDataNodeStats(DatanodeReportType.DEAD)) {
        view.add(node, NodeState.DEAD);
      }
      view.isFromReport = true;
    } catch (RemoteException e) {
      if (!(e.unwrapRemoteException() instanceof AccessControlException)) {
        throw e;
      }
    }
    return view;
  }

  private static NodeState stateOf(DatanodeInfo node) {
    if (!node.isInService()) {
      return NodeState.LEAVING;
    }
    return node.getRemaining() < REMAINING_MIN ? NodeState.FULL : NodeState.OPEN;
  }

  private int add(DatanodeInfo node, NodeState state) {
    Integer known = numbers.get(node.getDatanodeUuid());
    if (known != null) {
      return known;
    }
    int number = names.size();
    Integer rack = racks.get(node.getNetworkLocation());
    if (rack == null) {
      rack = racks.size();
      racks.put(node.getNetworkLocation(), rack);
    }
    numbers.put(node.getDatanodeUuid(), number);
    names.add(node.getXferAddr() + " in " + node.getNetworkLocation());
    rackOf.add(rack);
    states.add(state);
    topology = null;
    return number;
  }

  /** Returns the numbers of some nodes. */
  public int[] numbers(DatanodeInfo[] nodes) {
    int[] result = new int[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      result[i] = add(nodes[i], NodeState.OPEN);
    }
    return result;
  }

  /** Returns whether all DataNodes are known, not only those that hold blocks. */
  public boolean isFromReport() {
    return isFromReport;
  }

  /** Returns the address and rack of a node. */
  public String name(int node) {
    return names.get(node);
  }

  /** Returns all nodes that are known so far. */
  public Topology topology() {
    if (topology == null) {
      Topology.Builder builder = new Topology.Builder();
      for (int i = 0; i < names.size(); i++) {
        builder.add(rackOf.get(i), states.get(i), 0);
      }
      topology = builder.build();
    }
    return topology;
  }
}
