// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.stripeline.agent.AgentException;

/** Queries the NameNodes of a DataNode for their DataNodes, as the DataNode's user. */
final class NameNodeReports implements KnownDataNodes.Source {
  /** RPC timeout; a NameNode reports thousands of DataNodes within a second. */
  private static final int TIMEOUT_MILLIS = 10_000;

  private final NameNodes nameNodes;
  private final Configuration conf;
  private final UserGroupInformation user;

  /** Creates a source that queries as the current user. */
  NameNodeReports(NameNodes nameNodes, Configuration conf) throws IOException {
    this.nameNodes = nameNodes;
    this.conf = new Configuration(conf);
    this.conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, TIMEOUT_MILLIS);
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, TIMEOUT_MILLIS);
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    this.conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    user = UserGroupInformation.getCurrentUser();
  }

  /** Finds the NameNode of a block pool. */
  interface NameNodes {
    /**
     * Returns the active NameNode's address, or null if the DataNode has no such pool or NameNode.
     */
    InetSocketAddress active(String pool);
  }

  @Override
  public DatanodeInfo[] report(String pool) throws IOException {
    InetSocketAddress address = nameNodes.active(pool);
    if (address == null) {
      throw new AgentException(
          AgentException.Kind.NOT_READY,
          "Cannot find the active NameNode of block pool " + pool + ": this DataNode has none");
    }
    ClientProtocol nameNode =
        NameNodeProxiesClient.createNonHAProxyWithClientProtocol(address, conf, user, false, null);
    try {
      return nameNode.getDatanodeReport(DatanodeReportType.ALL);
    } catch (RemoteException e) {
      throw refusal(
          e.unwrapRemoteException(AccessControlException.class, AuthorizationException.class));
    } finally {
      RPC.stopProxy(nameNode);
    }
  }

  private IOException refusal(IOException why) {
    if (!(why instanceof AccessControlException)) {
      return why;
    }
    return new AccessControlException(
        "user "
            + user.getUserName()
            + ", which runs this DataNode, must be a superuser of HDFS"
            + " (auth_to_local rules or dfs.permissions.superusergroup of the NameNode): "
            + firstLine(why));
  }

  /** Drops the other lines, which are the stack trace of the NameNode's thread. */
  private static String firstLine(IOException why) {
    return String.valueOf(why.getMessage()).split("\n", 2)[0];
  }
}
