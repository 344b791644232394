// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.namenode;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.testkit.Kerberos;

/** Tests a NameNode whose web pages require Kerberos. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class NameNodesKerberosTest {
  private static final int CELL = 64 << 20;

  @TempDir Path directory;

  @Test
  void asksWithTheTicketOfTheUser() throws Exception {
    try (Kerberos kerberos = new Kerberos(Files.createDirectory(directory.resolve("kdc")))) {
      Configuration conf = secured(kerberos);
      UserGroupInformation.loginUserFromKeytab(
          kerberos.principal("hdfs"), kerberos.keytab("hdfs").getPath());
      try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(0).build()) {
        UserGroupInformation alice = kerberos.logIn("alice");
        ServerSettings answer = ask(cluster, alice).servers().get(0);
        assertThat(answer.isKnown()).as("%s", answer.reason()).isTrue();
        assertThat(NameNodeLimits.cellBytesMax(answer)).isEqualTo(CELL);
        assertThat(ask(cluster, alice).obstacles(CELL)).isEmpty();

        List<String> refused =
            ask(cluster, UserGroupInformation.createRemoteUser("bob")).obstacles(CELL);
        assertThat(refused).singleElement().asString().contains("could not be queried: ");
      }
    }
  }

  private static NameNodeLimits ask(MiniDFSCluster cluster, UserGroupInformation user)
      throws Exception {
    Configuration client = cluster.getConfiguration(0);
    PrivilegedExceptionAction<NameNodeLimits> asking =
        () -> NameNodeLimits.ask(cluster.getURI(), client);
    return user.doAs(asking);
  }

  private Configuration secured(Kerberos kerberos) throws Exception {
    String web = kerberos.principal("HTTP");
    String keytab = kerberos.keytab("hdfs").getPath();
    Path secret = Files.write(directory.resolve("secret"), "secret".getBytes());
    Configuration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.resolve("cluster").toString());
    kerberos.authenticate(conf);
    conf.set("dfs.web.authentication.kerberos.keytab", keytab);
    conf.set(
        "hadoop.http.filter.initializers",
        "org.apache.hadoop.security.AuthenticationFilterInitializer");
    conf.set("hadoop.http.authentication.type", "kerberos");
    conf.set("hadoop.http.authentication.kerberos.principal", web);
    conf.set("hadoop.http.authentication.kerberos.keytab", keytab);
    conf.set("hadoop.http.authentication.signature.secret.file", secret.toString());
    conf.setBoolean("hadoop.http.authentication.simple.anonymous.allowed", false);
    conf.setInt(NameNodeLimits.CELL_KEY, CELL);
    return conf;
  }
}
