// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.ConvertProcessCase;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.convert.service.StatusRecorder;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** Tests a conversion service as a process that is ended by signals in the middle of a file. */
@Timeout(300)
@Tag("full")
class ServiceProcessTest extends ConvertProcessCase {
  private void begin(String throttle) throws IOException {
    java.nio.file.Path rules = directory.resolve("rules.xml");
    String text =
        "<rules><rule name='tree'><path>/tree</path><policy>RS-3-2</policy><allow-rack-loss/>"
            + "<throttle>"
            + throttle
            + "</throttle><files-at-once>1</files-at-once></rule></rules>";
    Files.write(rules, text.getBytes(StandardCharsets.UTF_8));
    begin(
        ConvertMain.class,
        "convert",
        "--rules=" + rules,
        "--execute",
        "--every=1h",
        "-Dfs.defaultFS=" + cluster.uri(),
        "-Ddfs.namenode.http-address=" + cluster.mini.getHttpUri(0).substring(7));
  }

  private void assertConverted(int count) throws Exception {
    assertBytes();
    int converted = 0;
    for (String path : files.keySet()) {
      boolean isConverted = cluster.policy(path) != null;
      assertThat(isConverted).as(path).isEqualTo(converted < count);
      if (isConverted) {
        converted++;
        cluster.assertParityRight(path);
      }
    }
    assertThat(converted).isEqualTo(count);
  }

  @Test
  void sigtermEndsItAfterTheFileInProgress() throws Exception {
    begin(SLOW);
    awaitBegun("/tree/f1");
    HadoopProcess.signal(command, "TERM");
    assertThat(awaitEnd(120)).as(said()).isEqualTo(143);

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
    begin(SLOW);
    awaitBegun("/tree/f1");
    // The first call that needs a lease keeps the lock of the namespace, so all others wait.
    synchronized (NameNodeAdapter.getLeaseManager(cluster.mini.getNamesystem())) {
      HadoopProcess.signal(command, "TERM");
      HadoopProcess.signal(command, "TERM");
      HadoopProcess.signal(command, "INT");
      assertThat(awaitEnd(150)).as(said()).isEqualTo(143);
    }
    assertThat(said()).contains("HDFS has not answered for a minute");

    assertTheNextServiceConvertsAll();
  }

  @Test
  void aServiceThatWasStoppedBeyondTheHardLimitOfLeasesEndsWhenItContinues() throws Exception {
    begin(SLOW);
    awaitBegun("/tree/f1");
    HadoopProcess.signal(command, "STOP");
    // The NameNode itself closes the files; there is no other service.
    cluster.mini.setLeasePeriod(500, 1000);
    String lease = JobDirectory.ROOT_DEFAULT + "/service.lease";
    Conditions.await("the end of the leases", () -> cluster.fs().isFileClosed(new Path(lease)));
    cluster.mini.setLeasePeriod(60_000, 3_600_000);
    HadoopProcess.signal(command, "CONT");
    assertThat(awaitEnd(120)).as(said()).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(said()).contains("another service can have the lease now");
    assertThat(cluster.policy("/tree/f2")).isNull();

    assertTheNextServiceConvertsAll();
  }

  @Test
  void anotherServiceSettlesWhatAKilledOneLeft() throws Exception {
    begin(SLOW);
    awaitBegun("/tree/f1");
    HadoopProcess.signal(command, "KILL");
    awaitEnd(60);
    // So that the next service need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
    begin("0");
    Conditions.await(
        "the other files " + said(),
        () -> cluster.policy("/tree/f3") != null || !command.isAlive());
    assertThat(said()).contains("which an earlier service left");
    assertConverted(FILES);
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void aServiceThatWasStoppedEndsWhenItContinues() throws Exception {
    begin(SLOW);
    awaitBegun("/tree/f1");
    HadoopProcess.signal(command, "STOP");
    Process stopped = command;
    try {
      cluster.mini.setLeasePeriod(500, 3_600_000);
      begin("0");
      Conditions.await(
          "the end of the pass of the other service",
          () -> {
            ServiceStatus status = StatusRecorder.read(cluster.fs(), JobDirectory.ROOT_DEFAULT);
            return "waiting".equals(status.state) || !command.isAlive();
          });
      assertConverted(FILES);
      HadoopProcess.signal(stopped, "CONT");
      assertThat(stopped.waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(stopped.exitValue()).isEqualTo(ExitStatus.UNCHECKED);
      assertThat(said(0)).contains("another service can have the lease now");
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
