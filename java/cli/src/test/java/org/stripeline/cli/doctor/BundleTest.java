// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.terminal.CommandException;

/** Plants secrets wherever a bug report might pick them up, and searches for them in the file. */
class BundleTest {
  @TempDir Path directory;

  /** Every secret begins with this word, so that none can be missed. */
  private static final String PLANTED = "PLANTED";

  private static final List<String> SECRET_KEYS =
      Arrays.asList(
          "stripeline.test.password",
          "stripeline.test.secret",
          "ssl.server.keystore.keypassword",
          "ssl.client.truststore.password",
          "fs.s3a.access.key",
          "fs.s3a.secret.key",
          "fs.s3a.bucket.one.secret.key",
          "fs.azure.account.key.name.blob.core.windows.net",
          "fs.azure.account.oauth2.client.secret",
          "dfs.client.some.credential",
          "hadoop.security.group.mapping.ldap.bind.password",
          "dfs.adls.oauth2.refresh.token",
          "dfs.web.authentication.signature.secret",
          "own.sensitive.code");

  private final Map<String, String> environment = new TreeMap<>();
  private final DoctorReport report = new DoctorReport();
  private int planted;

  private String plant() {
    // None is the beginning of another one.
    return String.format("%s-s3cr3t-%03d-", PLANTED, planted++);
  }

  private Map<String, String> write(Configuration conf) throws IOException {
    Path file = Bundle.reserve(directory.resolve("bundle.zip").toString());
    new Bundle(conf, environment).write(file, report);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Map<String, String> entries = new TreeMap<>();
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        entries.put(entry.getName(), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return entries;
  }

  @Test
  void noPlantedSecretIsInTheFile() throws Exception {
    Configuration conf = new Configuration();
    conf.set(
        "hadoop.security.sensitive-config-keys",
        conf.get("hadoop.security.sensitive-config-keys") + ",own\\.sensitive\\..*");
    List<String> values = new ArrayList<>();
    for (String key : SECRET_KEYS) {
      values.add(plant());
      conf.set(key, values.get(values.size() - 1));
    }
    conf.set("stripeline.quoted.password", PLANTED + "\"<&>\\ x");
    conf.set("fs.defaultFS", "hdfs://user:" + plant() + "@host:8020");
    conf.set("dfs.client.url", "https://" + plant() + "@proxy/?sig=" + plant() + "&x=1");
    conf.set("stripeline.client.read.window", "16m");
    environment.put("HADOOP_KEYSTORE_PASSWORD", plant());
    environment.put("AWS_SECRET_ACCESS_KEY", plant());
    environment.put(
        "HADOOP_OPTS",
        "-Dstripeline.native.enabled=true -Djavax.net.ssl.trustStorePassword="
            + plant()
            + " --token "
            + plant());
    report.loading.settings.add("the site file has " + values.get(0) + " in a comment");
    report.addProblem(
        "It failed: " + values.get(13), "use \"" + conf.get("stripeline.quoted.password"));
    report.addProblem("{\"sessionToken\": \"" + plant() + "\", \"tokens\": [1]}", "-");
    log(values.get(5));
    sslFile();

    Map<String, String> entries;
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URL[] site = {new File(directory + "/").toURI().toURL()};
    try (URLClassLoader loader = new URLClassLoader(site, before)) {
      thread.setContextClassLoader(loader);
      entries = write(conf);
    } finally {
      thread.setContextClassLoader(before);
    }

    assertThat(entries)
        .containsOnlyKeys(
            "doctor.txt",
            "doctor.json",
            "configuration.txt",
            "environment.txt",
            "logs/hadoop-hdfs-datanode-host.log");
    entries.forEach((name, text) -> assertThat(text).as(name).doesNotContain(PLANTED));
    assertThat(entries.get("configuration.txt"))
        .contains("stripeline.client.read.window=16m")
        .contains("stripeline.test.password=<redacted>")
        .contains("fs.defaultFS=hdfs://<redacted>@host:8020")
        .contains("io.erasurecode.codec.rs.rawcoders=rs_native,rs_java  (core-default.xml)")
        .doesNotContain("hadoop.tmp.dir");
    assertThat(entries.get("environment.txt"))
        .contains("-Dstripeline.native.enabled=true")
        .contains("HADOOP_KEYSTORE_PASSWORD=<redacted>")
        .doesNotContain("AWS_");
    assertThat(JsonParser.parseString(entries.get("doctor.json")).isJsonObject()).isTrue();
    assertThat(entries.get("logs/hadoop-hdfs-datanode-host.log"))
        .contains("Erasure coder live: stripeline")
        .doesNotContain("other line");
  }

  /** The values of files that are not in the report must not come through others. */
  private void sslFile() throws IOException {
    Configuration tls = new Configuration(false);
    tls.set("ssl.server.keystore.password", PLANTED + "-of-tls");
    try (var out = Files.newOutputStream(directory.resolve("ssl-server.xml"))) {
      tls.writeXml(out);
    }
    report.addWarning("a message with " + PLANTED + "-of-tls in it", "-");
  }

  private void log(String known) throws IOException {
    Path logs = Files.createDirectories(directory.resolve("logs"));
    environment.put("HADOOP_LOG_DIR", logs.toString());
    Files.write(
        logs.resolve("hadoop-hdfs-datanode-host.log"),
        Arrays.asList(
            "INFO Erasure coder live: stripeline",
            "INFO other line " + PLANTED,
            "WARN stripeline: Authorization: Negotiate " + PLANTED + "YIIabcdef==",
            "WARN stripeline: cookie hadoop.auth=\"u=hdfs&s=" + PLANTED + "\"; Path=/",
            "WARN stripeline: Kind: HDFS_DELEGATION_TOKEN, ident=" + PLANTED + "00ff",
            "WARN stripeline password=" + known + ", password: '" + plant() + "'",
            "WARN erasure <name>x.password</name><value>" + plant() + "</value>",
            "WARN erasure http://u:" + plant() + "@h/ passwd " + known));
  }

  @Test
  void keepsWhatIsNoSecret() {
    Redactor redactor = new Redactor(List.of(new Configuration()), Map.of());
    for (String text :
        new String[] {
          "self-check passed: this Hadoop has all members",
          "dfs.block.access.token.enable=true",
          "kernels        avx2 (detected)",
          "hdfs://nn1:8020/data/a@b",
          "3 passes: one"
        }) {
      assertThat(redactor.text(text)).isEqualTo(text);
    }
    assertThat(
            redactor.text("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!"))
        .isEqualTo("<redacted>!");
  }

  @Test
  void neverOverwritesAFile() throws Exception {
    Path file = Files.createFile(directory.resolve("there.zip"));
    assertThatThrownBy(() -> Bundle.reserve(file.toString()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("it exists; name a new file");
    assertThatThrownBy(() -> Bundle.reserve(directory.resolve("no/such/place.zip").toString()))
        .isInstanceOf(CommandException.class);
  }
}
