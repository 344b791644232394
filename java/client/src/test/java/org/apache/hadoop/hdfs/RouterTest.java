// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.federation.MiniRouterDFSCluster;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.testkit.Conditions;

/**
 * Tests the pipelines through a Router with two namespaces, whose block pools share the DataNodes
 * and use the same file and block IDs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class RouterTest {
  private static final int CELL = 16 << 10;
  private static final int STRIPE = 3 * CELL;
  private static final List<String> SPACES = Arrays.asList("ns0", "ns1");
  private static final byte[][] DATA = {
    StripedCluster.bytes(19 * STRIPE + 12_345, 5), StripedCluster.bytes(19 * STRIPE + 12_345, 6)
  };

  private MiniRouterDFSCluster federation;
  private DistributedFileSystem ours;
  private DistributedFileSystem stock;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.setInt("dfs.blocksize", 8 * CELL);
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setInt("dfs.namenode.replication.max-streams", 0);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
    conf.setBoolean("dfs.namenode.edits.asynclogging", false);
    conf.setBoolean("dfs.federation.router.http.enable", false);
    federation = new MiniRouterDFSCluster(false, SPACES.size());
    federation.setNumDatanodesPerNameservice(4);
    federation.startCluster(conf);
    federation.startRouters();
    federation.registerNamenodes();
    federation.installMockLocations();
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    for (int i = 0; i < SPACES.size(); i++) {
      DistributedFileSystem space = federation.getCluster().getFileSystem(i);
      space.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy});
      space.enableErasureCodingPolicy(policy.getName());
      org.apache.hadoop.fs.Path root =
          new org.apache.hadoop.fs.Path(federation.getNamenodePathForNS(SPACES.get(i)));
      space.mkdirs(root);
      space.setErasureCodingPolicy(root, policy.getName());
    }
    ours = client(StripelineFileSystem.class);
    stock = client(DistributedFileSystem.class);
  }

  @AfterAll
  void stop() throws IOException {
    if (stock != null) {
      ours.close();
      stock.close();
    }
    if (federation != null) {
      federation.shutdown();
    }
  }

  private DistributedFileSystem client(Class<? extends DistributedFileSystem> type)
      throws IOException {
    return client(type, "warn");
  }

  private DistributedFileSystem client(Class<? extends DistributedFileSystem> type, String sync)
      throws IOException {
    Configuration conf = new Configuration(federation.generateClientConfiguration());
    conf.set("fs.hdfs.impl", type.getName());
    conf.set(ClientKeys.WRITE_SYNC, sync);
    conf.setInt("dfs.blocksize", 8 * CELL);
    return (DistributedFileSystem)
        FileSystem.newInstance(federation.getRouters().get(0).getFileSystemURI(), conf);
  }

  /** Returns the path of a file at the Router. */
  private org.apache.hadoop.fs.Path file(int space, String name) {
    return new org.apache.hadoop.fs.Path(federation.getFederatedPathForNS(SPACES.get(space)), name);
  }

  @Test
  void readsAndWritesInBothNamespacesWithLostDataNodes() throws Exception {
    FSDataOutputStream[] outs = new FSDataOutputStream[SPACES.size()];
    for (int i = 0; i < outs.length; i++) {
      outs[i] = ours.create(file(i, "lost"));
      assertThat(outs[i].getWrappedStream()).isInstanceOf(StripelineOutputStream.class);
    }
    int half = 10 * STRIPE + 77;
    for (int i = 0; i < outs.length; i++) {
      outs[i].write(DATA[i], 0, half);
    }
    MiniDFSCluster.DataNodeProperties stopped = stopDataNodeOf(outs[0]);
    try {
      for (int i = 0; i < outs.length; i++) {
        outs[i].write(DATA[i], half, DATA[i].length - half);
        outs[i].close();
      }
      for (int i = 0; i < outs.length; i++) {
        StripedCluster.checkReads(stock, file(i, "lost"), DATA[i], 6 * STRIPE);
      }
      long decoded = ReadContext.counters().get(ReadCount.BYTES_DECODED);
      FSDataInputStream[] ins = new FSDataInputStream[SPACES.size()];
      for (int i = 0; i < ins.length; i++) {
        ins[i] = ours.open(file(i, "lost"));
        assertThat(ins[i].getWrappedStream()).isInstanceOf(StripelineInputStream.class);
      }
      byte[] piece = new byte[STRIPE / 2];
      for (int at = 0; at + piece.length <= DATA[0].length; at += piece.length) {
        for (int i = 0; i < ins.length; i++) {
          ins[i].readFully(piece);
          assertThat(piece).isEqualTo(Arrays.copyOfRange(DATA[i], at, at + piece.length));
        }
      }
      for (int i = 0; i < ins.length; i++) {
        ins[i].close();
        StripedCluster.checkReads(ours, file(i, "lost"), DATA[i], 6 * STRIPE);
      }
      assertThat(ReadContext.counters().get(ReadCount.BYTES_DECODED) - decoded).isPositive();
    } finally {
      federation.getCluster().restartDataNode(stopped, true);
      federation.getCluster().waitActive();
    }
  }

  @Test
  void appendsAndKeepsChecksums() throws Exception {
    for (int i = 0; i < SPACES.size(); i++) {
      int half = DATA[i].length / 2;
      for (DistributedFileSystem fs : new DistributedFileSystem[] {ours, stock}) {
        org.apache.hadoop.fs.Path file = file(i, fs == ours ? "by-ours" : "by-stock");
        try (FSDataOutputStream out = fs.create(file)) {
          out.write(DATA[i], 0, half);
        }
        EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK);
        try (FSDataOutputStream out = fs.append(file, flags, 4096, null)) {
          assertThat(out.getWrappedStream() instanceof StripelineOutputStream)
              .isEqualTo(fs == ours);
          out.write(DATA[i], half, DATA[i].length - half);
        }
        StripedCluster.checkReads(ours, file, DATA[i], 6 * STRIPE);
        StripedCluster.checkReads(stock, file, DATA[i], 6 * STRIPE);
      }
      assertThat(ours.getFileChecksum(file(i, "by-ours")))
          .isEqualTo(stock.getFileChecksum(file(i, "by-stock")));
    }
  }

  /**
   * From Hadoop 3.4 on, leases are tracked by namespace and file; before, files with equal IDs
   * collided.
   */
  @Test
  void renewsTheLeasesOfBothNamespaces() throws Exception {
    FSDataOutputStream[] outs = new FSDataOutputStream[SPACES.size()];
    for (int i = 0; i < outs.length; i++) {
      outs[i] = ours.create(file(i, "leased"));
      outs[i].write(DATA[i], 0, STRIPE);
    }
    assertThat(number(outs[1])).as("file numbers that collide").isEqualTo(number(outs[0]));
    for (int i = 0; i < outs.length; i++) {
      assertRenews(i);
    }
    outs[0].close();
    if (hasNamespaces()) {
      assertThat(ours.getClient().isFilesBeingWrittenEmpty()).isFalse();
      assertRenews(1);
    }
    outs[1].close();
    assertThat(ours.getClient().isFilesBeingWrittenEmpty()).isTrue();
  }

  @Test
  void theFirstDurableSyncReplacesFilesOfBothNamespaces() throws Exception {
    FSDataOutputStream[] outs = new FSDataOutputStream[SPACES.size()];
    try (DistributedFileSystem durable = client(StripelineFileSystem.class, "durable")) {
      for (int i = 0; i < outs.length; i++) {
        outs[i] = durable.create(file(i, "synced"));
        outs[i].write(DATA[i], 0, STRIPE + 5);
      }
      for (int i = 0; i < outs.length; i++) {
        outs[i].hsync();
        assertThat(stock.getFileStatus(file(i, "synced")).isErasureCoded()).isFalse();
      }
      for (int i = 0; i < outs.length; i++) {
        outs[i].write(DATA[i], STRIPE + 5, DATA[i].length - STRIPE - 5);
        outs[i].close();
        try (FSDataInputStream in = stock.open(file(i, "synced"))) {
          byte[] back = new byte[DATA[i].length];
          in.readFully(back);
          assertThat(back).isEqualTo(DATA[i]);
          assertThat(in.read()).isEqualTo(-1);
        }
        assertThat(stock.listStatus(file(i, "synced").getParent()))
            .noneMatch(status -> status.getPath().getName().endsWith(TemporaryFiles.SUFFIX));
      }
    }
  }

  private static long number(FSDataOutputStream out) {
    return ((StripelineOutputStream) out.getWrappedStream()).getFileId();
  }

  private void assertRenews(int space) throws IOException {
    NameNode nameNode = federation.getCluster().getNameNode(space);
    String name = federation.getNamenodePathForNS(SPACES.get(space)) + "/leased";
    long before = NameNodeAdapter.getLeaseRenewalTime(nameNode, name);
    assertThat(before).isPositive();
    Conditions.await(
        "a renewal of the lease of " + name,
        () -> {
          assertThat(ours.getClient().renewLease()).isTrue();
          return NameNodeAdapter.getLeaseRenewalTime(nameNode, name) > before;
        });
  }

  private static boolean hasNamespaces() {
    return Arrays.stream(DFSOutputStream.class.getDeclaredMethods())
        .anyMatch(method -> method.getName().equals("getNamespace"));
  }

  private MiniDFSCluster.DataNodeProperties stopDataNodeOf(FSDataOutputStream out) {
    StripedDataStreamer streamer =
        ((StripelineOutputStream) out.getWrappedStream()).getStripedDataStreamer(1);
    DatanodeInfo[][] nodes = new DatanodeInfo[1][];
    Conditions.await(
        "a DataNode",
        () -> {
          nodes[0] = streamer.getNodes();
          return nodes[0] != null && nodes[0].length > 0;
        });
    return federation.getCluster().stopDataNode(nodes[0][0].getXferAddr());
  }
}
