// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.terminal.Release;

/** Tests the shell script in a working copy, in an installation, and with parts missing. */
class LauncherTest {
  private static final Path ROOT = Paths.get(System.getProperty("stripeline.root")).normalize();
  private static final Path SCRIPT = ROOT.resolve("stripeline");

  @TempDir Path temporary;

  private final Map<String, String> environment = new TreeMap<>();
  private int status;
  private String out;
  private String err;

  @BeforeEach
  void startFromAPlainEnvironment() {
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("HOME", temporary.toString());
  }

  @Test
  void runsFromAWorkingCopyThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), SCRIPT);

    run(link, "version");
    assertThat(err).isEmpty();
    assertThat(status).isZero();
    assertThat(out).startsWith("stripeline " + Release.version());
  }

  /** Follows the first steps of the README, which need only this working copy. */
  @Test
  void runsHadoopsShellOnAClusterFromAnEmptyDirectory() throws Exception {
    String directory = "--dir=" + temporary.resolve("cluster");
    Path local = Files.write(temporary.resolve("local"), new byte[5_000_000]);
    run(SCRIPT, "hdfs", "dfs", "-ls", "/");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("no cluster is configured; set HADOOP_CONF_DIR");
    run(SCRIPT, "cluster", "start", directory, "--datanodes=5");
    assertThat(status).as(err).isZero();
    try {
      String configuration = temporary.resolve("cluster/conf-stripeline").toString();
      assertThat(out).contains("Use it with: export HADOOP_CONF_DIR=" + configuration);
      environment.put("HADOOP_CONF_DIR", configuration);
      hdfs("dfs", "-mkdir", "-p", "/data");
      hdfs("ec", "-setPolicy", "-path", "/data", "-policy", "RS-3-2-1024k");
      hdfs("dfs", "-put", local.toString(), "/data");
      hdfs("dfs", "-get", "/data/local", temporary.resolve("back").toString());
      assertThat(temporary.resolve("back")).hasSameBinaryContentAs(local);
      hdfs("fsck", "/data");
      assertThat(out).contains("is HEALTHY");
      run(SCRIPT, "hdfs", "dfs", "-cat", "/no/such/file");
      assertThat(status).isEqualTo(1);
      assertThat(err).contains("No such file");
    } finally {
      run(SCRIPT, "cluster", "stop", directory);
    }
    environment.put("HADOOP_CONF_DIR", "/nowhere");
    run(SCRIPT, "hdfs", "dfs", "-ls", "/");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("HADOOP_CONF_DIR is /nowhere, where /nowhere/core-site.xml");
  }

  /** Without a cluster, Hadoop's commands would operate on the local disk. */
  @Test
  void hadoopsCommandsNeedAConfigurationThatNamesACluster() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("conf"));
    Path site = directory.resolve("core-site.xml");
    environment.put("HADOOP_CONF_DIR", directory.toString());
    Files.write(site, "<configuration></configuration>".getBytes());
    run(SCRIPT, "hdfs", "dfs", "-ls", "/");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains(site + " does not set fs.defaultFS");
    assertThat(out).isEmpty();
    Files.write(site, "<configuration><prop".getBytes());
    run(SCRIPT, "hdfs", "fsck", "/");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("the configuration in " + directory + " cannot be read");
    assertThat(err).doesNotContain("\tat ");
  }

  private void hdfs(String... words) throws Exception {
    String[] arguments = new String[words.length + 1];
    arguments[0] = "hdfs";
    System.arraycopy(words, 0, arguments, 1, words.length);
    run(SCRIPT, arguments);
    assertThat(status).as(err).isZero();
  }

  @Test
  void passesOnExitStatusAndArguments() throws Exception {
    run(SCRIPT, "cluster", "status", "--dir=" + temporary.resolve("a b"));
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("a b holds none");
    run(SCRIPT, "no-such-command");
    assertThat(status).isEqualTo(2);
  }

  @Test
  void runsFromAnInstallationWithTheHadoopThatIsNamed() throws Exception {
    Path script = install();
    Path hadoop =
        executable(
            temporary.resolve("hadoop/bin/hadoop"),
            "[ \"$*\" = 'classpath --glob' ] && cat " + ROOT.resolve("build/classpath/hadoop.txt"));
    environment.put("HADOOP_HOME", hadoop.getParent().getParent().toString());

    run(script, "version");
    assertThat(err).isEmpty();
    assertThat(out).contains("hadoop     " + Release.hadoopVersion());
  }

  /** The installation page tells operators to set properties in these ways. */
  @Test
  void passesThePropertiesOfHadoopsOptions() throws Exception {
    Path hadoop =
        executable(
            temporary.resolve("hadoop/bin/hadoop"),
            "[ \"$*\" = 'classpath --glob' ] && cat " + ROOT.resolve("build/classpath/hadoop.txt"));
    Path home = hadoop.getParent().getParent();
    environment.put("HADOOP_HOME", home.toString());
    environment.put("HADOOP_OPTS", "-Dstripeline.native.enabled=false");
    run(SCRIPT, "doctor");
    assertThat(out)
        .contains("options        -Dstripeline.native.enabled=false")
        .contains(
            "library        pure Java: Cannot load native library: stripeline.native.enabled");

    environment.remove("HADOOP_OPTS");
    Files.createDirectories(home.resolve("lib/native"));
    Path etc = Files.createDirectories(home.resolve("etc/hadoop"));
    Files.write(
        etc.resolve("hadoop-env.sh"),
        Arrays.asList(
            "echo noise; no_such_function; cat",
            "export HADOOP_OPTS=\"$HADOOP_OPTS -Dstripeline.native.path=/of/env.so -Xmx1k\"",
            "export HADOOP_CLIENT_OPTS='-Dcom.sun.management.jmxremote.port=1 -Da=*'",
            "export HDFS_DATANODE_OPTS='-Xms9g -Dstripeline.native.temp-dir=/data'"));
    run(SCRIPT, "doctor");
    assertThat(err.split("\n")).singleElement().asString().contains("pure-Java erasure coding");
    assertThat(out)
        .contains("-Dstripeline.native.path=/of/env.so -Djava.library.path=" + home + "/lib/native")
        .contains("correct -Dstripeline.native.path")
        .contains("of DataNodes only: -Dstripeline.native.temp-dir=/data");

    environment.put("STRIPELINE_JAVA_OPTS", "-Dstripeline.native.path=/of/user.so");
    run(SCRIPT, "doctor");
    assertThat(out).contains("/of/user.so").contains("correct -Dstripeline.native.path");
  }

  @Test
  void saysThatHadoopIsMissing() throws Exception {
    run(install(), "version");
    assertThat(status).isEqualTo(3);
    assertThat(err)
        .isEqualTo("stripeline: Cannot find Hadoop: set HADOOP_HOME or put hadoop on PATH\n");

    environment.put("HADOOP_HOME", "/nowhere");
    run(install(), "version");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("HADOOP_HOME is /nowhere, which has no bin/hadoop");
  }

  @Test
  void saysThatNothingIsBuilt() throws Exception {
    Path script = temporary.resolve("copy/stripeline");
    Files.createDirectories(script.resolveSibling("java"));
    Files.createFile(script.resolveSibling("java").resolve("pom.xml"));
    Files.copy(SCRIPT, script);

    run(script, "version");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("Cannot find the jars: run 'make");
  }

  @Test
  void saysThatJavaIsMissingOrTooOld() throws Exception {
    environment.put("JAVA_HOME", "/nowhere");
    run(SCRIPT, "version");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("JAVA_HOME is /nowhere, which has no bin/java");

    Path java = executable(temporary.resolve("java7/bin/java"), "exit 1");
    Path home = java.getParent().getParent();
    Files.write(home.resolve("release"), "JAVA_VERSION=\"1.7.0_80\"\n".getBytes());
    environment.put("JAVA_HOME", home.toString());
    run(SCRIPT, "version");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("Cannot run with Java 7").contains("set JAVA_HOME to Java 8");

    environment.remove("JAVA_HOME");
    environment.put("PATH", onlyTools().toString());
    run(SCRIPT, "version");
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("Cannot find Java: set JAVA_HOME or put java on PATH");
  }

  @Test
  void asksJavaItselfWhenItHasNoReleaseFile() throws Exception {
    Path java =
        executable(
            temporary.resolve("java6/bin/java"),
            "echo 'java version \"1.6.0_45\"' >&2; echo 'more' >&2");
    environment.put("JAVA_HOME", java.getParent().getParent().toString());

    run(SCRIPT, "version");
    assertThat(err).contains("Cannot run with Java 6");
  }

  /** Returns a directory with the few programs that the script itself uses, without Java. */
  private Path onlyTools() throws IOException {
    Path tools = Files.createDirectories(temporary.resolve("tools"));
    for (String tool : new String[] {"bash", "dirname", "readlink", "env"}) {
      Files.createSymbolicLink(tools.resolve(tool), Paths.get("/usr/bin", tool));
    }
    return tools;
  }

  private Path install() throws IOException {
    Path home = temporary.resolve("installation");
    if (!Files.exists(home)) {
      Files.createDirectories(home.resolve("bin"));
      Files.createDirectories(home.resolve("lib"));
      Files.copy(SCRIPT, home.resolve("bin/stripeline"));
      for (String name : new String[] {"stripeline-", "stripeline-cli-"}) {
        String jar = name + Release.version() + ".jar";
        Files.copy(ROOT.resolve("java/cli/target").resolve(jar), home.resolve("lib").resolve(jar));
      }
    }
    return home.resolve("bin/stripeline");
  }

  private static Path executable(Path path, String body) throws IOException {
    Files.createDirectories(path.getParent());
    Files.write(path, ("#!/bin/sh\n" + body + "\n").getBytes());
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    return path;
  }

  private void run(Path script, String... arguments) throws Exception {
    Path outFile = temporary.resolve("out");
    Path errFile = temporary.resolve("err");
    ProcessBuilder builder = new ProcessBuilder("/usr/bin/bash", script.toString());
    builder.command().addAll(Arrays.asList(arguments));
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.directory(Files.createDirectories(temporary.resolve("empty")).toFile());
    builder.redirectOutput(outFile.toFile()).redirectError(errFile.toFile());
    Process process = builder.start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    status = process.exitValue();
    out = new String(Files.readAllBytes(outFile));
    err = new String(Files.readAllBytes(errFile));
  }
}
