// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.stripeline.lab.cluster.ClusterClient;
import org.stripeline.lab.cluster.ClusterOptions;
import org.stripeline.lab.cluster.ClusterProcess;
import org.stripeline.lab.cluster.ClusterStatus;

/** The cluster of the demo: started for it, and at its end stopped. */
final class DemoCluster implements AutoCloseable {

  /** Block size of the demo's files: several groups per file, and work for several DataNodes. */
  static final long BLOCK_BYTES = 16L << 20;

  private final Path directory;
  private volatile ClusterProcess process;
  private boolean closed;

  /** Names the directory; nothing runs yet. */
  DemoCluster(Path directory) {
    this.directory = directory;
  }

  /**
   * Starts the cluster and waits until it can be used. Whoever closes meanwhile waits too: only a
   * cluster that is up can be told to stop.
   */
  synchronized void start(int datanodes) throws IOException {
    if (closed) {
      throw new IOException("Cannot start cluster: the demo was interrupted");
    }
    ClusterOptions options =
        ClusterOptions.builder()
            .datanodes(datanodes)
            // A rack each: with fewer, HDFS moves blocks of short groups between racks, and a
            // DataNode that dies during a move delays the rebuilding of that group by a minute.
            .racks(datanodes)
            .fastRecovery(ClusterOptions.FastRecovery.FAST)
            .lifetime(ClusterOptions.Lifetime.OF_STARTER)
            // All groups at once: how many a DataNode may work on counts against this.
            .setting("dfs.namenode.replication.max-streams", "64")
            .setting("dfs.namenode.replication.max-streams-hard-limit", "128")
            .setting("dfs.namenode.replication.work.multiplier.per.iteration", "100")
            .setting("dfs.namenode.redundancy.work.multiplier.per.iteration", "100")
            // Work that was sent to a DataNode that then died is given out anew this much later.
            .setting("dfs.namenode.reconstruction.pending.timeout-sec", "15")
            .build();
    // Reading past dead DataNodes is what this is about; clients warn of each with a stack trace.
    Logger.getLogger("org.apache.hadoop.hdfs").setLevel(Level.ERROR);
    process = ClusterProcess.start(directory, options);
  }

  /** Configuration of a client of this cluster, without a word about coders. */
  Configuration clientConfiguration() throws IOException {
    Configuration conf = new HdfsConfiguration();
    conf.addResource(new org.apache.hadoop.fs.Path(site("core-site.xml")));
    conf.addResource(new org.apache.hadoop.fs.Path(site("hdfs-site.xml")));
    conf.setLong("dfs.blocksize", BLOCK_BYTES);
    // Closing a file asks the NameNode again after this long when it has not heard of the last
    // block yet. Hadoop's 400 ms would be most of what a small file takes.
    conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 10);
    conf.setInt("dfs.client.block.write.locateFollowingBlock.retries", 12);
    return conf;
  }

  private String site(String name) throws IOException {
    return running().clientConfiguration().resolve(name).toUri().toString();
  }

  ClusterStatus status() throws IOException {
    return client().status();
  }

  /** Address of each running DataNode by its name. */
  Map<String, String> liveNodes() throws IOException {
    Map<String, String> live = new TreeMap<>();
    for (ClusterStatus.DataNodeStatus node : status().datanodes) {
      if (node.running) {
        live.put(node.id, node.address);
      }
    }
    return live;
  }

  /** Where the blocks of all DataNodes lie. */
  List<Path> storage() throws IOException {
    List<Path> storage = new ArrayList<>();
    for (ClusterStatus.DataNodeStatus node : status().datanodes) {
      storage.add(Paths.get(node.directory));
    }
    return storage;
  }

  /** Stops DataNodes for good, and then tells the NameNode. */
  void kill(Collection<String> ids) throws IOException {
    for (String id : ids) {
      client().stopDataNode(id);
    }
    for (String id : ids) {
      client().expireDataNode(id);
    }
  }

  /** Stops a DataNode; the NameNode notices only after a while. */
  void stop(String id) throws IOException {
    client().stopDataNode(id);
  }

  /** Starts a stopped DataNode with the blocks that it had. */
  void restart(String id) throws IOException {
    client().startDataNode(id);
  }

  /** Puts DataNodes with empty disks in the place of stopped ones. */
  void replace(Collection<String> ids) throws IOException {
    for (ClusterStatus.DataNodeStatus node : status().datanodes) {
      if (ids.contains(node.id)) {
        ReplicaFiles.wipe(Paths.get(node.directory));
      }
    }
    for (String id : ids) {
      client().startDataNode(id);
    }
  }

  /** Sets a key in the configuration of all DataNodes. */
  void set(String key, String value) throws IOException {
    client().set(key, value);
  }

  /** Processor seconds used by the cluster's process. */
  double cpuSeconds() throws IOException {
    return client().cpuSeconds();
  }

  /** Attributes of one bean of the cluster's process; empty while there is no such bean. */
  Map<String, Object> bean(String name) throws IOException {
    Map<String, Map<String, Object>> found = client().metrics(name);
    return found.isEmpty() ? Collections.emptyMap() : found.values().iterator().next();
  }

  /** Sum of each numeric metric over all beans that match. */
  Map<String, Double> sums(String pattern) throws IOException {
    Map<String, Double> sums = new LinkedHashMap<>();
    for (Map<String, Object> bean : client().metrics(pattern).values()) {
      bean.forEach(
          (name, value) -> {
            if (value instanceof Number) {
              sums.merge(name, ((Number) value).doubleValue(), Double::sum);
            }
          });
    }
    return sums;
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    if (process != null) {
      process.stop();
      process = null;
    }
  }

  private ClusterClient client() throws IOException {
    return running().client();
  }

  private ClusterProcess running() throws IOException {
    ClusterProcess now = process;
    if (now == null) {
      throw new IOException("Cannot reach cluster in " + directory + ": it was stopped");
    }
    return now;
  }
}
