// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.StripedCluster;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TappedDataset;
import org.apache.hadoop.test.GenericTestUtils;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.WriteMode;

/** A cluster that many cases share; each case restores it. */
final class FuzzWorld implements AutoCloseable {
  /** A read that waits this long for a DataNode has failed to avoid it. */
  static final int SOCKET_TIMEOUT_MS = 6_000;

  private final StripedCluster cluster;
  private final BlockTaps taps;
  private final String tapsName = UUID.randomUUID().toString();
  private final List<DataNodeProperties> stopped = new ArrayList<>();
  private final Map<FuzzCase.Writer, DistributedFileSystem> writers =
      new EnumMap<>(FuzzCase.Writer.class);
  private final Configuration settings = new Configuration(false);

  FuzzWorld(Path dir) throws IOException {
    taps = BlockTaps.named(tapsName);
    settings.set(BlockTaps.KEY, tapsName);
    settings.set("dfs.datanode.fsdataset.factory", TappedDataset.Factory.class.getName());
    settings.setInt("dfs.client.socket-timeout", SOCKET_TIMEOUT_MS);
    settings.setInt("dfs.client.retry.window.base", 10);
    settings.setInt("dfs.datanode.handler.count", 4);
    cluster = new StripedCluster(dir, FuzzPolicy.UNITS_MAX, settings);
    for (FuzzPolicy fuzzPolicy : FuzzPolicy.ALL) {
      ErasureCodingPolicy policy = fuzzPolicy.policy();
      cluster.stock().addErasureCodingPolicies(new ErasureCodingPolicy[] {policy});
      cluster.directory("/" + fuzzPolicy.name(), fuzzPolicy.name());
    }
  }

  StripedCluster cluster() {
    return cluster;
  }

  BlockTaps taps() {
    return taps;
  }

  /** Returns a client without state of earlier cases. */
  DistributedFileSystem client(
      Class<? extends DistributedFileSystem> type, Map<String, String> more) throws IOException {
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    more.forEach(conf::set);
    return cluster.client(type, conf);
  }

  /**
   * Writes the file of a case in pieces and returns when all of its blocks are reported to the
   * NameNode.
   */
  org.apache.hadoop.fs.Path write(FuzzCase fuzz, byte[] data) throws IOException {
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path("/" + fuzz.fuzzPolicy().name(), "seed" + fuzz.seed());
    DistributedFileSystem fs = writer(fuzz.writer());
    int at = 0;
    for (int length : fuzz.lengths()) {
      try (FSDataOutputStream out =
          at == 0
              ? fs.create(file, true, 4096, (short) 1, fuzz.blockBytes())
              : fs.append(file, EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK), 4096, null)) {
        int piece = 1 + (int) Math.abs(fuzz.seed() * 7919 % 300_000);
        for (int from = 0; from < length; from += piece) {
          out.write(data, at + from, Math.min(piece, length - from));
        }
      }
      at += length;
    }
    awaitReports(file, fuzz.fuzzPolicy());
    return file;
  }

  private DistributedFileSystem writer(FuzzCase.Writer writer) throws IOException {
    if (writer == FuzzCase.Writer.STOCK) {
      return cluster.stock();
    }
    DistributedFileSystem fs = writers.get(writer);
    if (fs == null) {
      Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
      conf.set(ClientKeys.WRITE_MODE, WriteMode.valueOf(writer.name()).configurationName());
      fs = cluster.client(StripelineFileSystem.class, conf);
      writers.put(writer, fs);
    }
    return fs;
  }

  /**
   * Waits until all blocks are reported; otherwise later reads would treat unreported blocks as
   * missing.
   */
  private void awaitReports(org.apache.hadoop.fs.Path file, FuzzPolicy fuzzPolicy)
      throws IOException {
    try {
      GenericTestUtils.waitFor(() -> allReported(file, fuzzPolicy), 5, 20_000);
    } catch (TimeoutException e) {
      throw new IOException("blocks of " + file + " were not reported", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private boolean allReported(org.apache.hadoop.fs.Path file, FuzzPolicy fuzzPolicy) {
    try {
      for (LocatedStripedBlock group : cluster.groups(file)) {
        long cells = (group.getBlockSize() + fuzzPolicy.cellBytes() - 1) / fuzzPolicy.cellBytes();
        long units = Math.min(cells, fuzzPolicy.dataUnits()) + fuzzPolicy.parityUnits();
        if (group.getLocations().length < units) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Stops a DataNode until {@link #heal}. */
  void stop(DatanodeInfo node) {
    synchronized (stopped) {
      stopped.add(cluster.mini().stopDataNode(node.getXferAddr()));
    }
  }

  /** Reverts the effects of a case on DataNodes, and deletes its file. */
  void heal(org.apache.hadoop.fs.Path file) throws Exception {
    taps.clear();
    synchronized (stopped) {
      for (DataNodeProperties node : stopped) {
        cluster.mini().restartDataNode(node, true);
      }
      if (!stopped.isEmpty()) {
        cluster.mini().waitActive();
      }
      stopped.clear();
    }
    cluster.stock().delete(file, false);
  }

  /** Returns the milliseconds since a value of {@link System#nanoTime}. */
  static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }

  @Override
  public void close() throws IOException {
    taps.clear();
    for (DistributedFileSystem fs : writers.values()) {
      fs.close();
    }
    cluster.close();
  }
}
