// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;

/** Tests starts that cannot succeed, and starter processes that end. */
@Timeout(180)
class ClusterFailureTest {
  @TempDir Path temporary;

  @Test
  void aUsedPortIsNamedAndAnotherPortWorks() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      ClusterOptions options = small().port(taken.getLocalPort()).build();
      assertThatThrownBy(() -> ClusterProcess.start(temporary, options))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("Cannot start cluster: port " + taken.getLocalPort())
          .hasMessageContaining("name others with --port and --web-port")
          .hasMessageContaining("cluster.log");
      assertThat(ClusterProcess.find(temporary)).isEmpty();

      ClusterProcess cluster = ClusterProcess.start(temporary, small().build());
      try {
        assertThat(cluster.client().status().datanodes).hasSize(1);
        // The cluster is still a new one, which gets all policies.
        try (DistributedFileSystem fs = ClusterLifecycleTest.files(cluster)) {
          assertThat(fs.getAllErasureCodingPolicies())
              .hasSize(5)
              .allMatch(info -> info.isEnabled());
        }
      } finally {
        cluster.stop();
      }
    }
    assertThat(temporary.resolve("run").toFile().list())
        .noneMatch(name -> name.startsWith("plan") || name.startsWith("state"));
  }

  @Test
  void aSettingThatHadoopRefusesShowsTheLog() {
    ClusterOptions options = small().setting("dfs.namenode.http-address", "nonsense").build();

    assertThatThrownBy(() -> ClusterProcess.start(temporary, options))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("nonsense")
        .hasMessageContaining("end of " + temporary.resolve("log/cluster.log"))
        .hasMessageContaining("at org.apache.hadoop");
  }

  @Test
  void aDiskOnWhichHdfsWouldWriteNothingIsRefused() throws Exception {
    Path place = temporary.resolve("full").resolve("cluster");
    // More than any disk has.
    String reserved = "dfs.datanode.du.reserved=4096t";

    CommandRun run =
        CommandRun.of(
            LabMain.commandLine(), "cluster", "start", "--dir=" + place, "--set", reserved);

    assertThat(run.require(ExitStatus.FAILED).err())
        .contains("Cannot start cluster in " + place)
        .contains("free, and HDFS writes no block with less than")
        .contains((4096L << 40) + (128L << 20) + " bytes: dfs.datanode.du.reserved")
        .contains("name a directory on another disk with --dir");
    assertThat(place.getParent()).doesNotExist();
    // Its files could still be read.
    Files.createDirectories(place);
    Files.write(place.resolve("cluster.json"), new byte[0]);
    new ClusterDirectory(place)
        .requireSpace(Collections.singletonMap("dfs.datanode.du.reserved", "4096t"));
  }

  /** A Hadoop client's directory may hold nothing but conf, or conf, log and run. */
  @Test
  void aDirectoryWithTheConfigurationOfOthersIsRefused() throws Exception {
    for (String theirs : new String[] {"conf/core-site.xml", "log/hdfs.log", "run/hdfs.pid"}) {
      Path foreign = temporary.resolve(theirs.replace('/', '-'));
      Path file = foreign.resolve(theirs);
      Files.createDirectories(file.getParent());
      Files.write(file, new byte[] {1, 2});

      // Without a process of the cluster, which would be left if this accepted the directory.
      assertThatThrownBy(() -> new ClusterDirectory(foreign).prepare())
          .isInstanceOfSatisfying(
              CommandException.class,
              refused -> assertThat(refused.exitStatus()).isEqualTo(ExitStatus.USAGE))
          .hasMessageContaining("it contains other files and no cluster");
      assertThat(foreign.toFile().list()).hasSize(1);
      assertThat(file).hasBinaryContent(new byte[] {1, 2});
    }
  }

  @Test
  void anInterruptedFirstStartCanBeRepeated() throws Exception {
    ClusterDirectory directory = new ClusterDirectory(temporary);
    directory.prepare();
    for (String left :
        new String[] {
          "log/cluster.log",
          "run/lock",
          "run/hosts",
          "run/log4j.properties",
          "run/hadoop-metrics2.properties",
          "run/plan1.json",
          "run/plan1.json2.new"
        }) {
      Files.createFile(temporary.resolve(left));
    }
    directory.prepare();
  }

  /** A process id says nothing in another container; the lock shows whether a cluster runs. */
  @Test
  void aClusterInAnotherContainerIsNotTakenForAStoppedOne() throws Exception {
    ClusterDirectory directory = new ClusterDirectory(temporary);
    directory.prepare();
    directory.writeDescription(ClusterPlan.of(small().build(), null).settle(null));
    ProcessIdentity self = ProcessIdentity.current();
    ClusterDirectory.RunState state = new ClusterDirectory.RunState();
    state.process =
        new ProcessIdentity(self.pid, self.startTicks - 1, self.boot, "pid:[1]", self.machine);
    state.token = "secret";
    directory.writeState(state);

    assertThat(ClusterProcess.find(temporary)).isEmpty();
    try (RandomAccessFile file = new RandomAccessFile(directory.lock().toFile(), "rw");
        FileLock held = file.getChannel().lock()) {
      assertThat(held.isValid()).isTrue();
      for (String command : new String[] {"status", "stop"}) {
        int status = command.equals("stop") ? ExitStatus.FAILED : ExitStatus.UNCHECKED;
        CommandRun run =
            CommandRun.of(LabMain.commandLine(), "cluster", command, "--dir=" + temporary);
        assertThat(run.require(status).err())
            .contains("Cannot reach cluster: process " + self.pid)
            .contains("from another container or machine");
      }
    }
  }

  @Test
  void twoProcessesDoNotShareADirectory() throws Exception {
    Path lock = Files.createDirectories(temporary.resolve("run")).resolve("lock");
    try (RandomAccessFile file = new RandomAccessFile(lock.toFile(), "rw");
        FileLock held = file.getChannel().lock()) {
      assertThat(held.isValid()).isTrue();
      assertThatThrownBy(() -> ClusterProcess.start(temporary, small().build()))
          .hasMessageContaining("another process runs or starts one in " + temporary);
    }
  }

  @Test
  void anUnreadableStateIsNamed() throws Exception {
    Files.createDirectories(temporary.resolve("run"));
    Files.write(temporary.resolve("run/state.json"), "{\"token\": 1}".getBytes());

    assertThatThrownBy(() -> ClusterProcess.find(temporary))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("state.json")
        .hasMessageContaining("remove it if no cluster runs here");
  }

  @Test
  void aStateThatIsNoFileIsNotThatOfAStoppedCluster() throws Exception {
    Files.createDirectories(temporary.resolve("run/state.json"));
    CommandRun run =
        CommandRun.of(LabMain.commandLine(), "cluster", "status", "--dir=" + temporary);
    assertThat(run.require(ExitStatus.UNCHECKED).err())
        .contains("Cannot read the state of the cluster: java.io.IOException");
  }

  @Test
  void aRunningClusterDoesNotTakeOtherSettings() throws Exception {
    ClusterOptions options =
        small().setting("dfs.blocksize", "1048576").setting("dfs.replication", "2").build();
    ClusterDirectory directory = new ClusterDirectory(temporary);
    directory.prepare();
    directory.writeDescription(ClusterPlan.of(options, null).settle(null));
    ClusterDirectory.RunState state = new ClusterDirectory.RunState();
    state.process = ProcessIdentity.current();
    state.token = "secret";
    state.plan = ClusterPlan.of(options, null);
    directory.writeState(state);

    ClusterOptions part = small().setting("dfs.blocksize", "1048576").build();
    for (ClusterOptions same :
        new ClusterOptions[] {options, part, ClusterOptions.builder().build(), small().build()}) {
      assertThat(ClusterProcess.start(temporary, same).origin())
          .isEqualTo(ClusterProcess.Origin.FOUND);
    }
    assertRefused(
        small().setting("dfs.blocksize", "2097152"),
        "with settings {dfs.blocksize=1048576, dfs.replication=2}, not {dfs.blocksize=2097152};"
            + " stop it first");
    assertRefused(
        small().fastRecovery(ClusterOptions.FastRecovery.FAST), "with recovery STOCK, not FAST");
    assertRefused(small().heapMib(300), "with heap in MiB 256, not 300");

    // As an earlier build writes it.
    state.plan = null;
    directory.writeState(state);
    assertThat(ClusterProcess.start(temporary, options).origin())
        .isEqualTo(ClusterProcess.Origin.FOUND);
  }

  private void assertRefused(ClusterOptions.Builder other, String message) {
    assertThatThrownBy(() -> ClusterProcess.start(temporary, other.build()))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aClusterEndsWithTheProcessThatItBelongsTo() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            Starter.class.getName(),
            temporary.toString());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.redirectErrorStream(true).redirectOutput(new File("/dev/null"));
    Process starter = builder.start();
    assertThat(starter.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(starter.exitValue()).isZero();

    // The cluster may have detected it already.
    ClusterDirectory.RunState state = new ClusterDirectory(temporary).readState();
    while (state != null && state.process.isAlive()) {
      Thread.sleep(20);
    }
    assertThat(ClusterProcess.find(temporary)).isEmpty();
  }

  /** Starts a cluster and exits. */
  static final class Starter {
    private Starter() {}

    public static void main(String[] arguments) throws Exception {
      ClusterProcess.start(Paths.get(arguments[0]), small().build());
    }
  }

  private static ClusterOptions.Builder small() {
    return ClusterOptions.builder()
        .datanodes(1)
        .racks(1)
        .heapMib(256)
        .lifetime(ClusterOptions.Lifetime.OF_STARTER);
  }
}
