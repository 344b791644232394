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
 * Commands a running cluster over its control port.
 *
 * <p>Every call is one connection of its own, so a client may be used from any thread and needs no
 * closing. Every call throws {@link ClusterException} with the cluster's own reason.
 */
public final class ClusterClient {
  private static final int CONNECT_TIMEOUT_MS = 5_000;

  /** Starting a DataNode waits for its block report, which takes the most time of all commands. */
  private static final int ANSWER_TIMEOUT_MS = 180_000;

  private static final int STATUS_TIMEOUT_MS = 20_000;

  private final RunState state;

  ClusterClient(RunState state) {
    this.state = state;
  }

  /**
   * Asks how the cluster is.
   *
   * @return its state now
   * @throws IOException if the cluster does not answer
   */
  public ClusterStatus status() throws IOException {
    return ControlMessage.GSON.fromJson(ask(STATUS_TIMEOUT_MS, "status"), ClusterStatus.class);
  }

  /**
   * Asks the cluster to stop; it does so after this call has returned.
   *
   * @throws IOException if the cluster does not answer
   */
  void requestStop() throws IOException {
    ask(STATUS_TIMEOUT_MS, "stop");
  }

  /**
   * Stops a DataNode: its connections break and its blocks cannot be reached. The NameNode finds
   * out by missing heartbeats.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such running DataNode
   */
  public void stopDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "stop-datanode", id, "false");
  }

  /**
   * Stops a DataNode and tells the NameNode at once that it is gone, so that the rebuilding of its
   * blocks begins within about 5 seconds.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such running DataNode
   */
  public void stopAndExpireDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "stop-datanode", id, "true");
  }

  /**
   * Tells the NameNode that a stopped DataNode is gone. Where several are to be lost together, stop
   * all before the first expires: else the NameNode sends work to those about to stop, and waits
   * for it.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such DataNode or it runs
   */
  public void expireDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "expire-datanode", id);
  }

  /**
   * Starts a stopped DataNode with the blocks that it had; returns when the NameNode has its
   * report.
   *
   * @param id name of the DataNode in {@link ClusterStatus}
   * @throws IOException if there is no such stopped DataNode or it cannot start
   */
  public void startDataNode(String id) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "start-datanode", id);
  }

  /**
   * Adds an empty DataNode, which belongs to the cluster from now on.
   *
   * @return its name
   * @throws IOException if it cannot start
   */
  public String addDataNode() throws IOException {
    return ask(ANSWER_TIMEOUT_MS, "add-datanode").getAsString();
  }

  /**
   * Sets a key in the live configuration of every DataNode until the cluster stops. Coders are made
   * anew for each rebuilding task, so this switches coders between rebuilds.
   *
   * @param key Hadoop key, such as {@code io.erasurecode.codec.rs.rawcoders}
   * @param value its value
   * @throws IOException if the cluster does not answer
   */
  public void set(String key, String value) throws IOException {
    ask(ANSWER_TIMEOUT_MS, "set", key, value);
  }

  /**
   * Asks for the processor time that the cluster's process has used since its start.
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
