// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.testkit.Kerberos;

/** Examines a cluster with Kerberos and HTTPS, with and without the client's truststore. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class SecureClusterTest {
  @TempDir Path directory;
  private MiniDFSCluster cluster;

  private DoctorReport examine(UserGroupInformation user) throws Exception {
    PrivilegedExceptionAction<DoctorReport> examining =
        () -> {
          DoctorReport report = new DoctorReport();
          report.stripeline.version = "any";
          Configuration client = new Configuration(cluster.getConfiguration(0));
          new ClusterExamination(client, report).examine();
          return report;
        };
    return user.doAs(examining);
  }

  private static DoctorReport.Check check(DoctorReport report, String name) {
    return report.cluster.checks.stream()
        .filter(check -> check.name.equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void saysWhatItCouldNotAsk() throws Exception {
    Path kdc = Files.createDirectory(directory.resolve("kdc"));
    try (Kerberos kerberos = new Kerberos(kdc)) {
      Configuration conf = new HdfsConfiguration();
      conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.resolve("dfs").toString());
      conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
      kerberos.secure(conf);
      UserGroupInformation.loginUserFromKeytab(
          kerberos.principal("hdfs"), kerberos.keytab("hdfs").getPath());
      cluster =
          new MiniDFSCluster.Builder(conf)
              .numDataNodes(1)
              .hosts(new String[] {"localhost"})
              .checkDataNodeHostConfig(true)
              .build();
      try {
        UserGroupInformation hdfs = kerberos.logIn("hdfs");
        UserGroupInformation alice = kerberos.logIn("alice");
        withoutTruststore(examine(hdfs), examine(alice));

        trust(kdc);
        for (DoctorReport report : new DoctorReport[] {examine(hdfs), examine(alice)}) {
          assertThat(report.unchecked).isEmpty();
          assertThat(check(report, "DataNodes").state).isEqualTo("OK");
          assertThat(check(report, "agents").text).isEqualTo("on 1 of 1 DataNode");
          assertThat(check(report, "clocks").state).isEqualTo("OK");
        }
      } finally {
        cluster.shutdown(true);
      }
    }
  }

  private static void withoutTruststore(DoctorReport superuser, DoctorReport other) {
    assertThat(check(superuser, "DataNodes").state).isEqualTo("NOT ASKED");
    assertThat(check(superuser, "DataNodes").text)
        .contains("refused")
        .contains("unable to find valid certification path");
    assertThat(check(superuser, "agents").text).isEqualTo("on 1 of 1 DataNode");
    assertThat(superuser.unchecked)
        .anyMatch(missing -> missing.text.startsWith("NameNode (https://"))
        .allMatch(missing -> missing.remedy.contains("ssl-client.xml"));
    assertThat(superuser.problems).noneMatch(problem -> !problem.text.startsWith("free space"));

    assertThat(check(other, "DataNodes").state).isEqualTo("NOT ASKED");
    assertThat(check(other, "DataNodes").text).contains("only superusers may list DataNodes");
    assertThat(other.problems).isEmpty();
  }

  /** Makes the server's key store the truststore of clients. */
  private static void trust(Path kdc) throws Exception {
    Configuration tls = new Configuration(false);
    tls.set("ssl.client.truststore.location", kdc.resolve("server.jks").toString());
    tls.set("ssl.client.truststore.password", "password");
    try (var out = Files.newOutputStream(kdc.resolve("ssl-client.xml"))) {
      tls.writeXml(out);
    }
  }
}
