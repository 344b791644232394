// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** Identifies a DataNode in messages to an agent: its addresses and its rack. */
public final class AgentNode {
  /** The DataNode's UUID, which survives restarts and changes of address. */
  public final String uuid;

  /** The DataNode's address without a port. */
  public final String address;

  /** The DataNode's host name, used if {@code dfs.datanode.use.datanode.hostname} is set. */
  public final String host;

  /** The port for data transfers. */
  public final int transferPort;

  /** The port for RPC calls. */
  public final int ipcPort;

  /** The DataNode's network location, such as {@code /rack1}; agents only compare it. */
  public final String rack;

  private AgentNode(DatanodeInfo node) {
    uuid = node.getDatanodeUuid();
    address = node.getIpAddr();
    host = node.getHostName();
    transferPort = node.getXferPort();
    ipcPort = node.getIpcPort();
    rack = node.getNetworkLocation();
  }

  /** Creates the description of a DataNode that the NameNode reported. */
  public static AgentNode of(DatanodeInfo node) {
    return new AgentNode(node);
  }

  /** Returns whether another description has the same DataNode and the same addresses. */
  public boolean isReachedAs(AgentNode other) {
    return uuid.equals(other.uuid)
        && address.equals(other.address)
        && host.equals(other.host)
        && transferPort == other.transferPort
        && ipcPort == other.ipcPort;
  }

  /** Returns the DataNode as Hadoop's type. */
  public DatanodeInfo toDatanodeInfo() {
    return new DatanodeInfo.DatanodeInfoBuilder()
        .setDatanodeUuid(uuid)
        .setIpAddr(address)
        .setHostName(host)
        .setXferPort(transferPort)
        .setIpcPort(ipcPort)
        .setNetworkLocation(rack)
        .build();
  }

  @Override
  public String toString() {
    return address + ':' + transferPort;
  }
}
