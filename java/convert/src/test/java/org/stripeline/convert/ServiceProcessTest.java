// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.fixture.JobJournals;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.convert.service.StatusRecorder;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** Tests a conversion service as a process that is ended by signals in the middle of a file. */
@Timeout(300)
@Tag("full")
class ServiceProcessTest {
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final int FILES = 4;

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;
  private final Map<String, byte[]> files = new TreeMap<>();
  private Process service;
  private int started;

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("hdfs"),
            6,
            3,
            conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
    for (int i = 0; i < FILES; i++) {
      String path = "/tree/f" + i;
      // The first in the order of a service, which begins with the largest files of a day.
      files.put(path, cluster.write(path, 4 * BLOCK + 100 * (FILES - i)));
    }
  }

  @AfterEach
  void stop() {
    if (service != null) {
      service.destroyForcibly();
    }
    cluster.close();
  }

  private void begin(String throttle) throws IOException {
    java.nio.file.Path rules = directory.resolve("rules.xml");
    String text =
        "<rules><rule name='tree'><path>/tree</path><policy>RS-3-2</policy><allow-rack-loss/>"
            + "<throttle>"
            + throttle
            + "</throttle><files-at-once>1</files-at-once></rule></rules>";
    Files.write(rules, text.getBytes(StandardCharsets.UTF_8));
    service =
        HadoopProcess.launch(
            ConvertMain.class,
            cluster.conf(),
            directory.resolve("process" + started++),
            "convert",
            "--rules=" + rules,
            "--execute",
            "--every=1h",
            "-Dfs.defaultFS=" + cluster.uri(),
            "-Ddfs.namenode.http-address=" + cluster.mini.getHttpUri(0).substring(7));
  }

  private String said() throws IOException {
    return Files.readString(
        directory.resolve("process" + (started - 1)).resolve(HadoopProcess.LOG));
  }

  private void awaitBegun(String path) throws Exception {
    Conditions.await(
        "the beginning of " + path, () -> JobJournals.isBegun(cluster, path) || !service.isAlive());
    assertThat(service.isAlive()).as(said()).isTrue();
  }

  private void assertConverted(int count) throws Exception {
    int converted = 0;
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      assertThat(cluster.read(file.getKey())).as(file.getKey()).isEqualTo(file.getValue());
      boolean isConverted = cluster.policy(file.getKey()) != null;
      assertThat(isConverted).as(file.getKey()).isEqualTo(converted < count);
      if (isConverted) {
        converted++;
        cluster.assertParityRight(file.getKey());
      }
    }
    assertThat(converted).isEqualTo(count);
  }

  @Test
  void sigtermEndsItAfterTheFileInProgress() throws Exception {
    begin("4MiB");
    awaitBegun("/tree/f1");
    HadoopProcess.signal(service, "TERM");
    assertThat(service.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(service.exitValue()).as(said()).isEqualTo(143);

    assertConverted(2);
    assertThat(JobDirectory.unfinished(cluster.fs(), JobDirectory.ROOT_DEFAULT)).isEmpty();
    assertThat(cluster.temporaries()).isEmpty();
    assertThat(said()).contains("Ending after the files in progress").doesNotContain("Exception");
    // The lease is free at once, because the service closed its file.
    begin("0");
    Conditions.await("the other files", () -> cluster.policy("/tree/f3") != null);
    assertConverted(FILES);
  }

  /** The next service need not wait a minute for the leases of the last one. */
  private void assertTheNextServiceConvertsAll() throws Exception {
    cluster.mini.setLeasePeriod(500, 3_600_000);
    begin("0");
    Conditions.await("the other files", () -> cluster.policy("/tree/f3") != null);
    assertConverted(FILES);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void signalsEndItInTimeWhileTheNameNodeDoesNotAnswer() throws Exception {
    begin("4MiB");
    awaitBegun("/tree/f1");
    // The first call that needs a lease keeps the lock of the namespace, so all others wait.
    synchronized (NameNodeAdapter.getLeaseManager(cluster.mini.getNamesystem())) {
      HadoopProcess.signal(service, "TERM");
      HadoopProcess.signal(service, "TERM");
      HadoopProcess.signal(service, "INT");
      assertThat(service.waitFor(150, TimeUnit.SECONDS)).as(said()).isTrue();
    }
    assertThat(service.exitValue()).as(said()).isEqualTo(143);
    assertThat(said()).contains("HDFS has not answered for a minute");

    assertTheNextServiceConvertsAll();
  }

  @Test
  void aServiceThatWasStoppedBeyondTheHardLimitOfLeasesEndsWhenItContinues() throws Exception {
    begin("4MiB");
    awaitBegun("/tree/f1");
    HadoopProcess.signal(service, "STOP");
    // The NameNode itself closes the files; there is no other service.
    cluster.mini.setLeasePeriod(500, 1000);
    String lease = JobDirectory.ROOT_DEFAULT + "/service.lease";
    Conditions.await("the end of the leases", () -> cluster.fs().isFileClosed(new Path(lease)));
    cluster.mini.setLeasePeriod(60_000, 3_600_000);
    HadoopProcess.signal(service, "CONT");
    assertThat(service.waitFor(120, TimeUnit.SECONDS)).as(said()).isTrue();
    assertThat(service.exitValue()).as(said()).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(said()).contains("another service can have the lease now");
    assertThat(cluster.policy("/tree/f2")).isNull();

    assertTheNextServiceConvertsAll();
  }

  @Test
  void anotherServiceSettlesWhatAKilledOneLeft() throws Exception {
    begin("4MiB");
    awaitBegun("/tree/f1");
    HadoopProcess.signal(service, "KILL");
    assertThat(service.waitFor(60, TimeUnit.SECONDS)).isTrue();
    // So that the next service need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
    begin("0");
    Conditions.await(
        "the other files " + said(),
        () -> cluster.policy("/tree/f3") != null || !service.isAlive());
    assertThat(said()).contains("which an earlier service left");
    assertConverted(FILES);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aServiceThatWasStoppedEndsWhenItContinues() throws Exception {
    begin("4MiB");
    awaitBegun("/tree/f1");
    HadoopProcess.signal(service, "STOP");
    Process stopped = service;
    try {
      cluster.mini.setLeasePeriod(500, 3_600_000);
      begin("0");
      Conditions.await(
          "the end of the pass of the other service",
          () -> {
            ServiceStatus status = StatusRecorder.read(cluster.fs(), JobDirectory.ROOT_DEFAULT);
            return "waiting".equals(status.state) || !service.isAlive();
          });
      assertConverted(FILES);
      HadoopProcess.signal(stopped, "CONT");
      assertThat(stopped.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(stopped.exitValue()).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(Files.readString(directory.resolve("process0").resolve(HadoopProcess.LOG)))
          .contains("another service can have the lease now");
      // Not that of the service that has ended.
      assertThat(StatusRecorder.read(cluster.fs(), JobDirectory.ROOT_DEFAULT).state)
          .isEqualTo("waiting");
      assertConverted(FILES);
      assertThat(cluster.temporaries()).isEmpty();
    } finally {
      stopped.destroyForcibly();
    }
  }
}
