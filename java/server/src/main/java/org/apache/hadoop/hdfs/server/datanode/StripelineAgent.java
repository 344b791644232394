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
import org.stripeline.server.datanode.service.AgentCompat;
import org.stripeline.server.datanode.service.AgentEndpoint;
import org.stripeline.server.datanode.service.AgentService;

/**
 * The encode agent as a DataNode plug-in. If {@code dfs.datanode.plugins} names it, the DataNode's
 * IPC server also serves the calls of {@link org.stripeline.agent.Agents}.
 *
 * <p>If the agent cannot run, it logs one warning, and the DataNode runs without it.
 */
public class StripelineAgent implements ServicePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(StripelineAgent.class);

  /** The ACL in {@code hadoop-policy.xml}; the agent itself also requires a superuser. */
  private static final String ACL = "security.stripeline.agent.protocol.acl";

  private final Supplier<List<String>> missing;
  private AgentService service;

  /** Called by the DataNode. */
  public StripelineAgent() {
    this(AgentCompat::missing);
  }

  /** Creates an agent; {@code missing} returns the features that this Hadoop lacks. */
  StripelineAgent(Supplier<List<String>> missing) {
    this.missing = missing;
  }

  @Override
  public synchronized void start(Object host) {
    List<String> lacks = missing.get();
    if (!lacks.isEmpty()) {
      LOG.warn(
          "Cannot run Stripeline's agent with this Hadoop; the DataNode runs without it. Missing:"
              + " {}",
          lacks);
      return;
    }
    DataNode dataNode = (DataNode) host;
    Configuration conf = dataNode.getConf();
    try {
      service = new AgentService(dataNode, pool -> ActiveNameNodes.address(dataNode, pool), conf);
      register(dataNode, conf, service);
    } catch (IOException | IllegalArgumentException | LinkageError e) {
      LOG.warn("Cannot run Stripeline's agent; the DataNode runs without it", e);
      stop();
    }
  }

  private static void register(DataNode dataNode, Configuration conf, AgentService service) {
    AgentRpc.use(conf);
    dataNode.ipcServer.addProtocol(
        RPC.RpcKind.RPC_PROTOCOL_BUFFER,
        AgentProtocol.class,
        new AgentEndpoint(service, service::admit));
    // Any client can trigger these, as fast as the network allows; log them without stack traces.
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

  /** The protocols of HDFS and of the agent, since a refresh replaces all previous services. */
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
