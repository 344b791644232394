// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.io.erasurecode.ECSchema;

/** An HDFS in this JVM. */
final class BenchHdfs implements AutoCloseable {
  static final String POLICY = "RS-6-3-1024k";

  /** How many DataNodes the documents killed. */
  static final int DEAD = 2;

  private static final int DATA_NODES = 9;
  private static final int REBUILDS_MAX = 8;
  private static final int POLL_MILLIS = 100;
  private static final int POLLS_MAX = 3000;

  private final MiniDFSCluster cluster;
  private final List<MiniDFSCluster.DataNodeProperties> dead = new ArrayList<>();

  private BenchHdfs(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  /** Starts it with nine DataNodes, and with its files in a folder. */
  static BenchHdfs start(Path folder) throws IOException {
    return start(folder, DATA_NODES);
  }

  static BenchHdfs start(Path folder, int dataNodes) throws IOException {
    return start(folder, new String[dataNodes], Map.of());
  }

  /**
   * Starts it with its files in a folder.
   *
   * @param racks that of each DataNode, or null for the default one
   * @param settings override the common ones
   */
  static BenchHdfs start(Path folder, String[] racks, Map<String, String> settings)
      throws IOException {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    // Blocks that are lost for a while stay lost: rebuilding would compete with the programs.
    conf.setInt("dfs.namenode.replication.max-streams", 0);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
    // A rebuild that has failed, as for a source that was just lost, is repeated after this time.
    conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 15);
    settings.forEach(conf::set);
    MiniDFSCluster.Builder builder = new MiniDFSCluster.Builder(conf).numDataNodes(racks.length);
    if (racks[0] != null) {
      builder.racks(racks);
    }
    MiniDFSCluster cluster = builder.build();
    cluster.waitActive();
    return new BenchHdfs(cluster);
  }

  /**
   * Returns the policy of a name such as RS-6-3-64k: data units, parity units, and KiB of a cell.
   */
  static ErasureCodingPolicy policy(String name) {
    Matcher form = Pattern.compile("RS-(\\d+)-(\\d+)-(\\d+)k").matcher(name);
    if (!form.matches()) {
      throw new IllegalArgumentException("Cannot use policy '" + name + "': write RS-6-3-64k");
    }
    ECSchema schema =
        new ECSchema("rs", Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)));
    return new ErasureCodingPolicy(schema, Integer.parseInt(form.group(3)) << 10);
  }

  MiniDFSCluster cluster() {
    return cluster;
  }

  DistributedFileSystem fileSystem() throws IOException {
    return cluster.getFileSystem();
  }

  void makeDirectories(List<Contestant> contestants) throws IOException {
    makeDirectories(contestants, POLICY);
  }

  void makeDirectories(List<Contestant> contestants, String policy) throws IOException {
    DistributedFileSystem fs = fileSystem();
    fs.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy(policy)});
    fs.enableErasureCodingPolicy(policy);
    for (Contestant contestant : contestants) {
      fs.mkdirs(contestant.directory());
      if (!contestant.isReplicated()) {
        fs.setErasureCodingPolicy(contestant.directory(), policy);
      }
    }
  }

  /** Something that may fail. */
  interface Action {
    void run() throws Exception;
  }

  /**
   * Runs an action while those DataNodes are down that have the first data blocks, or replicas, of
   * the largest file in a directory or below, so that readers need its parity.
   *
   * @param count the number of these DataNodes
   */
  void withoutDataOf(org.apache.hadoop.fs.Path directory, int count, Action action)
      throws Exception {
    FileStatus largest = null;
    RemoteIterator<LocatedFileStatus> files = fileSystem().listFiles(directory, true);
    while (files.hasNext()) {
      FileStatus file = files.next();
      largest = largest == null || file.getLen() > largest.getLen() ? file : largest;
    }
    if (largest == null || largest.getLen() == 0) {
      throw new IOException("Cannot choose DataNodes: no file in " + directory + " has data");
    }
    String path = largest.getPath().toUri().getPath();
    LocatedBlock block = fileSystem().getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).get(0);
    Map<Integer, String> nodes = new TreeMap<>();
    for (int i = 0; i < block.getLocations().length; i++) {
      int unit = block.isStriped() ? ((LocatedStripedBlock) block).getBlockIndices()[i] : i;
      nodes.put(unit, block.getLocations()[i].getXferAddr());
    }
    withDead(new ArrayList<>(nodes.values()).subList(0, count), action);
  }

  private void withDead(List<String> nodes, Action action) throws Exception {
    try {
      for (String node : nodes) {
        dead.add(cluster.stopDataNode(node));
      }
      action.run();
    } finally {
      cluster.getNamesystem().getBlockManager().setMaxReplicationStreams(0, false);
      for (MiniDFSCluster.DataNodeProperties node : dead) {
        // On new ports, because other connections may use the old ones by now.
        cluster.restartDataNode(node, false);
      }
      dead.clear();
      cluster.waitActive();
    }
  }

  /** Returns a digest of the paths and bytes of all files in a directory and below. */
  private static String digest(FileSystem reader, org.apache.hadoop.fs.Path directory)
      throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    RemoteIterator<LocatedFileStatus> files = reader.listFiles(directory, true);
    while (files.hasNext()) {
      org.apache.hadoop.fs.Path file = files.next().getPath();
      digest.update(file.toUri().getPath().getBytes(StandardCharsets.UTF_8));
      try (InputStream in = new DigestInputStream(reader.open(file), digest)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
    }
    return new BigInteger(1, digest.digest()).toString(16);
  }

  /** Returns the digest of a directory as Hadoop's client and Java coder read it. */
  String digest(org.apache.hadoop.fs.Path directory) throws IOException, NoSuchAlgorithmException {
    try (FileSystem reader = client(Contestant.RS_JAVA)) {
      return digest(reader, directory);
    }
  }

  /** Compares a digest with that of a directory as Hadoop's client and Java coder read it now. */
  void requireDigest(String expected, org.apache.hadoop.fs.Path directory)
      throws IOException, NoSuchAlgorithmException {
    try (FileSystem reader = client(Contestant.RS_JAVA)) {
      requireDigest(expected, directory, reader, "Hadoop's client");
    }
  }

  /** The same as another client, which messages call {@code name}, reads it. */
  static void requireDigest(
      String expected, org.apache.hadoop.fs.Path directory, FileSystem reader, String name)
      throws IOException, NoSuchAlgorithmException {
    if (!expected.equals(digest(reader, directory))) {
      throw new IOException(
          "Wrong bytes: files in " + directory + " differ without some DataNodes, read by " + name);
    }
  }

  /** Opens a client with the settings of a contestant. */
  FileSystem client(Contestant contestant) throws IOException {
    Configuration conf = new Configuration(cluster.getConfiguration(0));
    contestant.settings().forEach(conf::set);
    return FileSystem.newInstance(cluster.getURI(), conf);
  }

  /** Has HDFS rebuild the blocks of the DataNodes that are down, and waits for the end. */
  void rebuild() throws Exception {
    BlockManager blocks = cluster.getNamesystem().getBlockManager();
    blocks.setMaxReplicationStreams(REBUILDS_MAX, false);
    // HDFS does not let it become 0 again; it is for blocks of the highest priority.
    blocks.setReplicationStreamsHardLimit(REBUILDS_MAX);
    for (MiniDFSCluster.DataNodeProperties node : dead) {
      cluster.setDataNodeDead(node.getDatanode().getDatanodeId());
    }
    for (int polls = 0; left(blocks) > 0; polls++) {
      if (polls == POLLS_MAX) {
        throw new IOException("HDFS has not rebuilt " + left(blocks) + " blocks");
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static long left(BlockManager blocks) {
    BlockManagerTestUtil.updateState(blocks);
    return blocks.getLowRedundancyBlocksCount() + blocks.getPendingReconstructionBlocksCount();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
