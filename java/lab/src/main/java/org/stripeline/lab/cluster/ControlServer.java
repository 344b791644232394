// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import com.google.gson.JsonParseException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.lab.cluster.ControlMessage.Answer;
import org.stripeline.lab.cluster.ControlMessage.Request;

/** Answers control requests on a loopback port. */
final class ControlServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
  private static final int REQUEST_TIMEOUT_MS = 10_000;
  private static final int THREADS = 4;
  private static final int WAITING_MAX = 16;

  /** Executes one command. */
  interface Handler {
    /**
     * Returns a value that can be converted to JSON; the message of an exception is sent to the
     * client.
     */
    Object handle(String command, List<String> arguments) throws Exception;
  }

  private final ServerSocket socket;
  private final byte[] token;
  private final Handler handler;
  private final ThreadPoolExecutor workers;

  ControlServer(String token, Handler handler) throws IOException {
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.handler = handler;
    socket = new ServerSocket(0, WAITING_MAX, InetAddress.getByName("127.0.0.1"));
    workers =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING_MAX),
            task -> {
              Thread thread = new Thread(task, "control-worker");
              thread.setDaemon(true);
              return thread;
            });
    Thread acceptor = new Thread(this::acceptAll, "control");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  int port() {
    return socket.getLocalPort();
  }

  private void acceptAll() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        try {
          workers.execute(() -> serve(connection));
        } catch (RejectedExecutionException full) {
          connection.close();
        }
      } catch (IOException e) {
        if (!socket.isClosed()) {
          LOG.warn("Cannot accept control connection: {}", e.toString());
        }
      }
    }
  }

  private void serve(Socket connection) {
    try (Socket closing = connection) {
      closing.setSoTimeout(REQUEST_TIMEOUT_MS);
      Answer answer = answer(readLine(closing.getInputStream()));
      String line = ControlMessage.GSON.toJson(answer) + "\n";
      closing.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("Cannot answer control request: {}", e.toString());
    }
  }

  private Answer answer(String line) {
    try {
      Request request = ControlMessage.GSON.fromJson(line, Request.class);
      if (request == null || request.token == null || request.command == null) {
        return Answer.failure("Cannot read control request: token or command is missing");
      }
      if (!MessageDigest.isEqual(token, request.token.getBytes(StandardCharsets.UTF_8))) {
        return Answer.failure("Cannot accept control request: the token is wrong");
      }
      return Answer.of(handler.handle(request.command, request.arguments));
    } catch (JsonParseException e) {
      return Answer.failure("Cannot read control request: " + e.getMessage());
    } catch (Exception e) {
      LOG.warn("Control request failed", e);
      return Answer.failure(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  /** Reads one line; the end of the stream also ends a line. */
  static String readLine(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      line.write(buffer, 0, count);
      if (count > 0 && buffer[count - 1] == '\n') {
        break;
      }
      if (line.size() > ControlMessage.LINE_BYTES_MAX) {
        throw new IOException(
            "Cannot read control message: longer than " + ControlMessage.LINE_BYTES_MAX + " bytes");
      }
    }
    return new String(line.toByteArray(), StandardCharsets.UTF_8);
  }

  /** Stops accepting requests; running requests are completed. */
  @Override
  public void close() throws IOException {
    socket.close();
    workers.shutdown();
  }
}
