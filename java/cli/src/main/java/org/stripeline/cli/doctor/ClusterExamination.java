// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.namenode.ServerPages;
import org.stripeline.convert.namenode.ServerSettings;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;

/**
 * Checks whether every NameNode accepts the erasure coding policies that were added, and what the
 * DataNodes report.
 */
final class ClusterExamination {
  private static final int RPC_MILLIS = 15_000;
  private static final int FAILOVERS = 4;

  private final Configuration conf;
  private final DoctorReport report;
  private final DoctorReport.Cluster cluster = new DoctorReport.Cluster();

  ClusterExamination(Configuration conf, DoctorReport report) {
    this.conf = new HdfsConfiguration(conf);
    // A server that hangs must not make the command hang; its absence is a result.
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 2);
    this.conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 1);
    this.conf.setInt(CommonConfigurationKeys.IPC_CLIENT_RPC_TIMEOUT_KEY, RPC_MILLIS);
    // An idle connection to a server that was restarted since would fail the next call.
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECTION_MAXIDLETIME_KEY, 0);
    this.conf.setInt(HdfsClientConfigKeys.Failover.MAX_ATTEMPTS_KEY, FAILOVERS);
    this.report = report;
  }

  void examine() {
    URI uri = FileSystem.getDefaultUri(conf);
    cluster.fileSystem = uri.toString();
    report.cluster = cluster;
    try (FileSystem fs = FileSystem.newInstance(uri, conf)) {
      if (!(fs instanceof DistributedFileSystem)) {
        throw new CommandException(
            ExitStatus.USAGE,
            "Cannot ask the cluster: fs.defaultFS is "
                + uri
                + ", which is not HDFS; set HADOOP_CONF_DIR to the configuration of a client");
      }
      findLargest((DistributedFileSystem) fs);
      List<ServerSettings> servers = NameNodeLimits.ask(uri, conf).servers();
      cluster.servers = servers;
      servers.forEach(this::judge);
      ClusterChecks checks = new ClusterChecks(report);
      checks.judgeKeys(servers);
      survey((DistributedFileSystem) fs, servers, checks);
    } catch (IOException e) {
      report.addUnchecked(
          "Cannot ask " + uri + ": " + RootCause.message(e),
          "check that HDFS runs, and that HADOOP_CONF_DIR is its client's configuration");
    }
  }

  private void survey(DistributedFileSystem fs, List<ServerSettings> servers, ClusterChecks checks)
      throws IOException {
    Map<String, URI> nameNodes = new TreeMap<>();
    for (ServerSettings server : servers) {
      if (server.isKnown() && !server.isSecondary()) {
        nameNodes.put(server.name(), server.address());
      }
    }
    Map<String, Long> clocks = new TreeMap<>();
    try (DataNodeSurvey survey = new DataNodeSurvey(conf, DataNodeSurvey.LIMIT_MILLIS)) {
      nameNodes.forEach(
          (name, address) -> {
            Long ahead = survey.clockOf(address);
            if (ahead != null) {
              clocks.put(name, ahead);
            }
          });
      try {
        cluster.dataNodes = survey.list(fs, new ArrayList<>(nameNodes.values()));
        checks.judgeDead(survey.dead());
      } catch (AccessControlException e) {
        checks.missList(e.getMessage());
        return;
      }
      survey.ask(cluster.dataNodes);
    }
    checks.judgeDataNodes(cluster.dataNodes, fs.getDefaultBlockSize(new Path("/")));
    for (DoctorReport.DataNode node : cluster.dataNodes) {
      if (node.clockAheadMillis != null) {
        clocks.put(node.name, node.clockAheadMillis);
      }
    }
    checks.judgeClocks(clocks);
  }

  /**
   * Finds the policy with the largest cells. Removed policies count as well: the edits that added
   * them exist until a checkpoint.
   */
  private void findLargest(DistributedFileSystem fs) throws IOException {
    for (ErasureCodingPolicyInfo info : fs.getAllErasureCodingPolicies()) {
      ErasureCodingPolicy policy = info.getPolicy();
      if (NameNodeLimits.concerns(policy) && policy.getCellSize() > cluster.largestCellBytes) {
        cluster.largestCellBytes = policy.getCellSize();
        cluster.largestPolicy = policy.getName() + " (" + info.getState() + ")";
      }
    }
  }

  private void judge(ServerSettings server) {
    DoctorReport.NameNode node = new DoctorReport.NameNode();
    node.name = server.name();
    cluster.nameNodes.add(node);
    if (!server.isKnown()) {
      node.state = "NOT ASKED";
      node.reason = server.reason();
      if (ServerPages.isRefusal(node.reason)) {
        report.addUnchecked(
            node.name + " may not be asked for the policies that it accepts: " + node.reason,
            "run as a user with a Kerberos ticket and access to its web pages; for https, name the"
                + " truststore in ssl-client.xml");
      } else if (!server.isSecondary()) {
        report.addProblem(
            node.name + " could not be queried for the policies that it accepts: " + node.reason,
            "check that it runs, and that dfs.namenode.http-address or https-address of this"
                + " configuration is its address");
      }
      return;
    }
    node.cellBytesMax = NameNodeLimits.cellBytesMax(server);
    if (cluster.largestPolicy != null) {
      node.reason = NameNodeLimits.obstacle(server, cluster.largestCellBytes);
    }
    node.state = node.reason == null ? "OK" : "NOT ENOUGH";
    if (node.reason != null) {
      report.addProblem(
          node.name
              + " does not accept policy "
              + cluster.largestPolicy
              + ": "
              + node.reason
              + "; it stops when it replays the edit that added the policy, and holds the policy"
              + " as disabled when it loads it from an image",
          "set "
              + NameNodeLimits.CELL_KEY
              + " to at least "
              + cluster.largestCellBytes
              + " in its hdfs-site.xml and restart it; 'Remove' in install.md says how to do"
              + " without");
    }
  }
}
