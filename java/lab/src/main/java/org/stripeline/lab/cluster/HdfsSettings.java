// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.lab.cluster.ClusterDirectory.Description;

/** The Hadoop configuration of the cluster's NameNode, DataNodes and clients. */
final class HdfsSettings {
  private static final String LOOPBACK = "127.0.0.1";

  private static final String AGENT = "org.apache.hadoop.hdfs.server.datanode.StripelineAgent";

  /** Our coder first, then those of a stock Hadoop, so that a cluster works in every case. */
  private static final String[][] CODERS = {
    {"io.erasurecode.codec.rs.rawcoders", "stripeline,rs_native,rs_java"},
    {"io.erasurecode.codec.rs-legacy.rawcoders", "stripeline,rs-legacy_java"},
    {"io.erasurecode.codec.xor.rawcoders", "stripeline,xor_native,xor_java"},
  };

  /** Client settings that select our pipelines; the clients need our jar. */
  static final String[][] PIPELINES = {
    {"fs.hdfs.impl", "org.apache.hadoop.hdfs.StripelineFileSystem"},
    {"fs.AbstractFileSystem.hdfs.impl", "org.apache.hadoop.fs.StripelineHdfs"},
  };

  private HdfsSettings() {}

  /** Returns the common settings of NameNode and DataNodes; ports of 0 select any free port. */
  static Configuration server(
      ClusterDirectory directory, Description description, ClusterPlan plan) {
    // The class path of the cluster's process contains no site files, so these are Hadoop's
    // defaults.
    Configuration conf = new HdfsConfiguration();
    setCoders(conf);
    setNameNodeAddress(conf, description.port, description.webPort);
    conf.set("dfs.namenode.name.dir", directory.name().toUri().toString());
    conf.set("hadoop.tmp.dir", directory.temporary().toString());
    conf.set("hadoop.http.staticuser.user", System.getProperty("user.name"));
    conf.setClass(
        "net.topology.node.switch.mapping.impl",
        RackTable.class,
        org.apache.hadoop.net.DNSToSwitchMapping.class);
    conf.setStrings(RackTable.RACKS_KEY, description.racks.toArray(new String[0]));
    conf.setInt("dfs.replication", Math.min(3, description.datanodes));

    // All servers share one machine: few handlers each, no load-based placement, and no background
    // scans or `du` processes that would disturb measurements.
    conf.setInt("dfs.namenode.handler.count", 8);
    conf.setInt("dfs.datanode.handler.count", 3);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    conf.setInt("dfs.block.scanner.volume.bytes.per.second", 0);
    conf.set("fs.getspaceused.classname", "org.apache.hadoop.fs.DFCachingGetSpaceUsed");
    conf.setBoolean("dfs.namenode.datanode.registration.ip-hostname-check", false);
    // Startup: no waiting once the blocks are reported.
    conf.setInt("dfs.namenode.safemode.extension", 0);
    conf.setInt("dfs.blockreport.initialDelay", 0);
    conf.setInt("dfs.heartbeat.interval", 1);
    // Small blocks allow small files to have several block groups.
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 64 << 10);

    // Conversion by adoption needs agents, and cells as large as blocks.
    setAgent(conf);
    conf.setInt("dfs.namenode.ec.policies.max.cellsize", 256 << 20);

    // Reconstruction by DataNodes: with Hadoop's default of 64 KiB per round, most time is spent on
    // round trips.
    conf.setInt("dfs.datanode.ec.reconstruction.stripedread.buffer.size", 1 << 20);
    conf.setInt("dfs.datanode.ec.reconstruction.threads", 4);
    if (plan.fastRecovery == ClusterOptions.FastRecovery.FAST) {
      setFastRecovery(conf);
    }
    plan.settings.forEach(conf::set);
    return conf;
  }

  /**
   * Sets the intervals of the NameNode: a DataNode is dead after 10 heartbeats and 2 rechecks of a
   * second each, and its blocks are then reconstructed immediately.
   */
  private static void setFastRecovery(Configuration conf) {
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
    conf.setInt("dfs.namenode.stale.datanode.interval", 5000);
    conf.set("dfs.namenode.redundancy.interval.seconds", "1s");
    conf.setInt("dfs.namenode.replication.work.multiplier.per.iteration", 10);
    conf.setInt("dfs.namenode.replication.max-streams", 8);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 16);
    conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 30);
    conf.set("dfs.namenode.decommission.interval", "1s");
    conf.setFloat("dfs.datanode.ec.reconstruction.xmits.weight", 0.1f);
  }

  /** Returns the settings of one DataNode. */
  static Configuration datanode(Configuration server, ClusterDirectory directory, int number) {
    Configuration conf = new HdfsConfiguration(server);
    conf.set("dfs.datanode.data.dir", directory.data(number).toUri().toString());
    setDataNodeAddress(conf, RackTable.address(number));
    return conf;
  }

  /** Binds a DataNode, and its connections to the NameNode, to one address. */
  static void setDataNodeAddress(Configuration conf, String address) {
    conf.set("dfs.datanode.hostname", address);
    conf.set("dfs.datanode.address", address + ":0");
    conf.set("dfs.datanode.ipc.address", address + ":0");
    conf.set("dfs.datanode.http.address", address + ":0");
    conf.set(SourceAddressSocketFactory.ADDRESS_KEY, address);
    conf.setClass(
        "hadoop.rpc.socket.factory.class.default",
        SourceAddressSocketFactory.class,
        javax.net.SocketFactory.class);
  }

  static void setNameNodeAddress(Configuration conf, int port, int webPort) {
    conf.set("fs.defaultFS", "hdfs://" + LOOPBACK + ":" + port);
    conf.set("dfs.namenode.rpc-address", LOOPBACK + ":" + port);
    conf.set("dfs.namenode.http-address", LOOPBACK + ":" + webPort);
  }

  /** Adds to DataNodes the agent that conversion by adoption calls. */
  static void setAgent(Configuration conf) {
    conf.set("dfs.datanode.plugins", AGENT);
  }

  private static void setCoders(Configuration conf) {
    for (String[] coder : CODERS) {
      conf.set(coder[0], coder[1]);
    }
  }

  /**
   * Writes site files that any Hadoop client can use by HADOOP_CONF_DIR.
   *
   * @param further additional keys and values for core-site.xml
   */
  static void writeClientConfiguration(Path directory, Configuration server, String[][] further)
      throws IOException {
    Configuration core = new Configuration(false);
    core.set("fs.defaultFS", server.get("fs.defaultFS"));
    for (String[] coder : CODERS) {
      core.set(coder[0], coder[1]);
    }
    for (String[] setting : further) {
      core.set(setting[0], setting[1]);
    }
    Configuration hdfs = new Configuration(false);
    for (String key :
        new String[] {
          "dfs.namenode.rpc-address",
          "dfs.namenode.http-address",
          "dfs.replication",
          "dfs.namenode.fs-limits.min-block-size"
        }) {
      hdfs.set(key, server.get(key));
    }
    write(directory.resolve("core-site.xml"), core);
    write(directory.resolve("hdfs-site.xml"), hdfs);
  }

  private static void write(Path file, Configuration conf) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    try (OutputStream out = Files.newOutputStream(next)) {
      conf.writeXml(out);
    }
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
