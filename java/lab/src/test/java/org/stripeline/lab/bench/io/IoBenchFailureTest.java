// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.io.client.ClientMain;
import org.stripeline.lab.bench.io.client.ClientRequest;
import org.stripeline.lab.cluster.ClusterServer;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Leftovers;
import picocli.CommandLine;

/** Tests the behavior of the benchmark when one of its processes dies. */
@Timeout(300)
class IoBenchFailureTest {
  @TempDir Path directory;

  @Test
  void aClientThatEndsIsReported() throws IOException {
    Map<String, String> settings = new HashMap<>();
    settings.put("fs.defaultFS", "hdfs://127.0.0.1:1");
    settings.put("ipc.client.connect.max.retries", "0");
    ClientRequest request = new ClientRequest();
    request.action = ClientRequest.Action.READ;
    request.paths = Collections.singletonList("/nowhere");
    request.bytes = 1;
    try (ClientProcess client =
        ClientProcess.start(
            "coder",
            IoContestant.CODER,
            settings,
            Collections.emptyList(),
            128,
            Collections.emptyList(),
            Collections.singletonList(directory),
            directory)) {
      // No server listens there: the client reports this and continues to run.
      assertThat(client.ask(request).error).contains("Connection refused");
      assertThat(client.hasEnded()).isFalse();

      assertThat(Leftovers.kill(ClientMain.class)).isEqualTo(1);

      assertThat(client.ask(request).error).isNotBlank();
      assertThat(client.hasEnded()).isTrue();
      assertThat(client.ask(request).error).isNotBlank();
    }
  }

  @Test
  void resultsAreShownWhenTheClusterDies() throws IOException {
    CommandLine line = LabMain.commandLine();
    StringWriter out = new StringWriter();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(new KillingWriter("1 of 1, read, coder")));

    int status =
        line.execute(
            "bench",
            "io",
            "--quick",
            "--policies=RS-3-2-64k",
            "--contestants=coder",
            "--operations=read",
            "--dir=" + directory);

    assertThat(status).isEqualTo(ExitStatus.FAILED);
    assertThat(out.toString())
        .contains("FAILED the run ended early: ")
        .containsPattern("read +coder +[0-9]+");
    assertThat(directory).isEmptyDirectory();
  }

  /** Kills the cluster's process once, when a line of progress is written. */
  private static final class KillingWriter extends Writer {
    private final String trigger;
    private boolean killed;

    KillingWriter(String trigger) {
      this.trigger = trigger;
    }

    @Override
    public void write(char[] buffer, int offset, int length) {
      if (!killed && new String(buffer, offset, length).contains(trigger)) {
        killed = true;
        assertThat(Leftovers.kill(ClusterServer.class)).isEqualTo(1);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
