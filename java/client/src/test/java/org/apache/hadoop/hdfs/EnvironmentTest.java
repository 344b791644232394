// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.StripelineHdfs;
import org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme;
import org.apache.hadoop.hdfs.client.CreateEncryptionZoneFlag;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.security.token.block.SecurityTestUtil;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.net.unix.DomainSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.client.read.UnitReader;
import org.stripeline.testkit.Conditions;

/**
 * Tests the pipelines with the features that clusters use: block tokens, encrypted transfer,
 * encryption zones, failover, {@code FileContext}, view file systems, short-circuit reads. Each
 * file loses as many internal blocks as its policy permits before it is read.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class EnvironmentTest {
  private static final int CELL = 16 << 10;
  private static final int STRIPE = 3 * CELL;

  /** Two complete block groups and a partial third. */
  private static final byte[] DATA = StripedCluster.bytes(19 * STRIPE + 12_345, 5);

  @TempDir Path dir;
  private final Configuration settings = new Configuration(false);
  private StripedCluster cluster;
  private org.apache.hadoop.fs.Path folder;

  private void start(boolean highlyAvailable) throws IOException {
    settings.setInt("dfs.blocksize", 8 * CELL);
    // Contexts are shared by name in a JVM, with the short-circuit settings of the first client.
    settings.set("dfs.client.context", dir.toString());
    cluster = new StripedCluster(dir, 5, settings, highlyAvailable);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    folder = cluster.directory("/ec", policy);
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void continuesToReadWhenBlockTokensExpire() throws Exception {
    settings.setBoolean("dfs.block.access.token.enable", true);
    start(false);
    setTokenLifetime(1_000);
    org.apache.hadoop.fs.Path file = writeAndLose(cluster.ours(), "tokens", 0, 4);
    try (FSDataInputStream in = cluster.ours().open(file)) {
      byte[] read = new byte[DATA.length];
      in.readFully(read, 0, STRIPE);
      DFSInputStream inner = (DFSInputStream) in.getWrappedStream();
      Conditions.await(
          "the tokens to expire",
          () ->
              inner.getAllBlocks().stream()
                  .allMatch(block -> isExpired((LocatedStripedBlock) block)));
      setTokenLifetime(600_000);
      in.unbuffer(); // Connections that were opened with a valid token remain usable.
      in.readFully(read, STRIPE, DATA.length - STRIPE);
      assertThat(read).isEqualTo(DATA);
      byte[] positional = new byte[10 * STRIPE];
      in.readFully(STRIPE, positional);
      assertThat(positional).isEqualTo(Arrays.copyOfRange(DATA, STRIPE, 11 * STRIPE));
      assertThat(inner.getAllBlocks()).noneMatch(block -> isExpired((LocatedStripedBlock) block));
    }
  }

  private void setTokenLifetime(long millis) throws IOException {
    SecurityTestUtil.setBlockTokenLifetime(
        cluster.mini().getNameNode().getNamesystem().getBlockManager().getBlockTokenSecretManager(),
        millis);
  }

  private static boolean isExpired(LocatedStripedBlock group) {
    try {
      return SecurityTestUtil.isBlockTokenExpired(group.getBlockTokens()[0]);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void readsAndWritesOverEncryptedConnections() throws Exception {
    settings.setBoolean("dfs.block.access.token.enable", true);
    settings.setBoolean("dfs.encrypt.data.transfer", true);
    start(false);
    checkBothWays();
  }

  @Test
  void continuesToReadWhenTheNameNodeHasNewEncryptionKeys() throws Exception {
    settings.setBoolean("dfs.block.access.token.enable", true);
    settings.setBoolean("dfs.encrypt.data.transfer", true);
    start(false);
    org.apache.hadoop.fs.Path file = writeAndLose(cluster.ours(), "keys", 0);
    try (FSDataInputStream in = cluster.ours().open(file)) {
      byte[] read = new byte[DATA.length];
      in.readFully(read, 0, STRIPE);
      cluster.mini().restartNameNode();
      cluster.mini().waitActive();
      in.readFully(read, STRIPE, DATA.length - STRIPE);
      assertThat(read).isEqualTo(DATA);
    }
    StripedCluster.checkReads(cluster.ours(), file, DATA, 6 * STRIPE);
  }

  @Test
  void readsAndWritesInAnEncryptionZone() throws Exception {
    settings.set(
        "hadoop.security.key.provider.path",
        "jceks://file" + dir.resolve("test.jks").toUri().getPath());
    start(false);
    for (DistributedFileSystem fs : new DistributedFileSystem[] {cluster.ours(), cluster.stock()}) {
      // Two providers on one key store would not see each other's keys.
      fs.getClient().setKeyProvider(cluster.mini().getNameNode().getNamesystem().getProvider());
    }
    Configuration conf = cluster.mini().getConfiguration(0);
    DFSTestUtil.createKey("key", cluster.mini(), conf);
    new HdfsAdmin(cluster.mini().getURI(), conf)
        .createEncryptionZone(folder, "key", EnumSet.of(CreateEncryptionZoneFlag.NO_TRASH));
    checkBothWays();
  }

  @Test
  void continuesAfterAFailover() throws Exception {
    settings.setInt("dfs.ha.tail-edits.period", 1);
    start(true);
    org.apache.hadoop.fs.Path file = writeAndLose(cluster.ours(), "read", 1);
    org.apache.hadoop.fs.Path written = new org.apache.hadoop.fs.Path(folder, "written");
    try (FSDataInputStream in = cluster.ours().open(file);
        FSDataOutputStream out = cluster.ours().create(written)) {
      byte[] read = new byte[DATA.length];
      in.readFully(read, 0, 2 * STRIPE);
      out.write(DATA, 0, 5 * STRIPE);
      cluster.mini().transitionToStandby(0);
      cluster.mini().transitionToActive(1);
      lose(file, 0); // The known locations must be requested again.
      in.readFully(read, 2 * STRIPE, DATA.length - 2 * STRIPE);
      assertThat(read).isEqualTo(DATA);
      out.write(DATA, 5 * STRIPE, DATA.length - 5 * STRIPE);
    }
    StripedCluster.checkReads(cluster.ours(), written, DATA, 6 * STRIPE);
    StripedCluster.checkReads(cluster.stock(), written, DATA, 6 * STRIPE);
    StripedCluster.checkReads(cluster.ours(), file, DATA, 6 * STRIPE);
  }

  @Test
  void servesFileContext() throws Exception {
    start(false);
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    conf.set("fs.AbstractFileSystem.hdfs.impl", StripelineHdfs.class.getName());
    FileContext context = FileContext.getFileContext(cluster.mini().getURI(), conf);
    assertThat(context.getDefaultFileSystem()).isInstanceOf(StripelineHdfs.class);
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, "context");
    try (FSDataOutputStream out =
        context.create(file, EnumSet.of(CreateFlag.CREATE), CreateOpts.createParent())) {
      assertThat(out.getWrappedStream()).isInstanceOf(StripelineOutputStream.class);
      out.write(DATA);
    }
    cluster.awaitReports(file, 5);
    StripedCluster.checkReads(cluster.stock(), file, DATA, 6 * STRIPE);
    lose(file, 0, 3);
    byte[] read = new byte[DATA.length];
    try (FSDataInputStream in = context.open(file)) {
      in.readFully(read);
    }
    assertThat(read).isEqualTo(DATA);
  }

  @Test
  void servesViewFileSystems() throws Exception {
    start(false);
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    conf.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    servesMount(conf, "viewfs:///", "default");
  }

  @Test
  void servesMountPointsUnderItsOwnScheme() throws Exception {
    start(false);
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    conf.set("fs.hdfs.impl", ViewFileSystemOverloadScheme.class.getName());
    conf.set("fs.viewfs.overload.scheme.target.hdfs.impl", StripelineFileSystem.class.getName());
    servesMount(conf, "hdfs://mounts/", "mounts");
  }

  private void servesMount(Configuration conf, String uri, String table) throws Exception {
    conf.set(
        "fs.viewfs.mounttable." + table + ".link./mount",
        cluster.mini().getURI().resolve(folder.toUri()).toString());
    try (FileSystem view = FileSystem.newInstance(URI.create(uri), conf)) {
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/mount/view");
      try (FSDataOutputStream out = view.create(file)) {
        assertThat(out.getWrappedStream()).isInstanceOf(StripelineOutputStream.class);
        out.write(DATA);
      }
      org.apache.hadoop.fs.Path target = new org.apache.hadoop.fs.Path(folder, "view");
      cluster.awaitReports(target, 5);
      lose(target, 2, 4);
      try (FSDataInputStream in = view.open(file)) {
        assertThat(in.getWrappedStream()).isInstanceOf(StripelineInputStream.class);
      }
      StripedCluster.checkReads(view, file, DATA, 6 * STRIPE);
    }
  }

  @Test
  void readsThroughDomainSockets() throws Exception {
    assumeTrue(
        DomainSocket.getLoadingFailureReason() == null,
        "short-circuit reads need libhadoop: " + DomainSocket.getLoadingFailureReason());
    settings.setBoolean("dfs.client.read.shortcircuit", true);
    settings.set("dfs.domain.socket.path", dir.resolve("socket._PORT").toString());
    start(false);
    checkReadsLocally();
  }

  @Test
  void readsOverTheNetworkWhereNoDomainSocketIs() throws Exception {
    start(false);
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    conf.set("dfs.client.context", dir.resolve("none").toString());
    conf.setBoolean("dfs.client.read.shortcircuit", true);
    conf.setBoolean("dfs.client.domain.socket.data.traffic", true);
    conf.set("dfs.domain.socket.path", dir.resolve("none._PORT").toString());
    org.apache.hadoop.fs.Path file = writeAndLose(cluster.ours(), "network");
    try (DistributedFileSystem ours = cluster.client(StripelineFileSystem.class, conf);
        DistributedFileSystem stock = cluster.client(DistributedFileSystem.class, conf)) {
      StripedCluster.checkReads(stock, file, DATA, 6 * STRIPE);
      lose(file, 1, 3);
      StripedCluster.checkReads(ours, file, DATA, 6 * STRIPE);
      try (FSDataInputStream in = ours.open(file)) {
        assertThat(in.getWrappedStream()).isInstanceOf(StripelineInputStream.class);
        in.readFully(0, new byte[DATA.length]);
        assertThat(((HdfsDataInputStream) in).getReadStatistics().getTotalShortCircuitBytesRead())
            .isZero();
      }
    }
  }

  @Test
  void readsBlockFilesOfTheSameMachine() throws Exception {
    // The method that preceded domain sockets and needs no native library.
    settings.setBoolean("dfs.client.read.shortcircuit", true);
    settings.setBoolean("dfs.client.use.legacy.blockreader.local", true);
    settings.setBoolean("dfs.client.domain.socket.data.traffic", false);
    settings.set("dfs.block.local-path-access.user", System.getProperty("user.name"));
    start(false);
    checkReadsLocally();
  }

  /** As when a DataNode stops after its last byte. */
  @Test
  void aBlockIsReadAlthoughItsStatusCannotBeSent() throws Exception {
    start(false);
    org.apache.hadoop.fs.Path file = writeAndLose(cluster.ours(), "status");
    LocatedBlock block =
        StripedBlockUtil.parseStripedBlockGroup(cluster.groups(file).get(0), CELL, 3, 2)[0];
    DatanodeInfo node = block.getLocations()[0];
    InetSocketAddress address = NetUtils.createSocketAddr(node.getXferAddr());
    DFSInputStream.DNAddrPair pair =
        new DFSInputStream.DNAddrPair(node, address, StorageType.DISK, block);
    StripelineDFSClient client = (StripelineDFSClient) cluster.ours().getClient();
    Peer connection = client.newConnectedPeer(address, block.getBlockToken(), node);
    Peer peer = mock(Peer.class, delegatesTo(connection));
    doReturn(connection.getOutputStream())
        .doThrow(new IOException("Broken pipe"))
        .when(peer)
        .getOutputStream();
    ByteBuffer cell = ByteBuffer.allocate(CELL);
    try (UnitReader reader =
        StripelinePacketReader.open(
            client,
            new StripelineUnitRequest(
                "/status", block, pair, 0, CELL, true, CachingStrategy.newDefaultStrategy()),
            peer)) {
      reader.read(cell);
    }
    assertThat(cell.array()).isEqualTo(Arrays.copyOf(DATA, CELL));
    verify(peer).close();
  }

  /**
   * Stripeline's client reads what the stock client wrote, with blocks lost. The stock client reads
   * what Stripeline's wrote before blocks are lost, because it avoids a DataNode in the next group
   * after a failure in one group.
   */
  private void checkBothWays() throws IOException {
    org.apache.hadoop.fs.Path ours = writeAndLose(cluster.ours(), "ours");
    org.apache.hadoop.fs.Path stock = writeAndLose(cluster.stock(), "stock", 2, 3);
    StripedCluster.checkReads(cluster.stock(), ours, DATA, 6 * STRIPE);
    lose(ours, 1, 2);
    StripedCluster.checkReads(cluster.ours(), ours, DATA, 6 * STRIPE);
    StripedCluster.checkReads(cluster.ours(), stock, DATA, 6 * STRIPE);
  }

  /**
   * Flips bits instead of deleting blocks, because Hadoop would read from the network after a loss.
   */
  private void checkReadsLocally() throws IOException {
    org.apache.hadoop.fs.Path file = writeAndLose(cluster.ours(), "local");
    for (int i = 0; i < 2; i++) {
      StripedCluster.checkReads(cluster.ours(), file, DATA, 6 * STRIPE);
      try (FSDataInputStream in = cluster.ours().open(file)) {
        byte[] read = new byte[DATA.length];
        in.readFully(0, read);
        assertThat(read).isEqualTo(DATA);
        assertThat(((HdfsDataInputStream) in).getReadStatistics().getTotalShortCircuitBytesRead())
            .isPositive();
      }
      for (LocatedStripedBlock group : cluster.groups(file)) {
        StripedCluster.flip(cluster.blockFile(group, 1), 3_000, 5);
        StripedCluster.flip(cluster.blockFile(group, 4), 0, 0);
      }
    }
  }

  private org.apache.hadoop.fs.Path writeAndLose(
      DistributedFileSystem fs, String name, int... units) throws IOException {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(folder, name);
    StripedCluster.write(fs, file, DATA);
    cluster.awaitReports(file, 5);
    lose(file, units);
    return file;
  }

  private void lose(org.apache.hadoop.fs.Path file, int... units) throws IOException {
    for (LocatedStripedBlock group : cluster.groups(file)) {
      for (int unit : units) {
        Files.delete(cluster.blockFile(group, unit).toPath());
      }
    }
  }
}
