// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.InvalidEncryptionKeyException;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ReplicaFiles;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/**
 * Tests copies of files with corrupt replicas whose checksums match: the replicas that show the
 * corruption must not be deleted.
 */
@Tag("full")
class CopySourceTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final int SMALL_BLOCKS = 5;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static JobReport run(JobSettings settings, String job) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.execute(settings, job);
    }
  }

  /** Writes a file and waits until all of its replicas have been reported. */
  private static byte[] write(String path, int length) throws Exception {
    byte[] bytes = cluster.write(path, length);
    Redundancy.await(cluster.fs().getClient(), path, null, 3, Ticker.SYSTEM);
    return bytes;
  }

  /** Writes a file of small blocks, each with a replica on every DataNode. */
  private static void writeOnAll(String path) throws IOException {
    int nodes = cluster.mini.getDataNodes().size();
    int block = BLOCK / 16;
    try (FSDataOutputStream out =
        cluster.fs().create(new Path(path), true, 4096, (short) nodes, block)) {
      out.write(ConvertCluster.bytes(path.hashCode(), SMALL_BLOCKS * block));
    }
    Redundancy.await(cluster.fs().getClient(), path, null, nodes, Ticker.SYSTEM);
  }

  /**
   * Returns one replica of the first block. Sorts by UUID, since the NameNode returns the locations
   * in a different order each time.
   */
  private static ReplicaFiles replica(String path, int number) throws IOException {
    LocatedBlock block = cluster.blocks(path).get(0);
    DatanodeInfo[] holders = block.getLocations();
    Arrays.sort(holders, Comparator.comparing(DatanodeInfo::getDatanodeUuid));
    return ReplicaFiles.of(
        cluster, holders[number].getDatanodeUuid(), block.getBlock().getBlockId());
  }

  private static void rot(ReplicaFiles replica) throws IOException {
    byte[] bytes = replica.bytes();
    bytes[4711] ^= 1;
    replica.replace(bytes);
  }

  @Test
  void aReplicaOfOtherBytesIsNotCopied() throws Exception {
    assertRottenFilesAreLeft("/client", ConvertCluster.striped("/client", CODE));
  }

  @Test
  void mapsDoNotCopyAReplicaOfOtherBytes() throws Exception {
    assertRottenFilesAreLeft("/maps", ConvertCluster.mapped(ConvertCluster.striped("/maps", CODE)));
  }

  private static void assertRottenFilesAreLeft(String root, JobSettings settings) throws Exception {
    Map<String, byte[]> written = new HashMap<>();
    Map<String, String> rotten = new HashMap<>();
    for (int i = 0; i < 6; i++) {
      String path = root + "/" + i;
      written.put(path, write(path, BLOCK));
      if (i % 2 == 0) {
        rot(replica(path, i / 2));
        rotten.put(path, cluster.blocks(path).get(0).getBlock().getBlockName());
      }
    }

    JobReport report = run(settings, root.substring(1));

    assertThat(report.failures())
        .extracting(failure -> failure.path)
        .containsExactlyInAnyOrderElementsOf(rotten.keySet());
    report
        .failures()
        .forEach(
            failure ->
                assertThat(failure.reason)
                    .contains("block " + rotten.get(failure.path) + ": its replicas differ")
                    .contains("hdfs fsck -blockId " + rotten.get(failure.path)));
    for (Map.Entry<String, byte[]> file : written.entrySet()) {
      String path = file.getKey();
      if (rotten.containsKey(path)) {
        assertThat(cluster.policy(path)).as(path).isNull();
        assertThat(cluster.blocks(path).get(0).getLocations()).as(path).hasSize(3);
      } else {
        assertThat(cluster.policy(path)).as(path).isEqualTo("RS-3-2-64k");
        assertThat(cluster.read(path)).as(path).isEqualTo(file.getValue());
      }
    }
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aDeletedReplicaIsNotRequested() throws Exception {
    byte[] bytes = write("/gone/a", 2 * BLOCK);
    ReplicaFiles gone = replica("/gone/a", 1);
    Files.delete(gone.data);
    Files.delete(gone.meta);

    assertThat(run(ConvertCluster.striped("/gone", CODE), "gone").failures()).isEmpty();

    assertThat(cluster.policy("/gone/a")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/gone/a")).isEqualTo(bytes);
  }

  @Test
  void aFileIsNotCopiedWithoutAnAnswerOrWithTheChecksumOfOtherBytes() throws Exception {
    write("/asked/a", 2 * BLOCK + 12345);
    write("/asked/b", 2 * BLOCK + 12345);
    try (DistributedFileSystem fs = cluster.client()) {
      DFSClient client = fs.getClient();
      FileChecksum right = client.getFileChecksumWithCombineMode("/asked/a", Long.MAX_VALUE);
      FileChecksum other = client.getFileChecksumWithCombineMode("/asked/b", Long.MAX_VALUE);

      check(client, "/asked/a", right);

      assertThatThrownBy(() -> check(client, "/asked/a", other))
          .hasMessageContaining("Cannot copy /asked/a: its CRC was");
      Files.delete(replica("/asked/a", 0).meta);
      check(client, "/asked/a", right);
      // Assumes two more replicas on DataNodes that the NameNode does not report.
      assertThatThrownBy(() -> check(client, "/asked/a", 5, right))
          .hasMessageContaining("of its 5 replicas 2 can be compared");
      Files.delete(replica("/asked/a", 1).meta);
      assertThatThrownBy(() -> check(client, "/asked/a", right))
          .hasMessageContaining("of its 3 replicas 1 can be compared, and more than half must be");
    }
  }

  @Test
  void aDataNodeThatStopsWhileReplicasAreComparedIsSkipped() throws Exception {
    write("/gone/b", BLOCK);
    FileChecksum sum = sum("/gone/b");
    AtomicInteger asked = new AtomicInteger();
    try (DFSClient client =
        new DFSClient(cluster.mini.getURI(0), cluster.mini.getConfiguration(0)) {
          @Override
          public Peer newConnectedPeer(
              InetSocketAddress address, Token<BlockTokenIdentifier> token, DatanodeID node)
              throws IOException {
            // The fourth call asks one of the three DataNodes, whose digests were equal, for the
            // CRC.
            if (asked.incrementAndGet() == 4) {
              throw new ConnectException("gone");
            }
            return super.newConnectedPeer(address, token, node);
          }
        }) {
      check(client, "/gone/b", sum);

      assertThat(asked).hasValue(5);
    }
  }

  @Test
  void aReplicaWithoutACrcContradictsTheOthers() throws Exception {
    byte[] right = write("/cut/a", BLOCK);
    byte[] wrong = right.clone();
    wrong[4711] ^= 1;
    CRC32C crc = new CRC32C();
    crc.update(wrong);
    FileChecksum sum =
        new CompositeCrcFileChecksum((int) crc.getValue(), DataChecksum.Type.CRC32C, 512);
    replica("/cut/a", 0).replace(wrong);
    replica("/cut/a", 1).replace(wrong);
    java.nio.file.Path meta = replica("/cut/a", 2).meta;
    byte[] sums = Files.readAllBytes(meta);
    Files.write(meta, Arrays.copyOf(sums, sums.length - 2));

    try (DistributedFileSystem fs = cluster.client()) {
      assertThatThrownBy(() -> check(fs.getClient(), "/cut/a", sum))
          .hasMessageContaining("there is no CRC of its replicas on");
    }
  }

  @Test
  void checksumsOfDifferentTypesAreComparedByTheirBytes() throws Exception {
    byte[] bytes = write("/kind/a", BLOCK + 12345);
    replica("/kind/a", 0).replace(Arrays.copyOf(bytes, BLOCK), 1024);

    assertThat(run(ConvertCluster.striped("/kind", CODE), "kind").failures()).isEmpty();

    assertThat(cluster.policy("/kind/a")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/kind/a")).isEqualTo(bytes);
  }

  @Test
  void dataNodesThatResetAConnectionAreUsedForOtherBlocks() throws Exception {
    writeOnAll("/reset/a");
    FileChecksum sum = sum("/reset/a");
    Set<Long> blocksReset = new HashSet<>();
    Set<String> nodesReset = new HashSet<>();
    try (DFSClient client =
        new DFSClient(cluster.mini.getURI(0), cluster.mini.getConfiguration(0)) {
          @Override
          public Peer newConnectedPeer(
              InetSocketAddress address, Token<BlockTokenIdentifier> token, DatanodeID node)
              throws IOException {
            // Resets one connection per block, each on another DataNode, like DataNodes that have
            // too many connections.
            long block = token.decodeIdentifier().getBlockId();
            if (!blocksReset.contains(block) && nodesReset.add(node.getDatanodeUuid())) {
              blocksReset.add(block);
              throw new SocketException("Connection reset");
            }
            return super.newConnectedPeer(address, token, node);
          }
        }) {
      check(client, "/reset/a", sum);

      assertThat(nodesReset).hasSize(SMALL_BLOCKS);
    }
  }

  @Test
  void aDataNodeThatHangsIsWaitedForOnce() throws Exception {
    writeOnAll("/hung/a");
    FileChecksum sum = sum("/hung/a");
    String hung = cluster.blocks("/hung/a").get(0).getLocations()[0].getDatanodeUuid();
    AtomicInteger asked = new AtomicInteger();
    try (DFSClient client =
        new DFSClient(cluster.mini.getURI(0), cluster.mini.getConfiguration(0)) {
          @Override
          public Peer newConnectedPeer(
              InetSocketAddress address, Token<BlockTokenIdentifier> token, DatanodeID node)
              throws IOException {
            if (node.getDatanodeUuid().equals(hung)) {
              asked.incrementAndGet();
              throw new SocketTimeoutException("60000 millis timeout");
            }
            return super.newConnectedPeer(address, token, node);
          }
        }) {
      check(client, "/hung/a", sum);
    }
    assertThat(asked).hasValue(1);
  }

  @Test
  void anEncryptionKeyThatDataNodesDoNotKnowIsRenewed() throws Exception {
    write("/key/a", BLOCK);
    FileChecksum sum = sum("/key/a");
    AtomicBoolean isNew = new AtomicBoolean();
    try (DFSClient client =
        new DFSClient(cluster.mini.getURI(0), cluster.mini.getConfiguration(0)) {
          @Override
          public void clearDataEncryptionKey() {
            isNew.set(true);
            super.clearDataEncryptionKey();
          }

          @Override
          public Peer newConnectedPeer(
              InetSocketAddress address, Token<BlockTokenIdentifier> token, DatanodeID node)
              throws IOException {
            if (!isNew.get()) {
              throw new InvalidEncryptionKeyException("unknown block key");
            }
            return super.newConnectedPeer(address, token, node);
          }
        }) {
      check(client, "/key/a", sum);
    }
    assertThat(isNew).isTrue();
  }

  @Test
  void replicasAreCountedByTheCurrentReplication() throws Exception {
    Path path = new Path("/fewer/a");
    byte[] bytes = write("/fewer/a", 3 * BLOCK);
    cluster.fs().setReplication(path, (short) 4);
    Redundancy.await(cluster.fs().getClient(), "/fewer/a", null, 4, Ticker.SYSTEM);
    StepListener user =
        (step, file) -> {
          if (step == Step.CHECKED) {
            try {
              cluster.fs().setReplication(path, (short) 2);
              Conditions.await(
                  "replicas to go",
                  () ->
                      cluster.blocks("/fewer/a").stream()
                          .allMatch(block -> block.getLocations().length == 2));
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          }
        };
    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, user)) {
      report = driver.execute(ConvertCluster.striped("/fewer", CODE), "fewer");
    }

    assertThat(report.failures()).isEmpty();
    assertThat(cluster.policy("/fewer/a")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/fewer/a")).isEqualTo(bytes);
  }

  /**
   * Uses the client of a driver, since a client that a test creates itself returns checksums of
   * another type.
   */
  private static FileChecksum sum(String path) throws IOException {
    try (DistributedFileSystem fs = cluster.client()) {
      return fs.getClient().getFileChecksumWithCombineMode(path, Long.MAX_VALUE);
    }
  }

  private static void check(DFSClient client, String path, int replicas, FileChecksum sum)
      throws IOException {
    LocatedBlocks blocks = client.getLocatedBlocks(path, 0, Long.MAX_VALUE);
    ReplicaAgreement.check(client, path, replicas, blocks, sum);
  }

  private static void check(DFSClient client, String path, FileChecksum sum) throws IOException {
    check(client, path, 3, sum);
  }

  @Test
  void codedDataThatItsParityContradictsIsNotCopied() throws Exception {
    byte[] bytes = write("/coded/a", 3 * BLOCK);
    JobReport report = run(ConvertCluster.contiguous("/coded", CODE), "coded");
    assertThat(report.failures()).isEmpty();
    String policy = cluster.policy("/coded/a");
    Conditions.await("internal blocks", () -> cluster.isWhole("/coded/a"));
    rot(internalBlock(cluster, "/coded/a", 0));

    assertContradicted(run(ConvertCluster.undo("/coded"), "coded-undo"), policy);
    assertContradicted(run(ConvertCluster.striped("/coded", "XOR-2-1"), "coded-xor"), policy);

    // Nothing was changed: the block can still be reconstructed from the others.
    byte[] right = Arrays.copyOf(bytes, BLOCK);
    internalBlock(cluster, "/coded/a", 0).replace(right);
    cluster.assertParityRight("/coded/a");
    assertThat(run(ConvertCluster.undo("/coded"), "coded-again").failures()).isEmpty();
    assertThat(cluster.read("/coded/a")).isEqualTo(bytes);
  }

  private static void assertContradicted(JobReport report, String policy) throws IOException {
    assertThat(report.failures()).extracting(failure -> failure.path).containsExactly("/coded/a");
    assertThat(report.failures().get(0).reason).contains("does not match its data");
    assertThat(cluster.policy("/coded/a")).isEqualTo(policy);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void filesWithLostBlocksAreComparedWithTheRemainingParity() throws Exception {
    // With only five DataNodes, the blocks of a stopped one cannot be reconstructed elsewhere.
    try (ConvertCluster five = new ConvertCluster(directory.resolve("five"), 5, 5, conf -> {})) {
      byte[] bytes = five.write("/five/a", 3 * BLOCK);
      five.write("/five/b", 3 * BLOCK);
      try (Driver driver = five.driver()) {
        assertThat(driver.execute(ConvertCluster.striped("/five", CODE), "five").failures())
            .isEmpty();
      }
      LocatedStripedBlock group = (LocatedStripedBlock) five.blocks("/five/a").get(0);
      DatanodeInfo holder = group.getLocations()[position(group, 1)];
      five.mini.stopDataNode(holder.getXferAddr());
      five.mini.setDataNodeDead(holder);
      for (String path : new String[] {"/five/a", "/five/b"}) {
        Conditions.await(
            "the loss to be known", () -> five.blocks(path).get(0).getLocations().length == 4);
      }
      LocatedStripedBlock rotten = (LocatedStripedBlock) five.blocks("/five/b").get(0);
      rot(internalBlock(five, "/five/b", position(rotten, 0) < 0 ? 1 : 0));

      JobReport report;
      try (Driver driver = five.driver()) {
        report = driver.execute(ConvertCluster.undo("/five"), "five-undo");
      }

      assertThat(report.failures()).extracting(failure -> failure.path).containsExactly("/five/b");
      assertThat(report.failures().get(0).reason).contains("does not match its data");
      assertThat(five.policy("/five/b")).isEqualTo("RS-3-2-64k");
      assertThat(five.policy("/five/a")).isNull();
      assertThat(five.read("/five/a")).isEqualTo(bytes);
    }
  }

  /** Returns the position of an internal block in a group's locations, or -1. */
  private static int position(LocatedStripedBlock group, int index) {
    byte[] indices = group.getBlockIndices();
    for (int i = 0; i < indices.length; i++) {
      if (indices[i] == index) {
        return i;
      }
    }
    return -1;
  }

  private static ReplicaFiles internalBlock(ConvertCluster cluster, String path, int index)
      throws IOException {
    LocatedStripedBlock group = (LocatedStripedBlock) cluster.blocks(path).get(0);
    return ReplicaFiles.of(
        cluster,
        group.getLocations()[position(group, index)].getDatanodeUuid(),
        group.getBlock().getBlockId() + index);
  }
}
