// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.ConvertMain;
import org.stripeline.convert.fixture.ConvertProcessCase;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/**
 * Tests the command as a separate process that is paused and killed by signals in the middle of a
 * file.
 */
@Timeout(300)
@Tag("full")
class DriverProcessTest extends ConvertProcessCase {
  /** Starts a conversion. */
  private void begin() throws IOException {
    begin(
        ConvertMain.class,
        "convert",
        cluster.uri() + "/tree",
        "--policy=RS-3-2",
        "--allow-rack-loss",
        "--throttle=" + SLOW,
        "--files-at-once=1",
        "--job=tree",
        "--execute");
  }

  @Test
  void keepsWhatAUserWroteWhileItWasPaused() throws Exception {
    begin();
    awaitBegun("/tree/f1");
    HadoopProcess.signal(command, "STOP");
    Path file = new Path("/tree/f1");
    byte[] more = "written while the driver was stopped".getBytes();
    Conditions.await("the lease", () -> cluster.fs().recoverLease(file));
    try (FSDataOutputStream out = cluster.fs().append(file)) {
      out.write(more);
    }
    cluster.fs().setPermission(file, new FsPermission((short) 0600));
    HadoopProcess.signal(command, "CONT");
    assertThat(awaitEnd(120)).as(said()).isEqualTo(1);

    byte[] before = files.get("/tree/f1");
    byte[] all = Arrays.copyOf(before, before.length + more.length);
    System.arraycopy(more, 0, all, before.length, more.length);
    files.put("/tree/f1", all);
    assertBytes();
    assertThat(cluster.fs().getFileStatus(file).getPermission().toShort()).isEqualTo((short) 0600);
    assertThat(cluster.policy("/tree/f0")).isEqualTo("RS-3-2-1024k");
    assertThat(cluster.policy("/tree/f1")).isNull();
    assertThat(cluster.policy("/tree/f3")).isEqualTo("RS-3-2-1024k");
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void endsIfItsJobWasCancelledWhileItWasStopped() throws Exception {
    begin();
    awaitBegun("/tree/f1");
    HadoopProcess.signal(command, "STOP");
    assertThat(control("--list")).contains("running");
    Path status = new Path(JobDirectory.ROOT_DEFAULT + "/tree/status.json");
    long then = System.currentTimeMillis() - TimeUnit.MINUTES.toMillis(2);
    cluster.fs().setTimes(status, then, then);
    assertThat(control("--list")).contains("interrupted");
    // So that the other operator need not wait a minute for the leases of the stopped driver.
    cluster.mini.setLeasePeriod(500, 3_600_000);
    assertThat(control("--cancel", "--job=tree")).contains("job tree was cancelled");
    cluster.mini.setLeasePeriod(60_000, 3_600_000);

    HadoopProcess.signal(command, "CONT");
    assertThat(awaitEnd(120)).as(said()).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(said())
        .contains("Cannot continue: another process has taken over job tree")
        .contains("stripeline convert --status --job=tree")
        .doesNotContain("--resume");

    assertBytes();
    assertThat(cluster.policy("/tree/f0")).isEqualTo("RS-3-2-1024k");
    assertThat(cluster.policy("/tree/f1")).isNull();
    assertThat(cluster.policy("/tree/f2")).isNull();
    cluster.fs().append(new Path("/tree/f1")).close();
    assertThat(control("--list")).contains("cancelled");
    assertThat(cluster.temporaries()).isEmpty();
  }

  private String control(String... options) {
    StringWriter text = new StringWriter();
    List<String> words = new ArrayList<>(List.of("convert", "/"));
    words.addAll(List.of(options));
    assertThat(ConvertMain.run(cluster, text, text, words)).as("" + text).isEqualTo(0);
    return text.toString();
  }

  @Test
  void continuesAfterAKill() throws Exception {
    begin();
    awaitBegun("/tree/f2");
    HadoopProcess.signal(command, "KILL");
    awaitEnd(60);
    assertBytes();
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
    try (Driver driver = cluster.driver()) {
      assertThat(driver.resume("/tree", "tree", new JobTuning()).failures()).isEmpty();
    }
    assertBytes();
    for (String path : files.keySet()) {
      assertThat(cluster.policy(path)).as(path).isEqualTo("RS-3-2-1024k");
      cluster.assertHealthy(path);
      cluster.assertParityRight(path);
    }
  }
}
