// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.namenode.ServerSettings;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;

/** Checks whether every NameNode accepts the erasure coding policies that were added. */
final class ClusterExamination {
  private final Configuration conf;
  private final DoctorReport report;
  private final DoctorReport.Cluster cluster = new DoctorReport.Cluster();

  ClusterExamination(Configuration conf, DoctorReport report) {
    this.conf = new HdfsConfiguration(conf);
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
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.UNCHECKED, "Cannot ask " + uri + ": " + RootCause.of(e).getMessage());
    }
    for (ServerSettings server : NameNodeLimits.ask(uri, conf).servers()) {
      judge(server);
    }
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
      if (!server.isSecondary()) {
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
