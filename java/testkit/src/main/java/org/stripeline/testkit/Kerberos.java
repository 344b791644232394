// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A key distribution centre with the principals of a cluster and of users, and the settings of a
 * cluster that requires them. Kerberos is enabled for the whole JVM while it runs.
 */
public final class Kerberos implements AutoCloseable {
  private static final String PASSWORD = "password";

  private final Path dir;
  private final MiniKdc kdc;
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
  private URLClassLoader resources;

  /**
   * Starts a centre with the default settings.
   *
   * @param dir existing directory for its files and keytabs
   */
  public Kerberos(Path dir) throws Exception {
    this(dir, MiniKdc.createConf());
  }

  /** Starts a centre with the given settings of {@link MiniKdc}. */
  public Kerberos(Path dir, Properties settings) throws Exception {
    this.dir = dir;
    kdc = new MiniKdc(settings, dir.toFile());
    kdc.start();
    kdc.createPrincipal(keytab("hdfs"), "hdfs/localhost", "HTTP/localhost");
  }

  /** Returns the keytab of a user; that of {@code hdfs} also has the key of {@code HTTP}. */
  public File keytab(String user) {
    return dir.resolve(user + ".keytab").toFile();
  }

  /** Returns the principal of a user or service on this host. */
  public String principal(String user) {
    return user + "/localhost@" + kdc.getRealm();
  }

  /** Returns the configuration file for clients in other processes. */
  public File clientConfiguration() {
    return kdc.getKrb5conf();
  }

  /** Logs a user in, after creating the principal if necessary. */
  public UserGroupInformation logIn(String user) throws Exception {
    if (!keytab(user).exists()) {
      kdc.createPrincipal(keytab(user), user + "/localhost");
    }
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(
        principal(user), keytab(user).getPath());
  }

  /** Adds the principals and keytabs of servers, and requires Kerberos and block tokens. */
  public void authenticate(Configuration conf) {
    conf.set("hadoop.security.authentication", "kerberos");
    for (String server : new String[] {"namenode", "datanode"}) {
      conf.set("dfs." + server + ".kerberos.principal", principal("hdfs"));
      conf.set("dfs." + server + ".keytab.file", keytab("hdfs").getPath());
    }
    conf.set("dfs.web.authentication.kerberos.principal", principal("HTTP"));
    conf.setBoolean("dfs.block.access.token.enable", true);
    UserGroupInformation.setConfiguration(conf);
  }

  /**
   * Adds the settings of a secure cluster without privileged ports, which permits every protection
   * of data.
   */
  public void secure(Configuration conf) throws Exception {
    authenticate(conf);
    makeKeyStore();
    // Servers look for their TLS settings on the class path.
    resources = new URLClassLoader(new URL[] {dir.toUri().toURL()}, loader);
    Thread.currentThread().setContextClassLoader(resources);
    for (String server : new String[] {"namenode", "datanode"}) {
      conf.set("dfs." + server + ".https-address", "localhost:0");
    }
    conf.set("dfs.datanode.https.address", "localhost:0");
    conf.set("dfs.data.transfer.protection", "authentication,integrity,privacy");
    conf.set("dfs.http.policy", "HTTPS_ONLY");
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
    if (resources != null) {
      Thread.currentThread().setContextClassLoader(loader);
      resources.close();
    }
    kdc.stop();
    UserGroupInformation.reset();
  }
}
