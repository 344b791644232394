// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stripeline.lab.cluster.ClusterDirectory.RunState;

class ControlServerTest {
  private final AtomicInteger handled = new AtomicInteger();
  private ControlServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        new ControlServer(
            "secret",
            (command, arguments) -> {
              handled.incrementAndGet();
              if (command.equals("cpu")) {
                return Double.NaN;
              }
              throw new IOException("Cannot do " + command + " " + arguments);
            });
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void answersAndReportsErrors() throws Exception {
    ClusterClient client = client("secret", server.port());

    assertThat(client.cpuSeconds()).isNaN();
    assertThatThrownBy(() -> client.set("key", "a value"))
        .isInstanceOf(ClusterException.class)
        .hasMessage("Cannot do set [key, a value]");
  }

  @Test
  void refusesAWrongToken() throws Exception {
    assertThatThrownBy(() -> client("guess", server.port()).cpuSeconds())
        .hasMessage("Cannot accept control request: the token is wrong");
    assertThat(handled).hasValue(0);
  }

  @Test
  void survivesInvalidRequests() throws Exception {
    assertThat(answer("GET / HTTP/1.1\n")).contains("Cannot read control request");
    assertThat(answer("{}\n")).contains("token or command is missing");
    assertThat(answer("\n")).contains("token or command is missing");
    assertThat(client("secret", server.port()).cpuSeconds()).isNaN();
  }

  @Test
  void aProcessThatDoesNotAnswerIsNamed() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      free = socket.getLocalPort();
    }
    assertThatThrownBy(() -> client("secret", free).status())
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("Cannot reach cluster process 77 for 'status'");
  }

  private static ClusterClient client(String token, int port) {
    RunState state = new RunState();
    state.process = new ProcessIdentity(77, 1, "boot", null, null);
    state.token = token;
    state.controlPort = port;
    return new ClusterClient(state);
  }

  private String answer(String line) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
      return ControlServer.readLine(socket.getInputStream());
    }
  }
}
