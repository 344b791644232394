// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.stripeline.lab.cluster.ClusterDirectory.RunState;
import org.stripeline.lab.cluster.ControlMessage.Answer;
import org.stripeline.lab.cluster.ControlMessage.Request;

/**
 * Controls a running cluster over its control port.
 *
 * <p>Every call uses a new connection, so a client is thread-safe and need not be closed. Every
 * call throws {@link ClusterException} with the reason that the cluster returns.
 */
public final class ClusterClient {
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  /** Starting a DataNode waits for its block report, which takes longer than all other commands. */
  private static final int ANSWER_TIMEOUT_MS = 180_000;

  private static final int STATUS_TIMEOUT_MS = 20_000;

  private final RunState state;

  ClusterClient(RunState state) {
    this.state = state;
  }

  /**
   * Returns the status of the cluster.
   *
   * @return the current status
   * @throws IOException if the cluster does not answer
   */
  public ClusterStatus status() throws IOException {
    return ControlMessage.GSON.fromJson(ask(STATUS_TIMEOUT_MS, "status"), ClusterStatus.class);
  }

  /**
   * Requests the cluster to stop; it stops after this call has returned.
   *
   * @throws IOException if the cluster does not answer
   */
  void requestStop() throws IOException {
    ask(STATUS_TIMEOUT_MS, "stop");
  }

  /**
   * Stops a DataNode: its connections break and its blocks become unavailable. The NameNode detects
   * this by missing heartbeats.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such running DataNode
   */
  public void stopDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "stop-datanode", id, "false");
  }

  /**
   * Stops a DataNode and makes the NameNode consider it dead, so that the reconstruction of its
   * blocks begins within about 5 seconds.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such running DataNode
   */
  public void stopAndExpireDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "stop-datanode", id, "true");
  }

  /**
   * Makes the NameNode consider a stopped DataNode dead. To lose several at the same time, stop all
   * of them before the first expires: otherwise the NameNode assigns work to those that stop next,
   * and waits for it.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such DataNode or it is running
   */
  public void expireDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "expire-datanode", id);
  }

  /**
   * Starts a stopped DataNode with its blocks; returns when the NameNode has its block report.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such stopped DataNode or it cannot start
   */
  public void startDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "start-datanode", id);
  }

  /**
   * Adds an empty DataNode to the cluster permanently.
   *
   * @return its name
   * @throws IOException if it cannot start
   */
  public String addDataNode() throws IOException {
    return ask(ANSWER_TIMEOUT_MS, "add-datanode").getAsString();
  }

  /**
   * Sets a key in the live configuration of every DataNode until the cluster stops. Each
   * reconstruction task creates new coders, so this can switch coders between reconstructions.
   *
   * @param key Hadoop key, such as {@code io.erasurecode.codec.rs.rawcoders}
   * @param value its value
   * @throws IOException if the cluster does not answer
   */
  public void set(String key, String value) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "set", key, value);
  }

  /**
   * Returns the processor time that the cluster's process has used since its start.
   *
   * @return seconds, user and system together
   * @throws IOException if the cluster does not answer
   */
  public double cpuSeconds() throws IOException {
    return ask(STATUS_TIMEOUT_MS, "cpu").getAsDouble();
  }

  /**
   * Reads metrics of the cluster's process.
   *
   * @param pattern JMX object name pattern, such as {@code Hadoop:service=DataNode,*}
   * @return bean name to attribute to value; numbers are doubles
   * @throws IOException if the cluster does not answer or the pattern is not valid
   */
  public Map<String, Map<String, Object>> metrics(String pattern) throws IOException {
    return ControlMessage.GSON.fromJson(
        ask(STATUS_TIMEOUT_MS, "metrics", pattern),
        new TypeToken<Map<String, Map<String, Object>>>() {}.getType());
  }

  private JsonElement ask(int timeoutMs, String command, String... arguments) throws IOException {
    String line = ControlMessage.GSON.toJson(Request.of(state.token, command, arguments)) + "\n";
    Answer answer;
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getByName("127.0.0.1"), state.controlPort),
          CONNECT_TIMEOUT_MS);
      socket.setSoTimeout(timeoutMs);
      socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
      answer =
          ControlMessage.GSON.fromJson(
              ControlServer.readLine(socket.getInputStream()), Answer.class);
    } catch (IOException | JsonParseException e) {
      throw new ClusterException(
          "Cannot reach cluster process " + state.process.pid + " for '" + command + "': " + e, e);
    }
    if (answer == null) {
      throw new ClusterException(
          "Cannot reach cluster process "
              + state.process.pid
              + " for '"
              + command
              + "': it closed the connection without an answer");
    }
    if (answer.error != null) {
      throw new ClusterException(answer.error);
    }
    return answer.result;
  }
}
