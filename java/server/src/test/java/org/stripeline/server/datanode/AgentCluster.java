// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.security.token.Token;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.Agents;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.agent.Link;
import org.stripeline.agent.TaskReport;
import org.stripeline.testkit.Conditions;

/**
 * A mini cluster whose DataNodes run agents, with an erasure coding policy whose cells are as large
 * as blocks.
 */
public final class AgentCluster implements AutoCloseable {
  public static final String PLUGIN = "org.apache.hadoop.hdfs.server.datanode.StripelineAgent";
  public static final int K = 3;
  public static final int M = 2;
  public static final int BLOCK = 256 << 10;

  private final MiniDFSCluster mini;
  private final DistributedFileSystem fs;
  private final Agents agents;
  private final ErasureCodingPolicy policy;
  private int files;

  /** Starts a cluster with one DataNode for each given rack. */
  public AgentCluster(Path dir, Configuration settings, String... racks) throws IOException {
    Configuration conf = new HdfsConfiguration();
    conf.set("dfs.datanode.plugins", PLUGIN);
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.set("hadoop.tmp.dir", dir.resolve("tmp").toString());
    conf.setLong("dfs.blocksize", BLOCK);
    conf.setInt("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setInt("dfs.namenode.ec.policies.max.cellsize", 64 << 20);
    // Disables repairs and background scans.
    conf.setInt("dfs.namenode.replication.max-streams", 0);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
    conf.setInt("dfs.datanode.directoryscan.interval", -1);
    conf.setInt("dfs.datanode.scan.period.hours", -1);
    conf.setLong("dfs.heartbeat.interval", 1);
    conf.setLong(AgentKeys.WINDOW, 64 << 10);
    settings.forEach(entry -> conf.set(entry.getKey(), entry.getValue()));
    mini =
        new MiniDFSCluster.Builder(conf)
            .numDataNodes(racks.length)
            .racks(racks)
            .storagesPerDatanode(2)
            .build();
    mini.waitActive();
    fs = mini.getFileSystem();
    policy =
        fs
            .addErasureCodingPolicies(
                new ErasureCodingPolicy[] {
                  new ErasureCodingPolicy(new ECSchema("rs", K, M), BLOCK)
                })[0]
            .getPolicy();
    fs.enableErasureCodingPolicy(policy.getName());
    agents = Agents.connect(conf);
  }

  public MiniDFSCluster mini() {
    return mini;
  }

  public DistributedFileSystem fs() {
    return fs;
  }

  public Agents agents() {
    return agents;
  }

  public ErasureCodingPolicy policy() {
    return policy;
  }

  /** Returns pseudo-random bytes that depend on the seed only. */
  public static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Writes a file of one replica, and returns a request for the fingerprints of its block. */
  public FingerprintRequest fingerprints(int window, int windows) throws IOException {
    try (FSDataOutputStream out = fs().create(new org.apache.hadoop.fs.Path("/f"), (short) 1)) {
      out.write(bytes(windows * window, 5));
    }
    ExtendedBlock block = fs().getClient().getLocatedBlocks("/f", 0).get(0).getBlock();
    return new FingerprintRequest.Builder(block.getBlockPoolId(), AgentBlock.of(block))
        .function(1, 2, window)
        .windows(0, windows)
        .build();
  }

  /** Returns the live DataNodes. */
  public DatanodeInfo[] nodes() throws IOException {
    return fs.getClient().datanodeReport(DatanodeReportType.LIVE);
  }

  /** Returns the running DataNode with the same UUID. */
  public DataNode dataNode(DatanodeInfo info) {
    for (DataNode node : mini.getDataNodes()) {
      if (node.getDatanodeUuid().equals(info.getDatanodeUuid())) {
        return node;
      }
    }
    throw new IllegalArgumentException("Cannot find DataNode " + info + ": it does not run");
  }

  public ReplicaProbe probe(DatanodeInfo node) {
    return new ReplicaProbe(dataNode(node), mini.getNamesystem().getBlockPoolId());
  }

  /** Returns the number of internal blocks of a group that the NameNode has. */
  public int reported(Adoption file) {
    return mini.getNamesystem()
        .getBlockManager()
        .getStoredBlock(file.group.getLocalBlock())
        .numNodes();
  }

  /** Writes a replicated file of at most one group, with three replicas on different DataNodes. */
  public Adoption adoption(byte[] data) throws IOException {
    return new Adoption(data, "/plain-" + files++);
  }

  /** A replicated file, and the group that its blocks will become. */
  public final class Adoption {
    public final org.apache.hadoop.fs.Path plain;
    public final org.apache.hadoop.fs.Path temporary;
    public final byte[] data;
    public final List<LocatedBlock> blocks;
    public final ExtendedBlock group;

    /** Grants writing the group's first internal block, if the cluster uses tokens. */
    public final Token<BlockTokenIdentifier> token;

    private final long fileId;
    private final String client;

    private Adoption(byte[] data, String name) throws IOException {
      this.data = data;
      plain = new org.apache.hadoop.fs.Path(name);
      temporary = new org.apache.hadoop.fs.Path("/.temporary" + name);
      try (FSDataOutputStream out = fs.create(plain, true, 4096, (short) 3, BLOCK)) {
        out.write(data);
      }
      Conditions.await(
          "all replicas",
          () -> located(plain).stream().allMatch(block -> block.getLocations().length == 3));
      blocks = located(plain);
      client = "DFSClient_test" + name;
      HdfsFileStatus status =
          namenode()
              .create(
                  temporary.toString(),
                  FsPermission.getFileDefault(),
                  client,
                  new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
                  true,
                  (short) 1,
                  BLOCK,
                  CryptoProtocolVersion.supported(),
                  policy.getName(),
                  null);
      fileId = status.getFileId();
      LocatedBlock added =
          namenode()
              .addBlock(
                  temporary.toString(),
                  client,
                  null,
                  null,
                  fileId,
                  null,
                  EnumSet.noneOf(AddBlockFlag.class));
      group = added.getBlock();
      token = ((LocatedStripedBlock) added).getBlockTokens()[0];
    }

    private ClientProtocol namenode() {
      return fs.getClient().getNamenode();
    }

    public String pool() {
      return group.getBlockPoolId();
    }

    public AgentBlock source(int unit) {
      return AgentBlock.of(blocks.get(unit).getBlock());
    }

    /** Returns the internal block of a unit, data or parity. */
    public AgentBlock internal(int unit) {
      long length = (unit < K ? blocks.get(unit) : blocks.get(0)).getBlockSize();
      return new AgentBlock(group.getBlockId() + unit, group.getGenerationStamp(), length);
    }

    public Link link(int unit) {
      return new Link(source(unit), internal(unit));
    }

    public DatanodeInfo node(int unit, int replica) {
      return blocks.get(unit).getLocations()[replica];
    }

    /** Links the first replica of each data block. */
    public void linkAll() throws IOException {
      for (int i = 0; i < blocks.size(); i++) {
        agents.link(node(i, 0), pool(), Arrays.asList(link(i)));
      }
    }

    public EncodeRequest.Source from(int unit, DatanodeInfo... nodes) {
      List<AgentNode> list = new ArrayList<>();
      for (DatanodeInfo node : nodes) {
        list.add(AgentNode.of(node));
      }
      return new EncodeRequest.Source(source(unit), list);
    }

    public EncodeRequest.Target to(int unit, DatanodeInfo node) {
      return new EncodeRequest.Target(internal(unit), AgentNode.of(node), "DISK", "");
    }

    /** Returns a request without targets that may read any replica. */
    public EncodeRequest.Builder request(DatanodeInfo agent) {
      EncodeRequest.Builder builder =
          new EncodeRequest.Builder(pool(), "rs", K, M).rack(agent.getNetworkLocation());
      for (int i = 0; i < blocks.size(); i++) {
        builder.data(from(i, nearestFirst(agent, blocks.get(i).getLocations())));
      }
      return builder;
    }

    private DatanodeInfo[] nearestFirst(DatanodeInfo agent, DatanodeInfo[] nodes) {
      DatanodeInfo[] sorted = nodes.clone();
      Arrays.sort(sorted, (a, b) -> Integer.compare(distance(agent, a), distance(agent, b)));
      return sorted;
    }

    private int distance(DatanodeInfo agent, DatanodeInfo node) {
      return agent.getDatanodeUuid().equals(node.getDatanodeUuid())
          ? 0
          : agent.getNetworkLocation().equals(node.getNetworkLocation()) ? 1 : 2;
    }

    /** Returns DataNodes without a replica of the first block, other than the agent. */
    public List<DatanodeInfo> free(DatanodeInfo agent) throws IOException {
      List<DatanodeInfo> free = new ArrayList<>(Arrays.asList(nodes()));
      free.removeAll(Arrays.asList(blocks.get(0).getLocations()));
      free.remove(agent);
      return free;
    }

    /** Returns a request with parity on the given DataNodes. */
    public EncodeRequest.Builder request(DatanodeInfo agent, List<DatanodeInfo> parity) {
      EncodeRequest.Builder builder = request(agent);
      for (int i = 0; i < M; i++) {
        builder.parity(to(K + i, parity.get(i)));
      }
      return builder;
    }

    /** Completes the temporary file, which contains the group. */
    public void complete() throws IOException {
      ExtendedBlock last = new ExtendedBlock(group);
      last.setNumBytes(data.length);
      Conditions.await(
          "the temporary file to be complete",
          () -> namenode().complete(temporary.toString(), client, last, fileId));
    }

    /** Returns the located group once the file is complete. */
    public LocatedStripedBlock locatedGroup() throws IOException {
      return (LocatedStripedBlock) located(temporary).get(0);
    }

    private List<LocatedBlock> located(org.apache.hadoop.fs.Path file) throws IOException {
      return fs.getClient()
          .getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE)
          .getLocatedBlocks();
    }
  }

  /** Returns the state of the replicas on all running DataNodes, by address. */
  public Map<String, String> held() throws IOException {
    Map<String, String> held = new TreeMap<>();
    for (DataNode node : mini.getDataNodes()) {
      ReplicaProbe probe = new ReplicaProbe(node, mini.getNamesystem().getBlockPoolId());
      held.put(node.getDisplayName(), probe.held().toString());
    }
    return held;
  }

  /** Waits until the replicas are the same as before, and no stream of a task is left. */
  public void awaitHeld(Map<String, String> before) {
    Conditions.await("streams of tasks to end", () -> taskThreads().isEmpty());
    try {
      Conditions.await("nothing to be left", () -> held().equals(before));
    } catch (AssertionError e) {
      assertThat(catchHeld()).isEqualTo(before);
      throw e;
    }
  }

  private Map<String, String> catchHeld() {
    try {
      return held();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Polls a task to its end. */
  public TaskReport await(DatanodeInfo agent, long task) throws IOException {
    TaskReport report;
    do {
      report = agents.poll(agent, task, 1_000);
    } while (!report.state.isFinal());
    return report;
  }

  /** Returns the names of the live threads of agents' tasks. */
  public static List<String> taskThreads() {
    List<String> names = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().matches("stripeline-agent-.*-(read|send|take-back)-.*")) {
        names.add(thread.getName());
      }
    }
    return names;
  }

  /** Asserts that a call fails with a kind of error and a text. */
  public static void refused(AgentException.Kind kind, String text, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            AgentException.class, e -> assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind))
        .hasMessageContaining(text);
  }

  @Override
  public void close() {
    agents.close();
    mini.shutdown(true, true);
  }
}
