// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stripeline.terminal.Release;

/** Checks the contents of the jars that users install; runs after packaging. */
class JarsTest {
  private static final Path ROOT = Paths.get(System.getProperty("stripeline.root"));

  /** Coders, client pipelines and plug-ins: on the class path of clients and servers. */
  private static final Path CLUSTER = jar("stripeline-");

  /** The {@code stripeline} command; it needs the other jar in the same directory. */
  private static final Path COMMAND = jar("stripeline-cli-");

  /** Classes that only the command may contain. */
  private static final Pattern COMMAND_CLASS =
      Pattern.compile(
          "org[/.]stripeline[/.](terminal|convert|plan|simulator|lab|cli"
              + "|shaded[/.](picocli|hdrhistogram|ssj))[/.]");

  private static final Pattern HADOOP_JAR =
      Pattern.compile("/hadoop-(common|hdfs|hdfs-client)-\\d[^/]*\\.jar!");

  /** Class file version of Java 8. */
  private static final int CLASS_VERSION = 52;

  private static Path jar(String name) {
    return ROOT.resolve("java/cli/target").resolve(name + Release.version() + ".jar");
  }

  @Test
  void theClusterJarHasNoClassesOfTheCommand() throws IOException {
    List<String> found = new ArrayList<>();
    try (JarFile jar = new JarFile(CLUSTER.toFile())) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        try (InputStream in = jar.getInputStream(entry)) {
          String content = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
          boolean isClass = entry.getName().endsWith(".class");
          if (COMMAND_CLASS.matcher(entry.getName()).find()
              || isClass && COMMAND_CLASS.matcher(content).find()) {
            found.add(entry.getName());
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void noClassIsInBothJars() throws IOException {
    List<String> both = entries(CLUSTER);
    both.retainAll(entries(COMMAND));

    assertThat(both).allMatch(name -> name.startsWith("META-INF/"));
  }

  @ParameterizedTest
  @MethodSource("jars")
  void containsOnlyOurFiles(Path path) throws IOException {
    List<String> foreign =
        entries(path).stream()
            .filter(name -> !name.startsWith("org/stripeline/"))
            // The raw coders must be in Hadoop's package because Hadoop's base classes are
            // package-private.
            .filter(name -> !name.startsWith("org/apache/hadoop/io/erasurecode/rawcoder/"))
            // The part of the pipelines that accesses internals of the HDFS client is in its
            // packages too.
            .filter(name -> !name.matches("org/apache/hadoop/hdfs/[^/]+\\.class"))
            .filter(name -> !name.equals("org/apache/hadoop/fs/StripelineHdfs.class"))
            .filter(name -> !name.equals("org/apache/hadoop/fs/LocatedStatuses.class"))
            // So are the plug-ins of the servers, which access internals of DataNode and NameNode.
            .filter(name -> !name.matches("org/apache/hadoop/hdfs/server/(datanode|.*impl)/[^/]+"))
            .filter(name -> !name.matches("org/apache/hadoop/hdfs/server/blockmanagement/[^/]+"))
            .filter(name -> !name.startsWith("native/linux-"))
            .filter(
                name ->
                    !name.matches(
                        "META-INF/(MANIFEST\\.MF|LICENSE|NOTICE|THIRD-PARTY-LICENSES"
                            + "|services/.+)"))
            .collect(Collectors.toList());

    assertThat(foreign).isEmpty();
  }

  private static List<Path> jars() {
    return Arrays.asList(CLUSTER, COMMAND);
  }

  @ParameterizedTest
  @MethodSource("jars")
  void hidesNoClassOfHadoop(Path path) throws IOException {
    List<String> hidden =
        entries(path).stream()
            .filter(name -> name.startsWith("org/apache/") && name.endsWith(".class"))
            .filter(name -> hadoopHas(name))
            .collect(Collectors.toList());

    assertThat(hidden).isEmpty();
  }

  private static boolean hadoopHas(String className) {
    URL found = Configuration.class.getClassLoader().getResource(className);
    // The module's own classes are on the class path of this test too, but in directories or our
    // jars.
    return found != null && HADOOP_JAR.matcher(found.toString()).find();
  }

  /** A library's class that the build leaves out fails only when a command first needs it. */
  @ParameterizedTest
  @MethodSource("jars")
  void everyClassThatIsReferredToExists(Path path) throws IOException {
    String hadoop = Files.readString(ROOT.resolve("build/classpath/hadoop.txt")).trim();
    StringWriter report = new StringWriter();
    ToolProvider.findFirst("jdeps")
        .get()
        .run(
            new PrintWriter(report),
            new PrintWriter(report),
            "--missing-deps",
            "--multi-release=base",
            "--class-path=" + CLUSTER + File.pathSeparator + hadoop,
            path.toString());

    assertThat(report.toString().split("\n"))
        .filteredOn(line -> line.matches(" +\\S+ +-> .*"))
        .isEmpty();
    assertThat(report.toString()).doesNotContain("Error:");
  }

  @ParameterizedTest
  @MethodSource("jars")
  void runsOnJava8(Path path) throws IOException {
    List<String> newer = new ArrayList<>();
    try (JarFile jar = new JarFile(path.toFile())) {
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
    List<String> services = new ArrayList<>();
    for (Path path : jars()) {
      entries(path).stream()
          .filter(name -> name.startsWith("META-INF/services/"))
          .forEach(services::add);
    }

    assertThat(services)
        .containsExactly(
            "META-INF/services/org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory");
    assertThat(text(CLUSTER, services.get(0)).trim().split("\\s+"))
        .containsExactlyInAnyOrder(
            "org.stripeline.coder.RsCoderFactory",
            "org.stripeline.coder.RsLegacyCoderFactory",
            "org.stripeline.coder.XorCoderFactory");
  }

  @Test
  void carriesTheNativeLibrariesThatWereBuilt() throws IOException {
    List<String> entries = entries(CLUSTER);
    for (String platform : new String[] {"linux-x86_64", "linux-aarch64"}) {
      String library = platform + "/libstripeline_jni.so";
      if (Files.exists(ROOT.resolve("build/native").resolve(library))) {
        assertThat(entries).contains("native/" + library);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("jars")
  void manifestNamesTheProduct(Path path) throws IOException {
    try (JarFile jar = new JarFile(path.toFile())) {
      Attributes attributes = jar.getManifest().getMainAttributes();
      assertThat(attributes.getValue("Implementation-Version")).isEqualTo(Release.version());
      assertThat(attributes.getValue("Main-Class"))
          .isEqualTo(path.equals(COMMAND) ? "org.stripeline.cli.Stripeline" : null);
    }
  }

  /** {@code scripts/third-party.py check} compares these files with the dependencies. */
  @ParameterizedTest
  @MethodSource("jars")
  void carriesTheLicencesOfAllThatItContains(Path path) throws IOException {
    String name = path.equals(COMMAND) ? "stripeline-cli" : "stripeline";
    assertThat(text(path, "META-INF/LICENSE")).isEqualTo(ours("LICENSE"));
    assertThat(text(path, "META-INF/NOTICE"))
        .isEqualTo(ours("NOTICE"))
        .contains("\n  gson ", "\n  picocli ", "\n  nix ", "\n  libloading ");
    String licences = text(path, "META-INF/THIRD-PARTY-LICENSES");
    assertThat(licences).isEqualTo(ours("licenses/" + name + ".txt"));
    if (path.equals(CLUSTER)) {
      assertThat(licences).contains("Permission is hereby granted, free of charge", "ISC", "nix");
    } else {
      assertThat(licences).doesNotContain("nix").contains(licenceOfHdrHistogram());
    }
  }

  private static String licenceOfHdrHistogram() throws IOException {
    URL library = Histogram.class.getProtectionDomain().getCodeSource().getLocation();
    return text(Paths.get(library.getPath()), "META-INF/LICENSE.txt").trim();
  }

  private static String ours(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }

  private static List<String> entries(Path path) throws IOException {
    try (JarFile jar = new JarFile(path.toFile())) {
      return Collections.list(jar.entries()).stream()
          .filter(entry -> !entry.isDirectory())
          .map(JarEntry::getName)
          .collect(Collectors.toList());
    }
  }

  private static String text(Path path, String name) throws IOException {
    try (JarFile jar = new JarFile(path.toFile());
        InputStream in = jar.getInputStream(jar.getJarEntry(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
