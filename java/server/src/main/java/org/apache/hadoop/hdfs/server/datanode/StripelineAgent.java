// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.HDFSPolicyProvider;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.WritableRpcEngine;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;
import org.apache.hadoop.util.ServicePlugin;
import org.stripeline.server.agent.AgentProtocol;
import org.stripeline.server.agent.AgentService;

/**
 * The encode agent as a plug-in: name it in {@code dfs.datanode.plugins}, and the DataNode's IPC
 * server also answers {@link org.stripeline.server.agent.Agents}.
 */
public final class StripelineAgent implements ServicePlugin {
  /** Whom {@code hadoop-policy.xml} lets call at all; the agent itself lets superusers only. */
  private static final String ACL = "security.stripeline.agent.protocol.acl";

  private AgentService service;

  @Override
  public synchronized void start(Object host) {
    DataNode dataNode = (DataNode) host;
    Configuration conf = dataNode.getConf();
    try {
      service = new AgentService(dataNode, conf);
      register(dataNode, conf, service);
    } catch (IOException e) {
      throw new IllegalStateException("Cannot start Stripeline's agent: " + e.getMessage(), e);
    }
  }

  @SuppressWarnings("deprecation") // Hadoop's other engine wants generated classes of its protobuf.
  private static void register(DataNode dataNode, Configuration conf, AgentProtocol service) {
    // The server reads calls of this kind only once their engine has been loaded.
    WritableRpcEngine.ensureInitialized();
    RPC.setProtocolEngine(conf, AgentProtocol.class, WritableRpcEngine.class);
    dataNode.ipcServer.addProtocol(RPC.RpcKind.RPC_WRITABLE, AgentProtocol.class, service);
    if (conf.getBoolean(
        CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false)) {
      dataNode.ipcServer.refreshServiceAcl(conf, new WithAgent());
    }
  }

  @Override
  public synchronized void stop() {
    if (service != null) {
      service.close();
    }
  }

  @Override
  public void close() {
    stop();
  }

  /** HDFS' protocols and ours: refreshing replaces what was known before. */
  private static final class WithAgent extends PolicyProvider {
    @Override
    public Service[] getServices() {
      Service[] stock = new HDFSPolicyProvider().getServices();
      Service[] all = java.util.Arrays.copyOf(stock, stock.length + 1);
      all[stock.length] = new Service(ACL, AgentProtocol.class);
      return all;
    }
  }
}
