// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.testkit.Kerberos;

/** Tests agents on a cluster with Kerberos, SASL on data connections, and block tokens. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class AgentKerberosTest {
  private Kerberos kerberos;
  private AgentCluster cluster;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    kerberos = new Kerberos(Files.createDirectory(dir.resolve("kdc")));
    Configuration conf = new Configuration(false);
    conf.setBoolean("hadoop.security.authorization", true);
    kerberos.secure(conf);
    Path dfs = Files.createDirectory(dir.resolve("dfs"));
    cluster = new AgentCluster(dfs, conf, "/a", "/b", "/b", "/b", "/b");
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

  private Agents connect(UserGroupInformation user) throws Exception {
    return user.doAs(
        (PrivilegedExceptionAction<Agents>) () -> Agents.connect(cluster.fs().getConf()));
  }

  @Test
  void aSuperuserWithATicketIsServed() throws Exception {
    try (Agents agents = connect(kerberos.logIn("hdfs"))) {
      AgentSecurityTest.encode(cluster, agents);
    }
  }

  @Test
  void theHolderOfABlockTokenIsRefused() throws Exception {
    AgentTokenTest.refusesHolders(cluster);
  }

  @Test
  void othersAreRefused() throws Exception {
    DatanodeInfo node = cluster.nodes()[0];
    try (Agents agents = connect(kerberos.logIn("alice"))) {
      refused(
          AgentException.Kind.DENIED,
          "Cannot serve user alice/localhost",
          () -> agents.describe(node));
    }
  }

  @Test
  void callersWithoutATicketAreRefused() throws Exception {
    DatanodeInfo node = cluster.nodes()[0];
    try (Agents agents = connect(UserGroupInformation.createRemoteUser("hdfs"))) {
      assertThatThrownBy(() -> agents.describe(node))
          .isInstanceOfSatisfying(
              AgentException.class,
              e ->
                  assertThat(e.kind())
                      .as(e.getMessage())
                      .isIn(AgentException.Kind.DENIED, AgentException.Kind.UNREACHABLE));
    }
  }
}
