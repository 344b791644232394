// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A key distribution center with the principals of a cluster and of users, and the settings for a
 * cluster that requires Kerberos. While it runs, Kerberos applies to the whole JVM.
 */
final class Kerberos implements AutoCloseable {
  private static final String PASSWORD = "password";

  private final Path dir;
  private final MiniKdc kdc;
  private final ClassLoader loader;
  private final URLClassLoader resources;

  Kerberos(Path dir) throws Exception {
    this.dir = dir;
    kdc = new MiniKdc(MiniKdc.createConf(), dir.toFile());
    kdc.start();
    kdc.createPrincipal(keytab("hdfs"), "hdfs/localhost", "HTTP/localhost");
    makeKeyStore();
    // Servers load their TLS settings from the class path.
    loader = Thread.currentThread().getContextClassLoader();
    resources = new URLClassLoader(new URL[] {dir.toUri().toURL()}, loader);
    Thread.currentThread().setContextClassLoader(resources);
  }

  private File keytab(String user) {
    return dir.resolve(user + ".keytab").toFile();
  }

  private String principal(String user) {
    return user + "/localhost@" + kdc.getRealm();
  }

  /** Logs a user in, and creates its principal if necessary. */
  UserGroupInformation logIn(String user) throws Exception {
    if (!keytab(user).exists()) {
      kdc.createPrincipal(keytab(user), user + "/localhost");
    }
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(
        principal(user), keytab(user).getPath());
  }

  /**
   * Adds the settings of a cluster without privileged ports that offers every protection of data.
   */
  void secure(Configuration conf) {
    conf.set("hadoop.security.authentication", "kerberos");
    for (String server : new String[] {"namenode", "datanode"}) {
      conf.set("dfs." + server + ".kerberos.principal", principal("hdfs"));
      conf.set("dfs." + server + ".keytab.file", keytab("hdfs").getPath());
      conf.set("dfs." + server + ".https-address", "localhost:0");
    }
    conf.set("dfs.datanode.https.address", "localhost:0");
    conf.set("dfs.web.authentication.kerberos.principal", principal("HTTP"));
    conf.setBoolean("dfs.block.access.token.enable", true);
    conf.set("dfs.data.transfer.protection", "authentication,integrity,privacy");
    conf.set("dfs.http.policy", "HTTPS_ONLY");
    UserGroupInformation.setConfiguration(conf);
  }

  private void makeKeyStore() throws Exception {
    Path store = dir.resolve("server.jks");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-dname",
                "CN=localhost",
                "-keyalg",
                "EC",
                "-storetype",
                "JKS",
                "-storepass",
                PASSWORD,
                "-keypass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("keytool.log").toFile())
            .start();
    if (!keytool.waitFor(1, TimeUnit.MINUTES) || keytool.exitValue() != 0) {
      keytool.destroyForcibly();
      throw new IOException(
          "Cannot make a key store: " + Files.readString(dir.resolve("keytool.log")));
    }
    Configuration tls = new Configuration(false);
    tls.set("ssl.server.keystore.location", store.toString());
    tls.set("ssl.server.keystore.password", PASSWORD);
    tls.set("ssl.server.keystore.keypassword", PASSWORD);
    tls.set("ssl.server.truststore.location", store.toString());
    tls.set("ssl.server.truststore.password", PASSWORD);
    try (var out = Files.newOutputStream(dir.resolve("ssl-server.xml"))) {
      tls.writeXml(out);
    }
  }

  @Override
  public void close() throws IOException {
    Thread.currentThread().setContextClassLoader(loader);
    resources.close();
    kdc.stop();
    UserGroupInformation.reset();
  }
}
