// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ScannerProbe;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.Link;
import org.stripeline.agent.Linked;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.testkit.Conditions;

/** Tests the creation, refusal and removal of links, and how the DataNode handles them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgentLinkTest {
  private static final int BLOCK = AgentCluster.BLOCK;
  private static final byte[] DATA = AgentCluster.bytes(2 * BLOCK + 12_345, 1);

  private AgentCluster cluster;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt("dfs.datanode.scan.period.hours", 1_000);
    cluster = new AgentCluster(dir, conf, "/a", "/a", "/b");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  void linksAreTheSameBytesOnTheSameVolume() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo[] nodes = cluster.nodes();
    for (int unit = 0; unit < 3; unit++) {
      DatanodeInfo node = nodes[unit];
      ReplicaProbe probe = cluster.probe(node);
      long reserved = probe.held().reserved;
      List<Linked> linked =
          cluster.agents().link(node, file.pool(), Arrays.asList(file.link(unit)));
      assertThat(linked).hasSize(1);
      assertThat(linked.get(0).copied).isFalse();
      long source = file.source(unit).id;
      long target = file.internal(unit).id;
      assertThat(linked.get(0).storageId).isEqualTo(probe.storage(source));
      assertThat(probe.storage(target)).isEqualTo(probe.storage(source));
      assertThat(probe.state(target)).isEqualTo("FINALIZED");
      assertThat(Files.isSameFile(probe.file(source).toPath(), probe.file(target).toPath()))
          .isTrue();
      assertThat(probe.names(target)).isEqualTo(2);
      assertThat(probe.meta(target).getName())
          .isEqualTo("blk_" + target + "_" + file.group.getGenerationStamp() + ".meta");
      assertThat(probe.held().reserved).isEqualTo(reserved);
      assertThat(probe.held().temporary).isEmpty();
    }
    awaitReported(file, 3);
  }

  private void awaitReported(Adoption file, int blocks) {
    Conditions.await(
        "the NameNode to know " + blocks + " internal blocks",
        () -> cluster.reported(file) == blocks);
  }

  @Test
  void linkingIsIdempotent() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    List<Link> links = Arrays.asList(file.link(0));
    cluster.agents().link(node, file.pool(), links);
    long blocks = cluster.probe(node).held().blocks;
    assertThat(cluster.agents().link(node, file.pool(), links)).hasSize(1);
    assertThat(cluster.probe(node).held().blocks).isEqualTo(blocks);
    assertThat(cluster.probe(node).names(file.source(0).id)).isEqualTo(2);
    Link other =
        new Link(
            file.source(1),
            new AgentBlock(file.internal(0).id, file.internal(0).generationStamp, BLOCK));
    refused(
        AgentException.Kind.FAILED,
        "unlink it first",
        () -> cluster.agents().link(node, file.pool(), Arrays.asList(other)));
  }

  /** There are three DataNodes and three replicas, so each DataNode has all blocks. */
  @Test
  void aCallLinksAllBlocksOrNone() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    ReplicaProbe probe = cluster.probe(node);
    String before = probe.held().toString();
    long blocks = probe.held().blocks;
    AgentBlock last = file.source(2);
    AgentBlock older = new AgentBlock(last.id, last.generationStamp - 1, last.length);
    AgentBlock longer = new AgentBlock(last.id, last.generationStamp, last.length + 1);
    AgentBlock absent = new AgentBlock(last.id + 1_000, last.generationStamp, last.length);
    for (AgentBlock wrong : Arrays.asList(older, longer, absent)) {
      AgentBlock target =
          new AgentBlock(file.internal(2).id, file.internal(2).generationStamp, wrong.length);
      List<Link> links = Arrays.asList(file.link(0), file.link(1), new Link(wrong, target));
      refused(
          AgentException.Kind.CHANGED,
          String.valueOf(wrong.id),
          () -> cluster.agents().link(node, file.pool(), links));
      awaitGone(probe, file, 3);
      Conditions.await(
          "the files to be gone",
          () -> probe.held().toString().equals(before) && probe.held().blocks == blocks);
    }
    // The NameNode received no report of them.
    assertThat(cluster.reported(file)).isZero();
  }

  private static void awaitGone(ReplicaProbe probe, Adoption file, int units) throws Exception {
    for (int unit = 0; unit < units; unit++) {
      assertThat(probe.state(file.internal(unit).id)).isNull();
      long source = file.source(unit).id;
      Conditions.await("the link to be gone", () -> probe.names(source) == 1);
    }
  }

  @Test
  void blocksThatAreWrittenAreRefused() throws Exception {
    Adoption file = cluster.adoption(DATA);
    try (FSDataOutputStream out = cluster.fs().append(file.plain)) {
      out.write(1);
      out.hflush();
      DatanodeInfo node = file.node(2, 0);
      refused(
          AgentException.Kind.CHANGED,
          "RBW",
          () -> cluster.agents().link(node, file.pool(), Arrays.asList(file.link(2))));
    }
  }

  @Test
  void truncatedFilesAreRefused() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(1, 0);
    ReplicaProbe probe = cluster.probe(node);
    try (RandomAccessFile open = new RandomAccessFile(probe.file(file.source(1).id), "rw")) {
      open.setLength(BLOCK - 1);
    }
    refused(
        AgentException.Kind.CHANGED,
        (BLOCK - 1) + " bytes",
        () -> cluster.agents().link(node, file.pool(), Arrays.asList(file.link(1))));
    assertThat(probe.state(file.internal(1).id)).isNull();
    Files.delete(probe.meta(file.source(0).id).toPath());
    String before = probe.held().toString();
    long blocks = probe.held().blocks;
    refused(
        AgentException.Kind.CHANGED,
        ".meta is missing",
        () -> cluster.agents().link(node, file.pool(), Arrays.asList(file.link(0))));
    assertThat(probe.state(file.internal(0).id)).isNull();
    assertThat(probe.held().toString()).isEqualTo(before);
    assertThat(probe.held().blocks).isEqualTo(blocks);
    assertThat(probe.names(file.source(0).id)).isEqualTo(1);
  }

  @Test
  void requestsThatMakeNoSenseAreRefused() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    refused(
        AgentException.Kind.BAD_REQUEST,
        "negative ids",
        () ->
            cluster
                .agents()
                .link(node, file.pool(), Arrays.asList(new Link(file.source(0), file.source(1)))));
    Link shorter = new Link(file.source(0), file.internal(2));
    refused(
        AgentException.Kind.BAD_REQUEST,
        "lengths differ",
        () -> cluster.agents().link(node, file.pool(), Arrays.asList(shorter)));
    refused(
        AgentException.Kind.BAD_REQUEST,
        AgentKeys.LINKS_MAX,
        () -> cluster.agents().link(node, file.pool(), Collections.nCopies(300, file.link(0))));
    refused(
        AgentException.Kind.BAD_REQUEST,
        "incomplete list of links",
        () -> cluster.agents().link(node, file.pool(), Arrays.asList((Link) null)));
    refused(
        AgentException.Kind.UNREACHABLE,
        "has not registered for the block pool BP-0",
        () -> cluster.agents().link(node, "BP-0", Arrays.asList(file.link(0))));
  }

  @Test
  void unlinkingRemovesExistingReplicas() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    ReplicaProbe probe = cluster.probe(node);
    List<AgentBlock> internal = Arrays.asList(file.internal(0), file.internal(1), file.internal(2));
    List<Link> links = Arrays.asList(file.link(0), file.link(1), file.link(2));
    cluster.agents().link(node, file.pool(), links);
    AgentBlock newer =
        new AgentBlock(internal.get(0).id, internal.get(0).generationStamp + 1, BLOCK);
    assertThat(cluster.agents().unlink(node, file.pool(), Arrays.asList(newer))).isZero();
    assertThat(cluster.agents().unlink(node, file.pool(), internal)).isEqualTo(3);
    awaitGone(probe, file, 3);
    assertThat(cluster.agents().unlink(node, file.pool(), internal)).isZero();
    assertThat(cluster.agents().link(node, file.pool(), links)).hasSize(3);
    assertThat(probe.names(file.source(2).id)).isEqualTo(2);
    refused(
        AgentException.Kind.BAD_REQUEST,
        "negative ids",
        () -> cluster.agents().unlink(node, file.pool(), Arrays.asList(file.source(0))));
    assertThat(probe.state(file.source(0).id)).isEqualTo("FINALIZED");
  }

  /** The volume can return with a link that was not verified. */
  @Test
  void unlinkingDoesNotSucceedIfTheVolumeHasFailed(@TempDir Path dir) throws Exception {
    try (AgentCluster own = new AgentCluster(dir, new Configuration(false), "/a", "/a", "/b")) {
      Adoption file = own.adoption(DATA);
      DatanodeInfo node = file.node(0, 0);
      List<AgentBlock> internal = Arrays.asList(file.internal(0));
      own.agents().link(node, file.pool(), Arrays.asList(file.link(0), file.link(1)));
      assertThat(own.agents().unlink(node, file.pool(), Arrays.asList(file.internal(1)))).isOne();
      File link = own.probe(node).file(internal.get(0).id);
      own.probe(node).failVolume(internal.get(0).id);
      assertThat(own.probe(node).state(internal.get(0).id)).isNull();
      assertThat(link).exists();
      refused(
          AgentException.Kind.UNREACHABLE,
          "a volume that has failed since it was created",
          () -> own.agents().unlink(node, file.pool(), internal));
      // What was not linked, or was removed before the failure, is on no volume.
      List<AgentBlock> others = Arrays.asList(file.internal(1), file.internal(2));
      assertThat(own.agents().unlink(node, file.pool(), others)).isZero();
    }
  }

  @Test
  void linksSurviveScansReportsAndRestarts() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo[] nodes = cluster.nodes();
    for (int unit = 0; unit < 3; unit++) {
      cluster.agents().link(nodes[unit], file.pool(), Arrays.asList(file.link(unit)));
    }
    for (int unit = 0; unit < 3; unit++) {
      scanAndReport(nodes[unit]);
      checkLinked(nodes[unit], file, unit);
    }
    awaitReported(file, 3);
    MiniDFSCluster.DataNodeProperties stopped = cluster.mini().stopDataNode(nodes[1].getXferAddr());
    assertThat(cluster.mini().restartDataNode(stopped, true)).isTrue();
    cluster.mini().waitActive();
    checkLinked(nodes[1], file, 1);
    scanAndReport(nodes[1]);
    checkLinked(nodes[1], file, 1);
    awaitReported(file, 3);
    assertThat(cluster.agents().describe(nodes[1]).uuid).isEqualTo(nodes[1].getDatanodeUuid());
  }

  private void scanAndReport(DatanodeInfo node) throws Exception {
    DataNodeTestUtils.runDirectoryScanner(cluster.dataNode(node));
    DataNodeTestUtils.triggerBlockReport(cluster.dataNode(node));
  }

  private void checkLinked(DatanodeInfo node, Adoption file, int unit) throws IOException {
    ReplicaProbe probe = cluster.probe(node);
    assertThat(probe.state(file.internal(unit).id)).isEqualTo("FINALIZED");
    assertThat(probe.names(file.source(unit).id)).isEqualTo(2);
    assertThat(cluster.agents().checksum(node, file.pool(), file.internal(unit)).crc32c)
        .isEqualTo(crc(unit));
  }

  private static int crc(int unit) {
    CRC32C crc = new CRC32C();
    int offset = unit * BLOCK;
    crc.update(DATA, offset, Math.min(BLOCK, DATA.length - offset));
    return (int) crc.getValue();
  }

  @Test
  void theBlockScannerFindsLinksInOrder() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(2, 0);
    String storage =
        cluster.agents().link(node, file.pool(), Arrays.asList(file.link(2))).get(0).storageId;
    ScannerProbe scanner = new ScannerProbe(cluster.dataNode(node));
    long scanned = scanner.scanned(storage);
    scanner.suspect(storage, file.internal(2).in(file.pool()));
    Conditions.await("the scan", () -> scanner.scanned(storage) > scanned);
    assertThat(scanner.errors(storage)).isZero();
  }

  /** One of several concurrent callers creates the link; the others find it or are refused. */
  @Test
  void concurrentCallersCreateOneLink() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    ReplicaProbe probe = cluster.probe(node);
    long blocks = probe.held().blocks;
    ExecutorService callers = Executors.newFixedThreadPool(8);
    try {
      List<Future<Boolean>> calls = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        calls.add(callers.submit(() -> isLinked(node, file)));
      }
      int linked = 0;
      for (Future<Boolean> call : calls) {
        linked += call.get() ? 1 : 0;
      }
      assertThat(linked).isPositive();
    } finally {
      callers.shutdown();
    }
    assertThat(probe.names(file.source(0).id)).isEqualTo(2);
    assertThat(probe.held().blocks).isEqualTo(blocks + 1);
    assertThat(probe.held().temporary).isEmpty();
    assertThat(probe.held().reserved).isZero();
  }

  private boolean isLinked(DatanodeInfo node, Adoption file) throws IOException {
    try {
      return cluster.agents().link(node, file.pool(), Arrays.asList(file.link(0))).size() == 1;
    } catch (AgentException e) {
      assertThat(e.kind()).as(e.getMessage()).isEqualTo(AgentException.Kind.FAILED);
      return false;
    }
  }

  @Test
  void appendingToTheSourceBreaksTheLink() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(2, 0);
    cluster.agents().link(node, file.pool(), Arrays.asList(file.link(2)));
    ReplicaProbe probe = cluster.probe(node);
    File internal = probe.file(file.internal(2).id);
    byte[] before = Files.readAllBytes(internal.toPath());
    try (FSDataOutputStream out = cluster.fs().append(file.plain)) {
      out.write(new byte[5_000]);
    }
    assertThat(probe.names(file.internal(2).id)).isEqualTo(1);
    assertThat(Files.readAllBytes(internal.toPath())).isEqualTo(before);
    assertThat(cluster.agents().checksum(node, file.pool(), file.internal(2)).crc32c)
        .isEqualTo(crc(2));
  }

  @Test
  void checksumsAreReadAtRest() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    for (int unit = 0; unit < 3; unit++) {
      BlockChecksum read = cluster.agents().checksum(node, file.pool(), file.source(unit));
      assertThat(read.length).isEqualTo(file.source(unit).length);
      assertThat(read.crc32c).isEqualTo(crc(unit));
    }
    try (RandomAccessFile open =
        new RandomAccessFile(cluster.probe(node).file(file.source(1).id), "rw")) {
      open.seek(200_000);
      int value = open.read();
      open.seek(200_000);
      open.write(value ^ 4);
    }
    refused(
        AgentException.Kind.CORRUPT,
        "wrong checksum at " + 200_000 / 512 * 512,
        () -> cluster.agents().checksum(node, file.pool(), file.source(1)));
    Files.delete(cluster.probe(node).meta(file.source(0).id).toPath());
    assertThatThrownBy(() -> cluster.agents().checksum(node, file.pool(), file.source(0)))
        .isInstanceOf(AgentException.class);
  }
}
