// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.HDFSPolicyProvider;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;
import org.apache.hadoop.util.ServicePlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.AgentRpc;
import org.stripeline.server.datanode.AgentCompat;
import org.stripeline.server.datanode.AgentEndpoint;
import org.stripeline.server.datanode.AgentService;

/**
 * The encode agent as a plug-in: name it in {@code dfs.datanode.plugins}, and the DataNode's IPC
 * server also answers {@link org.stripeline.agent.Agents}.
 *
 * <p>Where it cannot run, it says so once and stays out: a DataNode without an agent is a DataNode.
 */
public class StripelineAgent implements ServicePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(StripelineAgent.class);

  /** Whom {@code hadoop-policy.xml} lets call at all; the agent itself lets superusers only. */
  private static final String ACL = "security.stripeline.agent.protocol.acl";

  private final Supplier<List<String>> missing;
  private AgentService service;

  /** Called by the DataNode. */
  public StripelineAgent() {
    this(AgentCompat::missing);
  }

  /** {@code missing} returns what this Hadoop lacks. */
  StripelineAgent(Supplier<List<String>> missing) {
    this.missing = missing;
  }

  @Override
  public synchronized void start(Object host) {
    List<String> lacks = missing.get();
    if (!lacks.isEmpty()) {
      LOG.warn(
          "Cannot run Stripeline's agent with this Hadoop, and leaves the DataNode without one."
              + " Missing: {}",
          lacks);
      return;
    }
    DataNode dataNode = (DataNode) host;
    Configuration conf = dataNode.getConf();
    try {
      service = new AgentService(dataNode, conf);
      register(dataNode, conf, service);
    } catch (IOException | IllegalArgumentException | LinkageError e) {
      LOG.warn("Cannot run Stripeline's agent, and leaves the DataNode without one", e);
      stop();
    }
  }

  private static void register(DataNode dataNode, Configuration conf, AgentService service) {
    AgentRpc.use(conf);
    dataNode.ipcServer.addProtocol(
        RPC.RpcKind.RPC_PROTOCOL_BUFFER,
        AgentProtocol.class,
        new AgentEndpoint(service, service::admit));
    // Anybody can cause these, as fast as the network allows.
    dataNode.ipcServer.addTerseExceptions(AgentService.NotAdmittedException.class);
    if (conf.getBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false)) {
      dataNode.ipcServer.refreshServiceAcl(conf, new WithAgent());
    }
  }

  @Override
  public synchronized void stop() {
    if (service != null) {
      service.close();
      service = null;
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
      Service[] all = Arrays.copyOf(stock, stock.length + 1);
      all[stock.length] = new Service(ACL, AgentProtocol.class);
      return all;
    }
  }
}
