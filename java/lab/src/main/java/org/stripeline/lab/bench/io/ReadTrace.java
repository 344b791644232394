// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.cluster.ClusterStatus;

/**
 * Collects the DataNodes' log entries of reads: for each read its client, its connection and the
 * bytes that were read and sent, even if the client closed the connection early.
 */
final class ReadTrace {
  private static final String LOGGER =
      "org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace";

  private static final java.util.regex.Pattern READ =
      java.util.regex.Pattern.compile(
          "src: (\\S+), dest: (\\S+), .*?bytes: (\\d+), op: HDFS_READ, cliID: ([^,]+),.*");

  private final IoCluster cluster;

  private ReadTrace(IoCluster cluster) {
    this.cluster = cluster;
  }

  /** Enables the log of the DataNodes of the cluster's own process. */
  static ReadTrace start(IoCluster cluster) throws IOException {
    URL level = new URL(cluster.status().web + "/logLevel?log=" + LOGGER + "&level=DEBUG");
    HttpURLConnection connection = (HttpURLConnection) level.openConnection();
    try {
      int status = connection.getResponseCode();
      if (status != HttpURLConnection.HTTP_OK) {
        throw new IOException("Cannot make DataNodes log reads: " + level + " returned " + status);
      }
    } finally {
      connection.disconnect();
    }
    return new ReadTrace(cluster);
  }

  /**
   * Waits until no DataNode serves a read, and returns the reads of each client so far, by the name
   * that {@code DFSClient.getClientName} returns.
   */
  Map<String, AccessCount.Reads> reads() throws IOException {
    IoCluster.await("DataNodes to end all reads", this::isIdle);
    Map<String, AccessCount.Reads> reads = new HashMap<>();
    Map<String, Set<String>> connections = new HashMap<>();
    ClusterStatus status = cluster.status();
    try (Stream<String> lines = Files.lines(Paths.get(status.log), StandardCharsets.UTF_8)) {
      lines.forEach(
          line -> {
            Matcher read = READ.matcher(line);
            if (read.find()) {
              String client = read.group(4);
              AccessCount.Reads of = reads.computeIfAbsent(client, c -> new AccessCount.Reads());
              of.bytes += Long.parseLong(read.group(3));
              of.blockReads++;
              connections
                  .computeIfAbsent(client, c -> new HashSet<>())
                  .add(read.group(1) + read.group(2));
              of.connections = connections.get(client).size();
            }
          });
    }
    return reads;
  }

  /**
   * Returns the reads of one client.
   *
   * @throws IOException if there are none: all counts would be zero, and no threshold missed
   */
  static AccessCount.Reads of(String client, Map<String, AccessCount.Reads> reads)
      throws IOException {
    AccessCount.Reads of = reads.get(client);
    if (of == null) {
      throw new IOException("Cannot count: the log of the DataNodes has no read of " + client);
    }
    return of;
  }

  private boolean isIdle() {
    return cluster.servingThreads() == 0;
  }
}
