// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.stripeline.cli.Stripeline;
import org.stripeline.terminal.Release;
import org.stripeline.testkit.Conditions;
import picocli.CommandLine;

/** Tests the shell script in a working copy, in an installation, and with parts missing. */
class LauncherTest extends LauncherCase {
  @Test
  void runsFromAWorkingCopyThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), SCRIPT);

    run(link, "version");
    assertThat(err).isEmpty();
    assertThat(status).isZero();
    assertThat(out).startsWith("stripeline " + Release.version());
  }

  @Test
  void aResultThatCannotBeWrittenIsNoSuccess() throws Exception {
    run(Files.writeString(temporary.resolve("full.sh"), SCRIPT + " version >/dev/full\n"));
    assertThat(status).isEqualTo(3);
    assertThat(err).contains("Cannot write to standard output");
  }

  /** Each line is arguments, exit status and a part of the output. */
  private static final String[] EVERY_COMMAND = {
    "bench codec -- --list|3|Cannot run the bench: ",
    "bench engine -- --list|3|Cannot run the bench: ",
    "bench io --quick --dir=small.json|2|Cannot use small.json: it is not a directory",
    "bench convert --quick --dir=small.json|2|Cannot use small.json: it is not a directory",
    "bench scrub --quick --dir=small.json|2|Cannot use small.json: it is not a directory",
    "bench java --rounds=0|2|Cannot measure 0 rounds",
    "cluster start --dir=small.json|2|small.json: it is not a directory",
    "cluster status --dir=none|3|Cannot find cluster",
    "cluster stop --dir=none|0|No cluster runs in",
    "cluster add-datanode --dir=none|1|Cannot reach cluster: none runs in",
    "cluster start-datanode --dir=none dn1|1|Cannot reach cluster: none runs in",
    "cluster stop-datanode --dir=none dn1|1|Cannot reach cluster: none runs in",
    "cluster set --dir=none a=b|1|Cannot reach cluster: none runs in",
    "convert hdfs://127.0.0.1:1/a --policy=RS-6-3|3|Connection refused",
    "demo --dir=small.json|2|Cannot use small.json: it is not a directory",
    "doctor|1|self test      passed",
    "evaluate --trial --only=programs --dir=evaluation|3|it is in checkouts only",
    "hdfs dfs -ls /|3|no cluster is configured",
    "help plan|0|Usage: stripeline plan",
    "plan hdfs://127.0.0.1:1/a|3|Connection refused",
    "repair hdfs://127.0.0.1:1/a|3|Connection refused",
    "scrub hdfs://127.0.0.1:1/a|3|Connection refused",
    "simulate small.json|0|encode s",
    "status hdfs://127.0.0.1:1|3|Connection refused",
    "tune --rails=cpu --seconds=0.1|0|written to stripeline-tuning.toml",
    "version|0|hadoop ",
  };

  /** The build's class path would hide a class that the packaged jars lack. */
  @Test
  @Tag("full")
  void everyCommandRunsWithTheClassesOfAnInstallation() throws Exception {
    useHadoop();
    environment.put("STRIPELINE_JAVA_OPTS", SHORT_LIVED);
    Path script = install();
    smallSimulation();
    Set<String> missing = leaves("", Stripeline.commandLine());
    SoftAssertions results = new SoftAssertions();
    for (String line : EVERY_COMMAND) {
      String[] parts = line.split("\\|");
      missing.removeIf(name -> (parts[0] + " ").startsWith(name + " "));
      run(script, parts[0].split(" "));
      results
          .assertThat(status)
          .as("%s%n%s%s", parts[0], out, err)
          .isEqualTo(Integer.parseInt(parts[1]));
      results
          .assertThat(out + err)
          .as(parts[0])
          .contains(parts[2])
          .doesNotContain("NoClassDefFound");
    }
    results.assertAll();
    assertThat(missing).as("commands that no line runs").isEmpty();
  }

  /** Writes small.json into the working directory of the commands. */
  private Path smallSimulation() throws IOException {
    Path small = Files.createDirectories(temporary.resolve("empty")).resolve("small.json");
    String text =
        "{'title': 'Small', 'about': 'A test.', 'base': 'dsn2015', 'seeds': 1, 'policies': ['ear'],"
            + "'variants': [{'label': 'one', 'set': {'stripes': 20}}]}";
    return Files.writeString(small, text.replace('\'', '"'));
  }

  /** Returns the commands that have no commands below them. */
  private static Set<String> leaves(String name, CommandLine line) {
    Set<String> leaves = new TreeSet<>();
    line.getSubcommands().forEach((word, below) -> leaves.addAll(leaves(name + " " + word, below)));
    return leaves.isEmpty() ? new TreeSet<>(Set.of(name.trim())) : leaves;
  }

  @Test
  void anOptionOfJavaThatIsWrongIsNotAProblemFound() throws Exception {
    for (String option : new String[] {"-Xmx4q", "NoSuchClass"}) {
      environment.put("STRIPELINE_JAVA_OPTS", "-Da=b " + option);
      run(SCRIPT, "doctor");
      assertThat(status).isEqualTo(3);
      assertThat(err).contains("STRIPELINE_JAVA_OPTS is '-Da=b " + option + "'").contains(option);
    }
  }

  @Test
  void commandsThatWaitForServersRunWithoutTheOptimizingCompiler() throws Exception {
    Path java = executable(temporary.resolve("jdk/bin/java"), "echo \"$*\"");
    Path home = java.getParent().getParent();
    Files.write(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n".getBytes());
    environment.put("JAVA_HOME", home.toString());
    environment.put("STRIPELINE_JAVA_OPTS", "-XX:TieredStopAtLevel=4");
    for (String command : new String[] {"scrub", "repair", "status"}) {
      run(SCRIPT, command);
      assertThat(out).contains("-XX:TieredStopAtLevel=1 -XX:TieredStopAtLevel=4 org.stripeline.");
    }
    run(SCRIPT, "plan", "scrub");
    assertThat(out).contains(" plan scrub").doesNotContain("-XX:TieredStopAtLevel=1");
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
    useHadoop();

    run(script, "version");
    assertThat(err).isEmpty();
    assertThat(out).contains("hadoop     " + Release.hadoopVersion());
  }

  /** The installation page tells operators to set properties in these ways. */
  @Test
  void passesThePropertiesOfHadoopsOptions() throws Exception {
    Path home = useHadoop();
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
    assertThat(err.split("\n"))
        .filteredOn(line -> !line.contains("Log messages with details"))
        .singleElement()
        .asString()
        .contains("pure-Java erasure coding");
    assertThat(out)
        .contains("-Dstripeline.native.path=/of/env.so -Djava.library.path=" + home + "/lib/native")
        .contains("correct -Dstripeline.native.path")
        .contains("of DataNodes only: -Dstripeline.native.temp-dir=/data");

    environment.put("STRIPELINE_JAVA_OPTS", "-Dstripeline.native.path=/of/user.so");
    run(SCRIPT, "doctor");
    assertThat(out).contains("/of/user.so").contains("correct -Dstripeline.native.path");
  }

  /** The link is that of a package, in /usr/bin. */
  @Test
  void someCommandsNeedNoHadoop() throws Exception {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), install());
    run(link, "version");
    assertThat(err).isEmpty();
    assertThat(status).isZero();
    assertThat(out).contains("stripeline " + Release.version(), "hadoop     no Hadoop");
    run(link, "--help");
    assertThat(err).isEmpty();
    assertThat(out).contains("  simulate ");
    Path small = smallSimulation();
    run(link, "simulate", small.toString());
    assertThat(status).as(err).isZero();
    assertThat(out).contains("encode s");
    run(link, "tune", "--rails=cpu", "--seconds=0.1");
    assertThat(status).as(err).isZero();
    assertThat(out + err).contains("written to stripeline-tuning.toml").doesNotContain("SLF4J");
    run(link, "no-such-command");
    assertThat(status).isEqualTo(2);
  }

  @Test
  @Tag("full")
  void helpOfEveryCommandNeedsNoHadoop() throws Exception {
    Path script = install();
    for (String command : leaves("", Stripeline.commandLine())) {
      run(script, (command + " --help").split(" "));
      assertThat(err).as(command).isEmpty();
      assertThat(status).as(command).isZero();
      assertThat(out).contains("Usage: stripeline " + command);
    }
  }

  @Test
  void saysThatHadoopIsMissing() throws Exception {
    run(install(), "convert", "/a", "--policy=RS-6-3");
    assertThat(status).isEqualTo(3);
    assertThat(err)
        .isEqualTo(
            "stripeline: Cannot find Hadoop, which 'convert' needs:"
                + " set HADOOP_HOME or put hadoop on PATH\n");

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
  void jpsListsTheCommandByItsName() throws Exception {
    Path jps = Paths.get(System.getProperty("java.home"), "bin", "jps");
    assumeTrue(Files.exists(jps), "a JDK runs the tests");
    Path pipe = temporary.resolve("pipe.json");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    // The command waits for what it reads, and the script becomes its JVM.
    Process command = start(SCRIPT, "simulate", pipe.toString());
    try {
      Conditions.await(
          "jps to list the command",
          () -> {
            Process list = new ProcessBuilder(jps.toString()).start();
            String[] lines = new String(list.getInputStream().readAllBytes()).split("\n");
            return Arrays.asList(lines).contains(command.pid() + " Stripeline");
          });
    } finally {
      command.destroyForcibly().waitFor();
    }
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
}
