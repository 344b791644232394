// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** A DataNode as one agent is told of another: where it is reached, and in which rack it is. */
public final class AgentNode {
  /** The DataNode's identity, which survives restarts and changes of address. */
  public final String uuid;

  /** Its address without a port. */
  public final String address;

  /** Its host's name, used where {@code dfs.datanode.use.datanode.hostname} asks for it. */
  public final String host;

  /** The port for data. */
  public final int transferPort;

  /** The port for calls. */
  public final int ipcPort;

  /** Its network location, such as {@code /rack1}; agents only compare it. */
  public final String rack;

  private AgentNode(DatanodeInfo node) {
    uuid = node.getDatanodeUuid();
    address = node.getIpAddr();
    host = node.getHostName();
    transferPort = node.getXferPort();
    ipcPort = node.getIpcPort();
    rack = node.getNetworkLocation();
  }

  /** Describes a DataNode as the NameNode reports it. */
  public static AgentNode of(DatanodeInfo node) {
    return new AgentNode(node);
  }

  /** Returns whether another description leads to the same DataNode, at the same address. */
  public boolean isReachedAs(AgentNode other) {
    return uuid.equals(other.uuid)
        && address.equals(other.address)
        && host.equals(other.host)
        && transferPort == other.transferPort
        && ipcPort == other.ipcPort;
  }

  /** Returns the DataNode as Hadoop's calls want it. */
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
