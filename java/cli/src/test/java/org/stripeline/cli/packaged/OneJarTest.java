// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.stripeline.terminal.Release;

/** What the jar that users install may hold; runs after it is packaged. */
class OneJarTest {
  private static final Path ROOT = Paths.get(System.getProperty("stripeline.root"));
  private static final Path JAR =
      ROOT.resolve("java/cli/target/stripeline-" + Release.version() + ".jar");

  private static final Pattern HADOOP_JAR =
      Pattern.compile("/hadoop-(common|hdfs|hdfs-client)-\\d[^/]*\\.jar!");

  /** Class files of Java 8. */
  private static final int CLASS_VERSION = 52;

  @Test
  void holdsOnlyWhatIsOurs() throws IOException {
    List<String> foreign =
        entries().stream()
            .filter(name -> !name.startsWith("org/stripeline/"))
            // The raw coders must live in Hadoop's package: Hadoop's base classes are closed.
            .filter(name -> !name.startsWith("org/apache/hadoop/io/erasurecode/rawcoder/"))
            // So must the part of the pipelines that reaches into the HDFS client.
            .filter(name -> !name.matches("org/apache/hadoop/hdfs/[^/]+\\.class"))
            .filter(name -> !name.equals("org/apache/hadoop/fs/StripelineHdfs.class"))
            .filter(name -> !name.equals("org/apache/hadoop/fs/LocatedStatuses.class"))
            // And the plug-ins of the servers, which reach into DataNode and NameNode.
            .filter(name -> !name.matches("org/apache/hadoop/hdfs/server/(datanode|.*impl)/[^/]+"))
            .filter(name -> !name.matches("org/apache/hadoop/hdfs/server/blockmanagement/[^/]+"))
            .filter(name -> !name.startsWith("native/linux-"))
            .filter(name -> !name.matches("META-INF/(MANIFEST\\.MF|LICENSE|NOTICE|services/.+)"))
            .collect(Collectors.toList());

    assertThat(foreign).isEmpty();
  }

  @Test
  void hidesNoClassOfHadoop() throws IOException {
    List<String> hidden =
        entries().stream()
            .filter(name -> name.startsWith("org/apache/") && name.endsWith(".class"))
            .filter(name -> hadoopHas(name))
            .collect(Collectors.toList());

    assertThat(hidden).isEmpty();
  }

  private static boolean hadoopHas(String className) {
    URL found = Configuration.class.getClassLoader().getResource(className);
    // The module's own classes are on this test's class path too, but in folders or our jars.
    return found != null && HADOOP_JAR.matcher(found.toString()).find();
  }

  @Test
  void runsOnJava8() throws IOException {
    List<String> newer = new ArrayList<>();
    try (JarFile jar = new JarFile(JAR.toFile())) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        if (entry.getName().endsWith(".class") && classVersion(jar, entry) > CLASS_VERSION) {
          newer.add(entry.getName());
        }
      }
    }
    assertThat(newer).isEmpty();
  }

  private static int classVersion(JarFile jar, JarEntry entry) throws IOException {
    try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
      assertThat(in.readInt()).as(entry.getName()).isEqualTo(0xCAFEBABE);
      in.readUnsignedShort();
      return in.readUnsignedShort();
    }
  }

  @Test
  void offersTheCodersAndNothingElseAsServices() throws IOException {
    List<String> services =
        entries().stream()
            .filter(name -> name.startsWith("META-INF/services/"))
            .collect(Collectors.toList());

    assertThat(services)
        .containsExactly(
            "META-INF/services/org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory");
    assertThat(text(services.get(0)).trim().split("\\s+"))
        .containsExactlyInAnyOrder(
            "org.stripeline.coder.RsCoderFactory",
            "org.stripeline.coder.RsLegacyCoderFactory",
            "org.stripeline.coder.XorCoderFactory");
  }

  @Test
  void carriesTheNativeLibrariesThatWereBuilt() throws IOException {
    List<String> entries = entries();
    for (String platform : new String[] {"linux-x86_64", "linux-aarch64"}) {
      String library = platform + "/libstripeline_jni.so";
      if (Files.exists(ROOT.resolve("build/native").resolve(library))) {
        assertThat(entries).contains("native/" + library);
      }
    }
  }

  @Test
  void saysWhatItIs() throws IOException {
    assertThat(text("META-INF/LICENSE")).contains("Apache License").contains("Version 2.0");
    assertThat(text("META-INF/NOTICE")).contains("picocli").contains("Gson");
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
          .isEqualTo(Release.version());
      assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class"))
          .isEqualTo("org.stripeline.cli.Stripeline");
    }
  }

  private static List<String> entries() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return Collections.list(jar.entries()).stream()
          .filter(entry -> !entry.isDirectory())
          .map(JarEntry::getName)
          .collect(Collectors.toList());
    }
  }

  private static String text(String name) throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile());
        InputStream in = jar.getInputStream(jar.getJarEntry(name))) {
      return new String(in.readAllBytes());
    }
  }
}
