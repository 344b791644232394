// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.stripeline.client.ClientKeys;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.io.client.Pattern;
import org.stripeline.lab.cluster.WorkDirectory;

/**
 * Counts the bytes that DataNodes read for the access patterns of applications, for Hadoop's client
 * and for ours: with the same files, the same dead DataNodes, and a new client for each run.
 */
final class AccessBench {
  private static final IoContestant STOCK = IoContestant.CODER;
  private static final IoContestant OURS = IoContestant.FUNCTIONAL_PARTITIONED;

  /** Maximum number of DataNodes that are dead at the same time. */
  static final int DEAD_MAX = 2;

  /** More than the files take on disks with any policy that Hadoop has. */
  static final long DISK_BYTES = 256L << 20;

  /** Longer than the read-ahead of streams. */
  private static final long LONG_FILE_BYTES = (33L << 20) + 12_345;

  /** Time after which DataNodes close idle connections; each count waits for it. */
  private static final String KEEPALIVE_MILLIS = "1000";

  /**
   * Size of the socket buffer for data that a DataNode has sent and the client has not read. Linux
   * enlarges it during a connection, so counts for connections that are closed early would depend
   * on their age.
   */
  private static final String SOCKET_BYTES = String.valueOf(128 << 10);

  private final IoSettings settings;
  private final WorkDirectory place;
  private final Consumer<String> progress;
  private final IoReport report;
  private final Pattern pattern = new Pattern();
  private IoCluster cluster;
  private ReadTrace trace;

  AccessBench(
      IoSettings settings, WorkDirectory place, Consumer<String> progress, IoReport report) {
    this.settings = settings;
    this.place = place;
    this.progress = progress;
    this.report = report;
  }

  void run() throws IOException {
    progress.accept("starting " + settings.datanodes() + " DataNodes");
    Map<String, String> own = new LinkedHashMap<>();
    own.put("dfs.datanode.socket.reuse.keepalive", KEEPALIVE_MILLIS);
    own.put("dfs.datanode.transfer.socket.send.buffer.size", SOCKET_BYTES);
    cluster = place.start(() -> IoCluster.start(place.cluster(), settings.datanodes(), own));
    report.describe(cluster.hadoopVersion());
    trace = ReadTrace.start(cluster);
    Logger log = Logger.getLogger("org.apache.hadoop.hdfs");
    Level before = log.getLevel();
    // Clients log a warning with a stack trace for each dead DataNode.
    log.setLevel(Level.ERROR);
    try {
      for (ErasureCodingPolicy policy : settings.policies) {
        new Round(policy).run();
      }
    } finally {
      log.setLevel(before);
    }
  }

  /** All files, patterns and faults of one policy. */
  private final class Round {
    private final ErasureCodingPolicy policy;
    private final ReadFiles files;
    private final Map<String, Long> lengths = new LinkedHashMap<>();
    private final List<String> paths = new ArrayList<>();

    Round(ErasureCodingPolicy policy) {
      this.policy = policy;
      long cell = policy.getCellSize();
      long stripe = policy.getNumDataUnits() * cell;
      lengths.put("part of a cell", cell * 3 / 5);
      lengths.put("part of a stripe", stripe * 7 / 10);
      lengths.put("stripes", Math.max(stripe * 21 / 4, LONG_FILE_BYTES));
      lengths.put("groups", stripe * 39 / 4);
      files = new ReadFiles(cluster, pattern, policy, null, DEAD_MAX);
    }

    void run() throws IOException {
      Path directory = new Path("/access", policy.getName());
      cluster.fs().mkdirs(directory);
      cluster.enable(policy);
      cluster.fs().setErasureCodingPolicy(directory, policy.getName());
      for (String name : lengths.keySet()) {
        paths.add(new Path(directory, name.replace(' ', '-')).toString());
      }
      // The last file has three groups because its blocks have four cells.
      List<Long> blocks = new ArrayList<>(Collections.nCopies(3, IoCluster.BLOCK_BYTES));
      blocks.add(4L * policy.getCellSize());
      files.write(IoContestant.StorageScheme.RS, paths, new ArrayList<>(lengths.values()), blocks);
      List<String> victims = files.victims();
      count(0);
      for (int dead = 1; dead <= victims.size(); dead++) {
        cluster.kill(victims.get(dead - 1));
        count(dead);
      }
      for (String victim : victims) {
        cluster.restart(victim);
      }
      files.delete();
    }

    private void count(int dead) throws IOException {
      progress.accept(policy.getName() + ", " + dead + " dead DataNodes");
      List<Run> runs = new ArrayList<>();
      for (int repetition = 0; repetition < settings.repetitions; repetition++) {
        for (int file = 0; file < paths.size(); file++) {
          for (AccessPattern access : AccessPattern.values()) {
            for (IoContestant contestant : Arrays.asList(STOCK, OURS)) {
              runs.add(new Run(file, access, contestant));
            }
          }
        }
      }
      for (Run run : runs) {
        run.read(paths.get(run.file), dead);
      }
      Map<String, AccessCount.Reads> reads = trace.reads();
      for (Run run : runs) {
        run.reads = run.hasFailed ? new AccessCount.Reads() : ReadTrace.of(run.client, reads);
      }
      int file = 0;
      for (Map.Entry<String, Long> entry : lengths.entrySet()) {
        for (AccessPattern access : AccessPattern.values()) {
          AccessCount count = new AccessCount();
          count.policy = policy.getName();
          count.file = entry.getKey();
          count.fileBytes = entry.getValue();
          count.dead = dead;
          count.pattern = access.label();
          count.stock = median(runs, file, access, STOCK);
          count.ours = median(runs, file, access, OURS);
          report.accesses.add(count);
        }
        file++;
      }
    }

    private AccessCount.Reads median(
        List<Run> runs, int file, AccessPattern access, IoContestant contestant) {
      List<AccessCount.Reads> reads = new ArrayList<>();
      for (Run run : runs) {
        if (run.file == file && run.access == access && run.contestant == contestant) {
          reads.add(run.reads);
        }
      }
      reads.sort(Comparator.comparingLong(read -> read.bytes));
      return reads.get((reads.size() - 1) / 2);
    }
  }

  /** One pattern on one file by a client without knowledge of failed DataNodes. */
  private final class Run {
    final int file;
    final AccessPattern access;
    final IoContestant contestant;
    String client;
    boolean hasFailed;
    AccessCount.Reads reads;

    Run(int file, AccessPattern access, IoContestant contestant) {
      this.file = file;
      this.access = access;
      this.contestant = contestant;
    }

    void read(String path, int dead) throws IOException {
      Configuration conf = new HdfsConfiguration();
      cluster.clientSettings().forEach(conf::set);
      conf.unset("fs.hdfs.impl");
      contestant.settings().forEach(conf::set);
      // Whether reads are hedged depends on the machine's load.
      conf.setBoolean(ClientKeys.HEDGE_ENABLED, false);
      // Clients with the same context share connections.
      conf.set("dfs.client.context", "access-" + System.nanoTime());
      try (DistributedFileSystem fs =
              (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
          CheckedReads in = new CheckedReads(fs, pattern, file, new Path(path), access.ordinal())) {
        client = fs.getClient().getClientName();
        if (contestant.isOurPipeline() && !Judge.isOurStream(in.stream())) {
          throw new IOException(path + " was opened as " + in.stream());
        }
        access.run(in);
      } catch (IOException e) {
        hasFailed = true;
        report.fail(
            contestant,
            path + ", " + dead + " dead, " + access.label() + ", " + contestant.label() + ": " + e);
      }
    }
  }
}
