// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.stripeline.testkit.Conditions;

/**
 * A mini cluster with a stock client and a Stripeline client, and access to the files in which the
 * DataNodes store internal blocks.
 *
 * <p>Nothing is repaired: the NameNode assigns no reconstruction work, and no scanner runs.
 */
public final class StripedCluster implements AutoCloseable {
  private final MiniDFSCluster mini;
  private final int dataNodes;
  private final boolean highlyAvailable;
  private final DistributedFileSystem stock;
  private final DistributedFileSystem ours;

  /** Starts a cluster whose files are under {@code dir}. */
  public StripedCluster(Path dir, int dataNodes, Configuration settings) throws IOException {
    this(dir, dataNodes, settings, false);
  }

  /** Starts a cluster, with a standby NameNode if {@code highlyAvailable}. */
  StripedCluster(Path dir, int dataNodes, Configuration settings, boolean highlyAvailable)
      throws IOException {
    Configuration conf = new HdfsConfiguration();
    settings.forEach(entry -> conf.set(entry.getKey(), entry.getValue()));
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.set("hadoop.tmp.dir", dir.resolve("tmp").toString());
    conf.setInt(
        "dfs.namenode.replication.max-streams",
        settings.getInt("dfs.namenode.replication.max-streams", 0));
    conf.setInt(
        "dfs.namenode.replication.max-streams-hard-limit",
        settings.getInt("dfs.namenode.replication.max-streams-hard-limit", 0));
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setInt("dfs.datanode.directoryscan.interval", -1);
    conf.setInt("dfs.datanode.scan.period.hours", -1);
    this.dataNodes = dataNodes;
    this.highlyAvailable = highlyAvailable;
    mini =
        new MiniDFSCluster.Builder(conf)
            .nnTopology(
                highlyAvailable
                    ? MiniDFSNNTopology.simpleHATopology()
                    : MiniDFSNNTopology.simpleSingleNN(0, 0))
            .numDataNodes(dataNodes)
            .storagesPerDatanode(1)
            .build();
    mini.waitActive();
    if (highlyAvailable) {
      mini.transitionToActive(0);
    }
    stock = client(DistributedFileSystem.class, conf);
    ours = client(StripelineFileSystem.class, conf);
  }

  /** Returns a client of that class with the given configuration, to be closed by the caller. */
  public DistributedFileSystem client(
      Class<? extends DistributedFileSystem> type, Configuration settings) throws IOException {
    Configuration conf = new Configuration(settings);
    conf.set("fs.hdfs.impl", type.getName());
    if (highlyAvailable) {
      conf.setBoolean("fs.hdfs.impl.disable.cache", true);
      return configureFailoverFs(conf);
    }
    return (DistributedFileSystem) FileSystem.newInstance(mini.getURI(), conf);
  }

  private DistributedFileSystem configureFailoverFs(Configuration conf) throws IOException {
    try {
      return HATestUtil.configureFailoverFs(mini, conf);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns Hadoop's own client. */
  public DistributedFileSystem stock() {
    return stock;
  }

  /** Returns Stripeline's client. */
  public DistributedFileSystem ours() {
    return ours;
  }

  /** Returns the cluster itself. */
  public MiniDFSCluster mini() {
    return mini;
  }

  /** Enables a policy and creates a directory with it. */
  public org.apache.hadoop.fs.Path directory(String name, String policy) throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(name);
    stock.enableErasureCodingPolicy(policy);
    stock.mkdirs(path);
    stock.setErasureCodingPolicy(path, policy);
    return path;
  }

  /** Adds a policy and creates a directory with it. */
  org.apache.hadoop.fs.Path directory(String name, ErasureCodingPolicy policy) throws IOException {
    stock.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy});
    return directory(name, policy.getName());
  }

  /** Writes a file with a single call. */
  public static void write(FileSystem fs, org.apache.hadoop.fs.Path file, byte[] data)
      throws IOException {
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(data);
    }
  }

  /** Returns bytes that depend on the seed only. */
  public static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Waits until {@code units} blocks of each group of a file have been reported. */
  void awaitReports(org.apache.hadoop.fs.Path file, int units) {
    Conditions.await(
        "all blocks to be reported",
        () -> groups(file).stream().allMatch(group -> group.getLocations().length == units));
  }

  /**
   * Reads from the position of a stream, {@code from}, up to {@code to} in pieces of 1 MiB, and
   * compares them with {@code data}, of which the file has copies one after the other.
   */
  static void checkNext(FSDataInputStream in, byte[] data, int from, int to) throws IOException {
    byte[] piece = new byte[1 << 20];
    for (int at = from; at < to; at += piece.length) {
      in.readFully(piece);
      int start = at % data.length;
      assertThat(Arrays.equals(piece, Arrays.copyOfRange(data, start, start + piece.length)))
          .as("bytes from %d on", at)
          .isTrue();
    }
  }

  /** Reads a whole file and checks its end, then reads {@code partBytes} bytes from the middle. */
  static void checkReads(FileSystem fs, org.apache.hadoop.fs.Path file, byte[] data, int partBytes)
      throws IOException {
    byte[] read = new byte[data.length];
    try (FSDataInputStream in = fs.open(file)) {
      in.readFully(read);
      assertThat(read).isEqualTo(data);
      assertThat(in.read()).isEqualTo(-1);
      byte[] part = new byte[partBytes];
      in.readFully(4_321, part);
      assertThat(part).isEqualTo(Arrays.copyOfRange(data, 4_321, 4_321 + part.length));
    }
  }

  /** Returns the block groups of a file. */
  public List<LocatedStripedBlock> groups(org.apache.hadoop.fs.Path file) throws IOException {
    List<LocatedStripedBlock> groups = new ArrayList<>();
    for (LocatedBlock block :
        stock
            .getClient()
            .getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE)
            .getLocatedBlocks()) {
      groups.add((LocatedStripedBlock) block);
    }
    return groups;
  }

  /** Returns the file with the bytes of internal block {@code unit} of a group. */
  public File blockFile(LocatedStripedBlock group, int unit) throws IOException {
    return file("blk_" + (group.getBlock().getBlockId() + unit), group);
  }

  /** Returns the file with the checksums of internal block {@code unit} of a group. */
  public File metaFile(LocatedStripedBlock group, int unit) throws IOException {
    String block = "blk_" + (group.getBlock().getBlockId() + unit);
    return file(block + '_' + group.getBlock().getGenerationStamp() + ".meta", group);
  }

  private File file(String name, LocatedStripedBlock group) throws IOException {
    for (int node = 0; node < dataNodes; node++) {
      File folder =
          MiniDFSCluster.getBlockFile(mini.getInstanceStorageDir(node, 0), group.getBlock())
              .getParentFile();
      File file = new File(folder, name);
      if (file.exists()) {
        return file;
      }
    }
    throw new FileNotFoundException(name + " is on no DataNode");
  }

  /** Returns the location of internal block {@code unit} of a group, or null if it has none. */
  public static DatanodeInfo location(LocatedStripedBlock group, int unit) {
    byte[] units = group.getBlockIndices();
    for (int i = 0; i < units.length; i++) {
      if (units[i] == unit) {
        return group.getLocations()[i];
      }
    }
    return null;
  }

  /** Returns the running DataNode with that identity. */
  public DataNode dataNode(DatanodeInfo info) {
    for (DataNode node : mini.getDataNodes()) {
      if (node.getDatanodeUuid().equals(info.getDatanodeUuid())) {
        return node;
      }
    }
    throw new IllegalArgumentException("Cannot find DataNode " + info + ": it does not run");
  }

  /** Inverts one bit of a file. */
  public static void flip(File file, long position, int bit) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
      open.seek(position);
      int value = open.read();
      open.seek(position);
      open.write(value ^ 1 << bit);
    }
  }

  @Override
  public void close() throws IOException {
    stock.close();
    ours.close();
    mini.shutdown(true, true);
  }
}
