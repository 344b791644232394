// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.SaslRpcServer;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.client.write.WriteStatistics;
import org.stripeline.testkit.Kerberos;

/**
 * Tests the pipelines on a cluster that requires Kerberos, SASL on data connections and block
 * tokens.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class KerberosTest {
  private static final int CELL = 16 << 10;
  private static final int STRIPE = 3 * CELL;
  private static final byte[] DATA = StripedCluster.bytes(19 * STRIPE + 12_345, 5);

  private Kerberos kerberos;
  private StripedCluster cluster;
  private UserGroupInformation alice;
  private UserGroupInformation bob;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    kerberos = new Kerberos(Files.createDirectory(dir.resolve("kdc")));
    Configuration settings = new Configuration(false);
    settings.setInt("dfs.blocksize", 8 * CELL);
    settings.set("dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding");
    settings.setInt("dfs.client.retry.window.base", 10);
    kerberos.secure(settings);
    cluster = new StripedCluster(Files.createDirectory(dir.resolve("dfs")), 5, settings);
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("rs", 3, 2), CELL);
    cluster.stock().addErasureCodingPolicies(new ErasureCodingPolicy[] {policy});
    alice = kerberos.logIn("alice");
    bob = kerberos.logIn("bob");
    for (UserGroupInformation user : new UserGroupInformation[] {alice, bob}) {
      org.apache.hadoop.fs.Path home = cluster.directory(home(user), policy.getName());
      cluster.stock().setOwner(home, user.getShortUserName(), user.getShortUserName());
      cluster.stock().setPermission(home, new FsPermission((short) 0700));
    }
  }

  @AfterAll
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    if (kerberos != null) {
      kerberos.close();
    }
  }

  private static String home(UserGroupInformation user) {
    return "/" + user.getShortUserName();
  }

  @ParameterizedTest
  @CsvSource({"authentication, ''", "integrity, ''", "privacy, ''", "privacy, AES/CTR/NoPadding"})
  void readsAndWritesUnderEveryProtection(String protection, String cipher) throws Exception {
    Configuration conf = conf(protection, cipher);
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(home(alice), protection + cipher.length());
    long written = WriteStatistics.shared().bytes();
    try (DistributedFileSystem ours = client(alice, StripelineFileSystem.class, conf);
        DistributedFileSystem stock = client(alice, DistributedFileSystem.class, conf)) {
      try (FSDataOutputStream out = ours.create(file)) {
        assertThat(out.getWrappedStream()).isInstanceOf(StripelineOutputStream.class);
        out.write(DATA);
      }
      assertThat(WriteStatistics.shared().bytes() - written).isEqualTo(DATA.length);
      StripedCluster.checkReads(stock, file, DATA, 6 * STRIPE);
      LocatedStripedBlock group = awaitGroup(file);
      MiniDFSCluster.DataNodeProperties stopped =
          cluster.mini().stopDataNode(StripedCluster.location(group, 0).getXferAddr());
      try {
        long delivered = ReadContext.counters().get(ReadCount.BYTES_DELIVERED);
        long decoded = ReadContext.counters().get(ReadCount.BYTES_DECODED);
        StripedCluster.checkReads(ours, file, DATA, 6 * STRIPE);
        assertThat(ReadContext.counters().get(ReadCount.BYTES_DELIVERED) - delivered)
            .isGreaterThanOrEqualTo(DATA.length);
        assertThat(ReadContext.counters().get(ReadCount.BYTES_DECODED) - decoded).isPositive();
        StripedCluster.checkReads(stock, file, DATA, 6 * STRIPE);
      } finally {
        assertThat(cluster.mini().restartDataNode(stopped, true)).isTrue();
        cluster.mini().waitActive();
      }
    }
  }

  @Test
  void readsNothingWithoutTheProtectionThatDataNodesAskFor() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(home(alice), "asked");
    try (DistributedFileSystem ours = client(alice, StripelineFileSystem.class, conf("", ""))) {
      try (DistributedFileSystem writer =
          client(alice, StripelineFileSystem.class, conf("privacy", ""))) {
        StripedCluster.write(writer, file, DATA);
      }
      assertThatThrownBy(() -> StripedCluster.checkReads(ours, file, DATA, 6 * STRIPE))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file.toUri().getPath());
    }
  }

  /** Tasks of a job have no ticket, only a token. */
  @Test
  void readsAndWritesWithADelegationToken() throws Exception {
    Configuration conf = conf("privacy", "");
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(home(alice), "task");
    UserGroupInformation task =
        UserGroupInformation.createRemoteUser(alice.getUserName(), SaslRpcServer.AuthMethod.TOKEN);
    try (DistributedFileSystem hers = client(alice, StripelineFileSystem.class, conf)) {
      task.addToken(hers.getDelegationToken("yarn"));
    }
    try (DistributedFileSystem ours = client(task, StripelineFileSystem.class, conf)) {
      StripedCluster.write(ours, file, DATA);
      awaitGroup(file);
      for (LocatedStripedBlock group : cluster.groups(file)) {
        Files.delete(cluster.blockFile(group, 0).toPath());
      }
      StripedCluster.checkReads(ours, file, DATA, 6 * STRIPE);
    }
  }

  /** All clients of a JVM share the fetching threads, which one user's client starts first. */
  @Test
  void threadsOfOneUserServeAnother() throws Exception {
    Configuration conf = conf("integrity", "");
    // Causes a new connection for every call to the NameNode, which is opened as the user.
    conf.setInt("ipc.client.connection.maxidletime", 1);
    org.apache.hadoop.fs.Path first = new org.apache.hadoop.fs.Path(home(alice), "first");
    org.apache.hadoop.fs.Path second = new org.apache.hadoop.fs.Path(home(bob), "second");
    UserGroupInformation gone = kerberos.logIn("alice");
    try (DistributedFileSystem hers = client(gone, StripelineFileSystem.class, conf)) {
      StripedCluster.write(hers, first, DATA);
      StripedCluster.checkReads(hers, first, DATA, 6 * STRIPE);
    }
    gone.logoutUserFromKeytab();
    try (DistributedFileSystem his = client(bob, StripelineFileSystem.class, conf)) {
      StripedCluster.write(his, second, DATA);
      awaitGroup(second);
      for (LocatedStripedBlock group : cluster.groups(second)) {
        // A reader that lacks a block asks the NameNode for another location.
        Files.delete(cluster.blockFile(group, 1).toPath());
        Files.delete(cluster.blockFile(group, 3).toPath());
      }
      StripedCluster.checkReads(his, second, DATA, 6 * STRIPE);
      assertThatThrownBy(() -> his.open(first)).isInstanceOf(AccessControlException.class);
    }
  }

  private Configuration conf(String protection, String cipher) {
    Configuration conf = new Configuration(cluster.mini().getConfiguration(0));
    conf.set("dfs.data.transfer.protection", protection);
    conf.set("dfs.encrypt.data.transfer.cipher.suites", cipher);
    return conf;
  }

  private DistributedFileSystem client(
      UserGroupInformation user, Class<? extends DistributedFileSystem> type, Configuration conf)
      throws Exception {
    return user.doAs(
        (PrivilegedExceptionAction<DistributedFileSystem>) () -> cluster.client(type, conf));
  }

  private LocatedStripedBlock awaitGroup(org.apache.hadoop.fs.Path file) throws IOException {
    cluster.awaitReports(file, 5);
    return cluster.groups(file).get(0);
  }
}
