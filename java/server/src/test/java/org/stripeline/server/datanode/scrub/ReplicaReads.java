// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.natives.Ticker;
import org.stripeline.natives.fingerprint.FingerprintFunction;
import org.stripeline.natives.fingerprint.JavaFingerprints;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentMetrics;

/** A cluster with one DataNode, whose replicas are read in virtual time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class ReplicaReads {
  static final int WINDOW = 64_000;
  private static final long SEED = 0x8000_0000_1234_5678L;

  AgentCluster cluster;
  private DataNode node;
  private int files;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    cluster = new AgentCluster(dir, new Configuration(false), "/a");
    node = cluster.mini().getDataNodes().get(0);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  /** A file of one block. */
  final class Written {
    final org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/file-" + files++);
    final byte[] data;
    final ExtendedBlock block;

    Written(int length, String checksumType, int bytesPerChecksum) throws IOException {
      data = AgentCluster.bytes(length, files);
      Configuration conf = new Configuration(cluster.fs().getConf());
      conf.set("dfs.checksum.type", checksumType);
      conf.setInt("dfs.bytes-per-checksum", bytesPerChecksum);
      try (FileSystem client = FileSystem.newInstance(cluster.fs().getUri(), conf);
          FSDataOutputStream out =
              client.create(
                  path, true, 4096, (short) 1, (4L << 20) / bytesPerChecksum * bytesPerChecksum)) {
        out.write(data);
      }
      block = located(path).getBlock();
    }

    Written(int length) throws IOException {
      this(length, "CRC32C", 512);
    }

    FingerprintRequest.Builder request() {
      return request(AgentBlock.of(block));
    }

    FingerprintRequest.Builder request(AgentBlock other) {
      return new FingerprintRequest.Builder(block.getBlockPoolId(), other)
          .function(SEED, 2, WINDOW)
          .windows(0, windows(data.length));
    }

    Path file() {
      return probe().file(block.getBlockId()).toPath();
    }

    Path meta() {
      return probe().meta(block.getBlockId()).toPath();
    }

    String storage() {
      return probe().storage(block.getBlockId());
    }
  }

  DataNode node() {
    return node;
  }

  static int windows(int length) {
    return Math.max(1, (length + WINDOW - 1) / WINDOW);
  }

  LocatedBlock located(org.apache.hadoop.fs.Path path) throws IOException {
    return cluster
        .fs()
        .getClient()
        .getLocatedBlocks(path.toUri().getPath(), 0, Long.MAX_VALUE)
        .get(0);
  }

  ReplicaProbe probe() {
    return new ReplicaProbe(node, cluster.mini().getNamesystem().getBlockPoolId());
  }

  /** A clock that a wait advances at once. */
  static final class SkippingTicker implements Ticker {
    long now = -17;

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public void timedWait(Object monitor, long timeoutNanos) {
      now += timeoutNanos;
    }
  }

  interface Action {
    void run() throws Exception;
  }

  ReplicaFingerprints reader(long bytesPerSecond, Ticker ticker) {
    return new ReplicaFingerprints(
        node, new AgentMetrics(node), bytesPerSecond, DirectFile::open, ticker);
  }

  BlockFingerprints read(FingerprintRequest.Builder request) throws IOException {
    return reader(0, new SkippingTicker()).read(request.build());
  }

  /** Reads, and runs an action before the second window is read. */
  ReplicaFingerprints interrupted(Action action) {
    AtomicInteger reads = new AtomicInteger();
    BlockFile.Opener opener =
        (path, buffer) -> {
          BlockFile file = DirectFile.open(path, buffer);
          return new BlockFile() {
            @Override
            public ByteBuffer read(long position, int length) throws IOException {
              if (reads.incrementAndGet() == 2) {
                act(action);
              }
              return file.read(position, length);
            }

            @Override
            public boolean isCached() {
              return file.isCached();
            }

            @Override
            public void close() throws IOException {
              file.close();
            }
          };
        };
    return new ReplicaFingerprints(node, new AgentMetrics(node), 0, opener, new SkippingTicker());
  }

  private static void act(Action action) throws IOException {
    try {
      action.run();
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static byte[][] expected(byte[] data, int first, int count) {
    return JavaFingerprints.of(new FingerprintFunction(SEED, 2, WINDOW), data, first, count);
  }
}
