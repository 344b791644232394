// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.Leftovers;

/** The bench on a cluster that is not its own. */
@Timeout(300)
@Tag("full")
class RunningClusterTest {
  private static final String POLICY = "RS-3-2-64k";

  private static IoCluster cluster;

  @TempDir java.nio.file.Path directory;

  /** The command that was run last. */
  private CommandRun last;

  @BeforeAll
  static void start(@TempDir java.nio.file.Path shared) throws Exception {
    cluster = IoCluster.start(shared.resolve("cluster"), 5, Collections.emptyMap());
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** Deletes and creates the directory, and disables the policy if a test has enabled it. */
  @BeforeEach
  void prepare() throws Exception {
    cluster.fs().delete(new Path("/users"), true);
    cluster.fs().mkdirs(new Path("/users/files"));
    cluster.fs().create(new Path("/users/files/one")).close();
    for (ErasureCodingPolicyInfo info : cluster.fs().getAllErasureCodingPolicies()) {
      if (info.getPolicy().getName().equals(POLICY) && info.isEnabled()) {
        cluster.fs().disableErasureCodingPolicy(POLICY);
      }
    }
  }

  private List<String> arguments(String... more) throws Exception {
    List<String> arguments = new ArrayList<>(Arrays.asList("bench", "io", "--json"));
    arguments.add("--policies=" + POLICY);
    arguments.add("--dir=" + directory.resolve("work"));
    arguments.add("--conf=" + cluster.status().clientConfiguration);
    arguments.addAll(Arrays.asList(more));
    return arguments;
  }

  private int run(String... more) throws Exception {
    List<String> arguments = arguments(more);
    arguments.add("--quick");
    return execute(arguments);
  }

  private int execute(List<String> arguments) {
    last = CommandRun.of(LabMain.commandLine(), arguments);
    return last.status();
  }

  /** Begins the bench in a process of its own. */
  private Process begin(List<String> arguments) throws Exception {
    return ChildJvm.of(Collections.emptyList(), Collections.emptyList(), LabMain.class, arguments)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("bench.txt").toFile())
        .start();
  }

  private String[] names(String path) throws Exception {
    return Arrays.stream(cluster.fs().listStatus(new Path(path)))
        .map(status -> status.getPath().getName())
        .toArray(String[]::new);
  }

  @Test
  void filesAreInADirectoryOfTheirOwnThatIsDeleted() throws Exception {
    String contestants = "--contestants=3-rep,rs_java,functional-partitioned";
    assertThat(run("--path=/users", contestants, "--operations=write,read"))
        .as("%s", last)
        .isEqualTo(ExitStatus.SOUND);
    JsonObject report = JsonParser.parseString(last.out()).getAsJsonObject();
    assertThat(report.getAsJsonArray("rows")).hasSize(2);
    assertThat(report.getAsJsonObject("leftOut").get("rs_java").getAsString())
        .contains(POLICY, "does not match any enabled");
    assertThat(names("/users")).containsExactly("files");

    cluster.enable(IoSettings.policy(POLICY));
    assertThat(run("--path=/users", contestants)).as("%s", last).isEqualTo(ExitStatus.SOUND);
    report = JsonParser.parseString(last.out()).getAsJsonObject();
    assertThat(report.getAsJsonArray("rows")).hasSize(3 * 4);
    assertThat(report.getAsJsonObject("leftOut").entrySet()).isEmpty();
    assertThat(report.get("bytesVerified").getAsLong()).isPositive();
    JsonObject row = report.getAsJsonArray("rows").get(0).getAsJsonObject();
    assertThat(row.get("serverCpuSecondsPerGib").isJsonNull()).isTrue();
    assertThat(names("/users")).containsExactly("files");
    assertThat(names("/users/files")).containsExactly("one");

    assertThat(run("--path=/users/files/one", contestants)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains("/users/files/one", "it is not a directory");
  }

  @Test
  void filesOfAnErasureCodedDirectoryAreReplicatedIfAsked() throws Exception {
    cluster.enable(IoSettings.policy(POLICY));
    cluster.fs().setErasureCodingPolicy(new Path("/users"), POLICY);
    String address = cluster.inside().get("dn5").split(":")[0];
    cluster.kill("dn5");
    try {
      // Only writing, because a DataNode that has just been killed may still be chosen.
      assertThat(run("--path=/users", "--contestants=3-rep,rs_java", "--operations=write"))
          .as("%s", last)
          .isEqualTo(ExitStatus.SOUND);
    } finally {
      cluster.restart("dn5");
      cluster.awaitHeartbeat(address);
    }
    JsonObject report = JsonParser.parseString(last.out()).getAsJsonObject();
    assertThat(report.getAsJsonObject("leftOut").get("rs_java").getAsString())
        .isEqualTo("HDFS stores a file on 4 DataNodes, not on 5");
    assertThat(report.getAsJsonArray("rows")).hasSize(1);
  }

  @Test
  void clientsHaveNoSettingsOfContestantsFromTheUsersFiles() throws Exception {
    cluster.enable(IoSettings.policy(POLICY));
    java.nio.file.Path own = Files.createDirectory(directory.resolve("own conf"));
    java.nio.file.Path conf = java.nio.file.Path.of(cluster.status().clientConfiguration);
    Files.copy(conf.resolve("hdfs-site.xml"), own.resolve("hdfs-site.xml"));
    String site = Files.readString(conf.resolve("core-site.xml"));
    String off =
        "<property><name>stripeline.client.read.enabled</name><value>false</value></property>";
    Files.writeString(
        own.resolve("core-site.xml"), site.replace("</configuration>", off + "</configuration>"));
    List<String> arguments =
        arguments("--path=/users", "--contestants=functional-partitioned", "--operations=read");
    arguments.add("--quick");
    arguments.removeIf(argument -> argument.startsWith("--conf="));
    arguments.add("--conf=" + own);
    assertThat(execute(arguments)).as("%s", last).isEqualTo(ExitStatus.SOUND);
    JsonObject report = JsonParser.parseString(last.out()).getAsJsonObject();
    assertThat(report.getAsJsonArray("notes")).isEmpty();
    JsonObject row = report.getAsJsonArray("rows").get(0).getAsJsonObject();
    assertThat(Judge.isOurStream(row.get("stream").getAsString())).isTrue();
  }

  @Test
  void aNameNodeThatRefusesTheDirectoryIsNamedAsTheReason() throws Exception {
    cluster.fs().setSafeMode(HdfsConstants.SafeModeAction.SAFEMODE_ENTER);
    try {
      assertThat(run("--path=/users", "--contestants=3-rep")).isEqualTo(ExitStatus.UNCHECKED);
    } finally {
      cluster.fs().setSafeMode(HdfsConstants.SafeModeAction.SAFEMODE_LEAVE);
    }
    assertThat(last.err()).contains("Cannot create hdfs://", "safe mode");
    assertThat(names("/users")).containsExactly("files");
  }

  @Test
  void aSignalDeletesTheDirectory() throws Exception {
    List<String> arguments =
        arguments("--path=/users", "--contestants=3-rep", "--operations=write,read", "--size=1GiB");
    Process bench = begin(arguments);
    try {
      Path written = new Path("/users/stripeline-bench-*/*/*/write-0");
      while (bench.isAlive() && cluster.fs().globStatus(written).length == 0) {
        Thread.sleep(20);
      }
      assertThat(bench.isAlive()).as("it is writing").isTrue();
    } finally {
      bench.destroy();
      bench.waitFor();
    }
    assertThat(names("/users")).containsExactly("files");
    assertThat(directory.resolve("work")).doesNotExist();
    assertThat(Leftovers.processes(directory.resolve("work"))).isEmpty();
  }

  @Test
  void aSignalLeavesAnEarlierRecord() throws Exception {
    java.nio.file.Path record = Files.createDirectory(directory.resolve("record"));
    Files.writeString(record.resolve("io.json"), "earlier");
    List<String> arguments =
        arguments("--path=/users", "--contestants=3-rep", "--operations=write", "--size=16MiB");
    arguments.addAll(List.of("--repetitions=500", "--record=" + record));
    Process bench = begin(arguments);
    try {
      while (bench.isAlive()
          && !Files.readString(directory.resolve("bench.txt")).contains("MiB/s")) {
        Thread.sleep(20);
      }
      assertThat(bench.isAlive()).as("it is measuring").isTrue();
    } finally {
      bench.destroy();
    }
    assertThat(bench.waitFor()).isEqualTo(143);
    assertThat(record.resolve("io.json")).hasContent("earlier");
  }

  @Test
  void aClusterWithTooLittleSpaceIsRefused() throws Exception {
    List<String> arguments = arguments("--path=/users", "--contestants=3-rep", "--size=1024TiB");
    assertThat(execute(arguments)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains("Cannot measure: the files take 6442451");
    assertThat(names("/users")).containsExactly("files");
  }

  @Test
  void whatNeedsAClusterOfItsOwnIsRefused() throws Exception {
    assertThat(run("--path=/users", "--operations=read-dead1")).isEqualTo(ExitStatus.USAGE);
    assertThat(run("--path=/users", "--shaped=1000")).isEqualTo(ExitStatus.USAGE);
    assertThat(run("--path=/users", "--enforce")).isEqualTo(ExitStatus.USAGE);
    assertThat(run("--path=users")).isEqualTo(ExitStatus.USAGE);
    assertThat(run()).as("without --path").isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains("--conf and --path need each other");
    assertThat(run("--path=/none")).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains("/none");
    assertThat(names("/users")).containsExactly("files");
  }
}
