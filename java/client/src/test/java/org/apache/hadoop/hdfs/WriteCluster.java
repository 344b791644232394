// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.key.JavaKeyStoreProvider;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.AddErasureCodingPolicyResponse;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetTestUtil;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.stripeline.client.ClientKeys;
import org.stripeline.testkit.Conditions;

/** A mini cluster with the operations that write tests need. */
final class WriteCluster implements Closeable {
  final MiniDFSCluster cluster;
  private final Configuration conf;
  private final List<DistributedFileSystem> opened = new ArrayList<>();

  WriteCluster(Path dir, int nodes, long blockSize, Consumer<Configuration> more)
      throws IOException {
    conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 0);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, blockSize);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_MAX_XATTRS_PER_INODE_KEY, 32);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    // Hadoop 3.4 formats the edit of a new policy for a log after another thread has reset it.
    conf.setBoolean(DFSConfigKeys.DFS_NAMENODE_EDITS_ASYNC_LOGGING, false);
    conf.set("io.erasurecode.codec.rs.rawcoders", "stripeline,rs_java");
    conf.set("io.erasurecode.codec.rs-legacy.rawcoders", "stripeline,rs-legacy_java");
    conf.set("io.erasurecode.codec.xor.rawcoders", "stripeline,xor_java");
    more.accept(conf);
    cluster = new MiniDFSCluster.Builder(conf).numDataNodes(nodes).build();
    cluster.waitActive();
  }

  Configuration conf() {
    return conf;
  }

  /** Returns a separate file system with that write mode. */
  DistributedFileSystem open(String mode) throws IOException {
    return open(mode, any -> {});
  }

  DistributedFileSystem open(String mode, Consumer<Configuration> more) throws IOException {
    Configuration own = new HdfsConfiguration(conf);
    own.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    own.setBoolean(ClientKeys.READ_ENABLED, false);
    own.set(ClientKeys.WRITE_MODE, mode);
    own.setBoolean("fs.hdfs.impl.disable.cache", true);
    more.accept(own);
    URI uri = cluster.getURI(0);
    DistributedFileSystem fs =
        (DistributedFileSystem) org.apache.hadoop.fs.FileSystem.newInstance(uri, own);
    opened.add(fs);
    return fs;
  }

  /**
   * Returns a separate file system without durable syncs, whose streams allocate a group before its
   * first stripe is full, and end it when its last one is.
   */
  DistributedFileSystem notDurable(String mode) throws IOException {
    return open(mode, conf -> conf.set(ClientKeys.WRITE_SYNC, "warn"));
  }

  DistributedFileSystem stock() throws IOException {
    return open("stock");
  }

  /** Adds a policy, enables it, and creates a directory with it. */
  org.apache.hadoop.fs.Path directory(String codec, int k, int m, int cell) throws IOException {
    DistributedFileSystem fs = cluster.getFileSystem();
    ErasureCodingPolicy wanted = new ErasureCodingPolicy(new ECSchema(codec, k, m), cell);
    AddErasureCodingPolicyResponse[] added =
        fs.addErasureCodingPolicies(new ErasureCodingPolicy[] {wanted});
    String name =
        added[0].isSucceed()
            ? added[0].getPolicy().getName()
            : ErasureCodingPolicy.composePolicyName(wanted.getSchema(), cell);
    fs.enableErasureCodingPolicy(name);
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/" + name);
    fs.mkdirs(path);
    fs.setErasureCodingPolicy(path, name);
    return path;
  }

  static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Asserts that a file has at least {@code atLeast} of its first bytes, and no wrong ones. */
  static void assertPrefix(String of, byte[] left, byte[] written, int atLeast) {
    assertThat(left.length).as("bytes of %s", of).isBetween(atLeast, written.length);
    assertThat(left).as(of).isEqualTo(Arrays.copyOf(written, left.length));
  }

  /** Writes in pieces of random lengths, including single bytes. */
  static void writeInPieces(FSDataOutputStream out, byte[] bytes, Random random)
      throws IOException {
    int done = 0;
    while (done < bytes.length) {
      int most = random.nextInt(4) == 0 ? 700 : 300_000;
      int count = Math.min(bytes.length - done, 1 + random.nextInt(most));
      if (count == 1) {
        out.write(bytes[done]);
      } else {
        out.write(bytes, done, count);
      }
      done += count;
    }
  }

  byte[] readByStock(org.apache.hadoop.fs.Path file) throws IOException {
    DistributedFileSystem fs = cluster.getFileSystem();
    byte[] back = new byte[(int) fs.getFileStatus(file).getLen()];
    try (FSDataInputStream in = fs.open(file)) {
      in.readFully(back);
      if (in.read() >= 0) {
        throw new IOException(file + " is longer than its status says");
      }
    }
    return back;
  }

  /** Returns the contents of a file on the disks of the DataNodes, in the order of the units. */
  List<Replica> replicas(org.apache.hadoop.fs.Path file) throws IOException {
    DistributedFileSystem fs = cluster.getFileSystem();
    ErasureCodingPolicy policy = fs.getErasureCodingPolicy(file);
    String name = file.toUri().getPath();
    int groups = fs.getClient().getLocatedBlocks(name, 0).locatedBlockCount();
    List<Replica> replicas = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      int units = policy.getNumDataUnits() + policy.getNumParityUnits();
      for (int unit = 0; unit < units; unit++) {
        LocatedBlock located = awaitUnit(name, policy, group, unit);
        replicas.add(located == null ? Replica.NONE : read(located));
      }
    }
    return replicas;
  }

  /**
   * Waits until a unit is reported, which happens some time after the file is closed; returns null
   * if the unit has no block.
   */
  private LocatedBlock awaitUnit(String name, ErasureCodingPolicy policy, int group, int unit)
      throws IOException {
    DFSClient client = cluster.getFileSystem().getClient();
    AtomicReference<LocatedBlock> found = new AtomicReference<>();
    Conditions.await(
        "unit " + unit + " of group " + group + " of " + name,
        () -> {
          LocatedStripedBlock located =
              (LocatedStripedBlock) client.getLocatedBlocks(name, 0).get(group);
          found.set(
              StripedBlockUtil.parseStripedBlockGroup(
                  located,
                  policy.getCellSize(),
                  policy.getNumDataUnits(),
                  policy.getNumParityUnits())[unit]);
          long size = located.getBlockSize();
          return found.get() != null
              || StripedBlockUtil.getInternalBlockLength(size, policy, unit) == 0;
        });
    return found.get();
  }

  private Replica read(LocatedBlock unit) throws IOException {
    DatanodeInfo at = unit.getLocations()[0];
    String pool = unit.getBlock().getBlockPoolId();
    Block block = unit.getBlock().getLocalBlock();
    for (DataNode node : cluster.getDataNodes()) {
      if (node.getDatanodeUuid().equals(at.getDatanodeUuid())) {
        File data = FsDatasetTestUtil.getBlockFile(node.getFSDataset(), pool, block);
        File meta = FsDatasetTestUtil.getMetaFile(node.getFSDataset(), pool, block);
        return new Replica(Files.readAllBytes(data.toPath()), Files.readAllBytes(meta.toPath()));
      }
    }
    throw new IOException("No DataNode has " + unit);
  }

  /** Returns a configuration change that keeps keys in a file of a directory. */
  static Consumer<Configuration> keys(Path dir) {
    return conf ->
        conf.set(
            CommonConfigurationKeysPublic.HADOOP_SECURITY_KEY_PROVIDER_PATH,
            JavaKeyStoreProvider.SCHEME_NAME + "://file" + dir.resolve("keys.jks"));
  }

  /** Makes a directory that is an encryption zone. */
  org.apache.hadoop.fs.Path zone(org.apache.hadoop.fs.Path path) throws Exception {
    if (cluster.getNamesystem().getProvider().getMetadata("key") == null) {
      DFSTestUtil.createKey("key", cluster, conf);
    }
    cluster.getFileSystem().mkdirs(path);
    new HdfsAdmin(cluster.getURI(0), conf).createEncryptionZone(path, "key");
    return path;
  }

  /** Returns a configuration change that sets the checksum type and chunk size. */
  static Consumer<Configuration> checksum(String type, int bytes) {
    return conf -> {
      conf.set(HdfsClientConfigKeys.DFS_CHECKSUM_TYPE_KEY, type);
      conf.setInt(HdfsClientConfigKeys.DFS_BYTES_PER_CHECKSUM_KEY, bytes);
    };
  }

  private void closeClients() {
    for (DistributedFileSystem fs : opened) {
      try {
        fs.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    opened.clear();
  }

  @Override
  public void close() {
    closeClients();
    cluster.shutdown();
  }

  /** A cluster that the tests of a class share, up to one that stops DataNodes. */
  static final class Shared implements AfterAllCallback {
    private final int nodes;
    private final long blockSize;
    private final Consumer<Configuration> more;
    private Path dir;
    private WriteCluster shared;

    Shared(int nodes, long blockSize, Consumer<Configuration> more) {
      this.nodes = nodes;
      this.blockSize = blockSize;
      this.more = more;
    }

    WriteCluster get() throws IOException {
      if (shared == null) {
        dir = Files.createTempDirectory("shared");
        shared = new WriteCluster(dir, nodes, blockSize, more);
      }
      return shared;
    }

    /** Closes the clients and deletes all files; if DataNodes are stopped, closes the cluster. */
    void giveBack() throws IOException {
      if (shared.cluster.getDataNodes().size() < nodes) {
        afterAll(null);
        return;
      }
      shared.closeClients();
      DistributedFileSystem fs = shared.cluster.getFileSystem();
      for (FileStatus file : fs.listStatus(new org.apache.hadoop.fs.Path("/"))) {
        fs.delete(file.getPath(), true);
      }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
      if (shared != null) {
        shared.close();
        shared = null;
        FileUtils.deleteDirectory(dir.toFile());
      }
    }
  }

  /** The two files of an internal block. */
  static final class Replica {
    static final Replica NONE = new Replica(new byte[0], new byte[0]);
    final byte[] data;
    final byte[] meta;

    Replica(byte[] data, byte[] meta) {
      this.data = data;
      this.meta = meta;
    }
  }
}
