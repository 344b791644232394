// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.DeleteQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.server.datanode.AgentBeans;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.testkit.Conditions;

/**
 * Tests encoding with failures of replicas, DataNodes and the network: the task ends soon and
 * reports the cause.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
@Tag("own-jvm")
class AgentFailureTest {
  private static final int BLOCK = AgentCluster.BLOCK;
  private static final byte[] DATA = AgentCluster.bytes(2 * BLOCK + 100_000, 1);

  private AgentCluster cluster;
  private Adoption file;
  private DatanodeInfo agent;
  private List<DatanodeInfo> targets;
  private Map<String, String> before;
  private MiniDFSCluster.DataNodeProperties stopped;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(AgentKeys.TIMEOUT, "3s");
    conf.setInt("ipc.client.connect.retry.interval", 50);
    cluster = new AgentCluster(dir, conf, "/a", "/a", "/b", "/b", "/b");
  }

  @BeforeEach
  void write() throws Exception {
    file = cluster.adoption(DATA);
    agent = file.node(0, 0);
    targets = file.free(agent);
    before = cluster.held();
  }

  @AfterEach
  void restart() throws Exception {
    if (stopped != null) {
      assertThat(cluster.mini().restartDataNode(stopped, true)).isTrue();
      cluster.mini().waitActive();
      stopped = null;
    }
  }

  @AfterAll
  void stop() {
    cluster.close();
    assertThat(AgentCluster.taskThreads()).isEmpty();
  }

  private TaskReport run(EncodeRequest.Builder builder) throws IOException {
    return cluster.await(agent, cluster.agents().encode(agent, builder.build()));
  }

  /** Returns a request that reads the first block's replicas in the given order. */
  private EncodeRequest.Builder request(DatanodeInfo... first) {
    EncodeRequest.Builder builder = new EncodeRequest.Builder(file.pool(), "rs", 3, 2);
    builder.rack(agent.getNetworkLocation()).data(file.from(0, first));
    for (int unit = 1; unit < file.blocks.size(); unit++) {
      builder.data(file.from(unit, file.blocks.get(unit).getLocations()));
    }
    for (int i = 0; i < AgentCluster.M; i++) {
      builder.parity(file.to(AgentCluster.K + i, targets.get(i)));
    }
    return builder;
  }

  private void checkFailed(TaskReport report, AgentException.Kind kind, String... texts) {
    assertThat(report.state).isEqualTo(TaskState.FAILED);
    assertThat(report.error).contains(texts);
    assertThat(report.errorKind).as(report.error).isEqualTo(kind);
    cluster.awaitHeld(before);
  }

  private void checkDone(TaskReport report) throws IOException {
    assertThat(report.error).isNull();
    assertThat(report.state).isEqualTo(TaskState.DONE);
    checkParity();
  }

  private void checkParity() throws IOException {
    byte[][] units = new byte[AgentCluster.K + AgentCluster.M][BLOCK];
    for (int i = 0; i < DATA.length; i++) {
      units[i / BLOCK][i % BLOCK] = DATA[i];
    }
    try (ErasureCodec codec = ErasureCodec.create(Code.RS, 3, 2)) {
      codec.encode(
          Arrays.copyOf(units, 3), new int[3], Arrays.copyOfRange(units, 3, 5), new int[2], BLOCK);
    }
    for (int i = 0; i < AgentCluster.M; i++) {
      CRC32C crc = new CRC32C();
      crc.update(units[AgentCluster.K + i]);
      AgentBlock parity = file.internal(AgentCluster.K + i);
      assertThat(cluster.agents().checksum(targets.get(i), file.pool(), parity).crc32c)
          .isEqualTo((int) crc.getValue());
    }
  }

  private File replica(int unit, DatanodeInfo node) {
    return cluster.probe(node).file(file.source(unit).id);
  }

  static void flip(File file, long position) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
      open.seek(position);
      int value = open.read();
      open.seek(position);
      open.write(value ^ 1);
    }
  }

  private static void truncate(File file, long length) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
      open.setLength(length);
    }
  }

  private void awaitCorrupt(DatanodeInfo node) {
    Conditions.await(
        "the NameNode to be told of the corrupt replica",
        () ->
            Arrays.stream(
                    cluster
                        .fs()
                        .getClient()
                        .getLocatedBlocks(file.plain.toString(), 0)
                        .get(0)
                        .getLocations())
                .noneMatch(node::equals));
  }

  @Test
  void aCorruptReplicaHereIsReplacedByAnother() throws Exception {
    DatanodeInfo here = file.node(0, 0);
    flip(replica(0, here), 150_000);
    long failovers = AgentBeans.sum(AgentCount.READ_FAILOVERS);
    TaskReport report = run(request(here, file.node(0, 1)));
    checkDone(report);
    assertThat(report.result.readLocal).isPositive();
    assertThat(AgentBeans.sum(AgentCount.READ_FAILOVERS) - failovers).isEqualTo(1);
    awaitCorrupt(here);
  }

  @Test
  void aCorruptReplicaElsewhereIsReplacedByAnother() throws Exception {
    DatanodeInfo there = file.node(0, 1);
    flip(replica(0, there), 150_000);
    checkDone(run(request(there, file.node(0, 2))));
    awaitCorrupt(there);
  }

  /** A buffer of this size would be allocated for each target. */
  @Test
  void aReplicaWithHugeChunksIsReplacedByAnother() throws Exception {
    DatanodeInfo there = file.node(0, 1);
    try (RandomAccessFile meta =
        new RandomAccessFile(cluster.probe(there).meta(file.source(0).id), "rw")) {
      meta.seek(3);
      meta.writeInt(1 << 30);
    }
    checkDone(run(request(there, file.node(0, 2), file.node(0, 0))));
    File parity = cluster.probe(targets.get(0)).meta(file.internal(AgentCluster.K).id);
    try (RandomAccessFile meta = new RandomAccessFile(parity, "r")) {
      meta.seek(3);
      assertThat(meta.readInt()).isEqualTo(512);
    }
  }

  @Test
  void aTruncatedReplicaIsReplacedByOthers() throws Exception {
    truncate(replica(0, file.node(0, 0)), BLOCK - 1_000);
    checkDone(run(request(file.node(0, 0), file.node(0, 1), file.node(0, 2))));
  }

  /** One of three is not a majority: it may be the one with wrong bytes. */
  @Test
  void aReplicaDoesNotDecideAloneWhenTheOthersAreTruncated() throws Exception {
    truncate(replica(0, file.node(0, 0)), BLOCK - 1_000);
    truncate(replica(0, file.node(0, 1)), BLOCK - 1_000);
    checkFailed(
        run(request(file.node(0, 0), file.node(0, 1), file.node(0, 2))),
        AgentException.Kind.FAILED,
        "more than half of its 3 replicas must have equal checksums");
  }

  @Test
  void withoutAnyReplicaLeftItFails() throws Exception {
    for (DatanodeInfo node : file.blocks.get(0).getLocations()) {
      flip(replica(0, node), BLOCK - 10);
    }
    checkFailed(
        run(request(file.blocks.get(0).getLocations())),
        AgentException.Kind.FAILED,
        "Cannot read " + file.source(0) + " from any replica",
        file.node(0, 0).getXferAddr(),
        file.node(0, 2).getXferAddr(),
        "wrong checksum at " + (BLOCK - 512));
  }

  @Test
  void aBlockThatDiffersFromTheRequestIsReportedAsChanged() throws Exception {
    AgentBlock source = file.source(0);
    AgentBlock newer = new AgentBlock(source.id, source.generationStamp + 1, source.length);
    EncodeRequest.Builder builder =
        new EncodeRequest.Builder(file.pool(), "rs", 3, 2)
            .data(new EncodeRequest.Source(newer, Arrays.asList(AgentNode.of(agent))));
    for (int i = 0; i < AgentCluster.M; i++) {
      builder.parity(file.to(AgentCluster.K + i, targets.get(i)));
    }
    checkFailed(
        run(builder),
        AgentException.Kind.CHANGED,
        "its replica has generation stamp " + source.generationStamp);
  }

  @Test
  void aBlockThatIsAppendedToIsReportedAsChanged() throws Exception {
    DatanodeInfo last = file.node(2, 0);
    agent = last;
    targets = Arrays.stream(cluster.nodes()).filter(node -> !node.equals(last)).toList();
    EncodeRequest request = file.request(agent, targets).bytesPerSecond(1_000_000).build();
    long task = cluster.agents().encode(agent, request);
    Conditions.await(
        "the task to be under way", () -> cluster.agents().poll(agent, task, 0).bytesDone > 0);
    try (FSDataOutputStream out = cluster.fs().append(file.plain)) {
      out.write(1);
      out.hflush();
      TaskReport report = cluster.await(agent, task);
      assertThat(report.state).isEqualTo(TaskState.FAILED);
      assertThat(report.errorKind).as(report.error).isEqualTo(AgentException.Kind.CHANGED);
      assertThat(report.error).contains("its replica is RBW");
    }
    assertThat(cluster.probe(targets.get(0)).state(file.internal(3).id)).isNull();
    assertThat(cluster.probe(targets.get(1)).state(file.internal(4).id)).isNull();
  }

  @Test
  void aTargetThatDiesMakesItFail() throws Exception {
    long task =
        cluster
            .agents()
            .encode(agent, request(agent, file.node(0, 1)).bytesPerSecond(200_000).build());
    Conditions.await(
        "both targets to receive",
        () ->
            !cluster.probe(targets.get(0)).held().temporary.isEmpty()
                && !cluster.probe(targets.get(1)).held().temporary.isEmpty());
    stopped = cluster.mini().stopDataNode(targets.get(0).getXferAddr());
    TaskReport report = cluster.await(agent, task);
    assertThat(report.state).isEqualTo(TaskState.FAILED);
    assertThat(report.error)
        .contains("Cannot send")
        .contains(targets.get(0).getXferAddr())
        .contains("could not be removed: Cannot call unlink of agent");
    before.remove(stoppedName());
    cluster.awaitHeld(before);
  }

  private String stoppedName() throws IOException {
    return before.keySet().stream().filter(name -> !isRunning(name)).findFirst().get();
  }

  private boolean isRunning(String name) {
    return cluster.mini().getDataNodes().stream()
        .anyMatch(node -> node.getDisplayName().equals(name));
  }

  @Test
  void aStoppedAgentLeavesNoBlocks() throws Exception {
    cluster.agents().encode(agent, request(agent, file.node(0, 1)).bytesPerSecond(100_000).build());
    Conditions.await(
        "both targets to receive",
        () ->
            !cluster.probe(targets.get(0)).held().temporary.isEmpty()
                && !cluster.probe(targets.get(1)).held().temporary.isEmpty());
    stopped = cluster.mini().stopDataNode(agent.getXferAddr());
    before.remove(stoppedName());
    cluster.awaitHeld(before);
  }

  @Test
  void existingReplicasAreNotOverwritten() throws Exception {
    checkDone(run(request(agent)));
    TaskReport report = run(request(agent));
    assertThat(report.state).isEqualTo(TaskState.FAILED);
    assertThat(report.error)
        .contains("Cannot create a replica of")
        .contains("a replica with that name exists, FINALIZED")
        .contains("unlink it first")
        .doesNotContain("could not be removed");
    checkParity();
  }

  @Test
  void aCancelledTaskKeepsBlocksOfItsSuccessor() throws Exception {
    DatanodeInfo other = file.node(0, 1);
    long lost = encodeUntilBothReceive(100_000);
    // A driver does this if it cannot reach the first agent any more.
    for (int i = 0; i < AgentCluster.M; i++) {
      AgentBlock parity = file.internal(AgentCluster.K + i);
      cluster.agents().unlink(targets.get(i), file.pool(), Arrays.asList(parity));
    }
    checkDone(cluster.await(other, cluster.agents().encode(other, request(other).build())));

    cluster.agents().cancel(agent, lost);
    assertThat(cluster.await(agent, lost).state.isFinal()).isTrue();
    Conditions.await("streams of tasks to end", () -> AgentCluster.taskThreads().isEmpty());
    checkParity();
  }

  /**
   * The driver may have planned a link on a DataNode to which the task was going to send the block.
   */
  @Test
  void aCancelledTaskKeepsALink() throws Exception {
    DatanodeInfo holder = file.node(0, 1);
    AgentBlock block = file.internal(0);
    cluster.agents().reserve(holder, file.pool(), block, "a task");
    cluster.agents().link(holder, file.pool(), Arrays.asList(file.link(0)));
    assertThat(cluster.agents().rollBack(holder, file.pool(), block, "a task")).isFalse();
    assertThat(cluster.probe(holder).state(block.id)).isEqualTo("FINALIZED");
    // A driver can remove any block.
    assertThat(cluster.agents().unlink(holder, file.pool(), Arrays.asList(block))).isEqualTo(1);
  }

  @Test
  void onlyTheLastOwnerRemovesABlock() throws Exception {
    DatanodeInfo target = targets.get(0);
    AgentBlock block = file.internal(AgentCluster.K);
    checkDone(run(request(agent)));
    assertThat(cluster.agents().rollBack(target, file.pool(), block, "another task")).isFalse();
    checkParity();
    cluster.agents().unlink(target, file.pool(), Arrays.asList(block));
    cluster.agents().reserve(target, file.pool(), block, "one");
    cluster.agents().reserve(target, file.pool(), block, "two");
    cluster.agents().unlink(targets.get(1), file.pool(), Arrays.asList(file.internal(4)));
    // This task is the last one that is allowed to write the block.
    checkDone(run(request(agent)));
    for (String writer : Arrays.asList("one", "two")) {
      assertThat(cluster.agents().rollBack(target, file.pool(), block, writer)).isFalse();
    }
    checkParity();
  }

  /** Files are deleted before the answer, regardless of the volume's queue. */
  @Test
  void blocksUnlinkedAndWrittenAgainAreKept() throws Exception {
    checkDone(run(request(agent)));
    DatanodeInfo target = targets.get(0);
    List<AgentBlock> parity = Arrays.asList(file.internal(AgentCluster.K));
    File data = cluster.probe(target).file(parity.get(0).id);
    String storage = cluster.probe(target).storage(parity.get(0).id);
    long blocks = cluster.probe(target).held().blocks;
    try (DeleteQueue queue = DeleteQueue.hold(cluster.dataNode(target))) {
      assertThat(cluster.agents().unlink(target, file.pool(), parity)).isEqualTo(1);
      assertThat(data).doesNotExist();
      assertThat(cluster.probe(target).held().blocks).isEqualTo(blocks - 1);
      cluster.agents().unlink(targets.get(1), file.pool(), Arrays.asList(file.internal(4)));
      // On the same volume; otherwise its queue would have no effect.
      checkDone(run(request(agent, storage)));
    }
    DeleteQueue.hold(cluster.dataNode(target)).close();
    checkParity();
  }

  @Test
  void deletedBlocksAreNotWrittenBeforeTheirFilesAreRemoved() throws Exception {
    checkDone(run(request(agent)));
    DatanodeInfo target = targets.get(0);
    AgentBlock block = file.internal(AgentCluster.K);
    String storage = cluster.probe(target).storage(block.id);
    try (DeleteQueue queue = DeleteQueue.hold(cluster.dataNode(target))) {
      cluster
          .dataNode(target)
          .getFSDataset()
          .invalidate(file.pool(), new Block[] {block.in(file.pool()).getLocalBlock()});
      TaskReport report = run(request(agent, storage));
      assertThat(report.state).isEqualTo(TaskState.FAILED);
      assertThat(report.error).containsAnyOf("is pending", "unlink it first");
    }
    Conditions.await("the parity to go", () -> cluster.probe(target).state(block.id) == null);
    cluster.agents().unlink(targets.get(1), file.pool(), Arrays.asList(file.internal(4)));
    DeleteQueue.hold(cluster.dataNode(target)).close();
    checkDone(run(request(agent, storage)));
  }

  /** A receiver that continues could finalize or discard the next replica with that id. */
  @Test
  void unlinkingEndsTheReceiver() throws Exception {
    long task = encodeUntilBothReceive(20_000);
    for (int i = 0; i < AgentCluster.M; i++) {
      AgentBlock parity = file.internal(AgentCluster.K + i);
      assertThat(cluster.agents().unlink(targets.get(i), file.pool(), Arrays.asList(parity)))
          .isEqualTo(1);
      assertThat(cluster.probe(targets.get(i)).held().temporary).isEmpty();
    }
    TaskReport report = cluster.await(agent, task);
    assertThat(report.error).contains("Cannot send");
    cluster.awaitHeld(before);
  }

  private long encodeUntilBothReceive(long bytesPerSecond) throws IOException {
    EncodeRequest slow = request(agent, file.node(0, 1)).bytesPerSecond(bytesPerSecond).build();
    long task = cluster.agents().encode(agent, slow);
    Conditions.await(
        "both targets to receive",
        () ->
            !cluster.probe(targets.get(0)).held().temporary.isEmpty()
                && !cluster.probe(targets.get(1)).held().temporary.isEmpty());
    return task;
  }

  /** Returns a request whose first parity block goes to a given storage of its target. */
  private EncodeRequest.Builder request(DatanodeInfo reader, String storage) {
    EncodeRequest.Builder builder = new EncodeRequest.Builder(file.pool(), "rs", 3, 2);
    for (int unit = 0; unit < file.blocks.size(); unit++) {
      builder.data(file.from(unit, file.blocks.get(unit).getLocations()));
    }
    return builder
        .rack(reader.getNetworkLocation())
        .parity(
            new EncodeRequest.Target(
                file.internal(AgentCluster.K), AgentNode.of(targets.get(0)), "DISK", storage))
        .parity(file.to(AgentCluster.K + 1, targets.get(1)));
  }

  @Test
  void aTargetThatHangsCountsAsDead() throws Exception {
    DatanodeInfo hung = targets.get(1);
    try (ServerSocket deaf = hang(hung);
        ServerSocket agentToo =
            new ServerSocket(hung.getIpcPort(), 1, InetAddress.getLoopbackAddress())) {
      TaskReport report = run(request(agent));
      assertThat(report.state).isEqualTo(TaskState.FAILED);
      assertThat(report.error).contains("timeout").contains(hung.getIpcAddr(false));
    }
    cluster.awaitHeld(before);
  }

  @Test
  void aReplicaThatHangsIsReplacedByAnother() throws Exception {
    DatanodeInfo hung = file.node(0, 1);
    try (ServerSocket deaf = hang(hung)) {
      checkDone(run(request(hung, agent, file.node(0, 2))));
    }
  }

  /** Replaces a DataNode by a socket that accepts connections but never reads. */
  private ServerSocket hang(DatanodeInfo node) throws IOException {
    stopped = cluster.mini().stopDataNode(node.getXferAddr());
    before.remove(stoppedName());
    return new ServerSocket(node.getXferPort(), 1, InetAddress.getLoopbackAddress());
  }
}
