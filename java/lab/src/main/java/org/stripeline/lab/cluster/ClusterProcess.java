// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.VersionInfo;
import org.stripeline.lab.cluster.ClusterDirectory.Description;
import org.stripeline.lab.cluster.ClusterDirectory.RunState;
import org.stripeline.terminal.JavaRuntime;

/**
 * A cluster that runs in a separate process.
 *
 * <pre>
 * ClusterOptions options = ClusterOptions.builder().datanodes(9).racks(3).build();
 * ClusterProcess cluster = ClusterProcess.start(Paths.get("/data/cluster"), options);
 * cluster.client().stopDataNode("dn4");
 * cluster.stop();
 * </pre>
 */
public final class ClusterProcess {
  private static final long START_TIMEOUT_MS = 150_000;
  private static final long STOP_TIMEOUT_MS = 60_000;
  private static final int LOG_TAIL_LINES = 15;

  /** Whether {@link #start} started the process or found it running. */
  public enum Origin {
    /** The process was started by this call. */
    STARTED,
    /** The process was already running. */
    FOUND
  }

  private final ClusterDirectory directory;
  private final RunState state;
  private final Origin origin;

  private ClusterProcess(ClusterDirectory directory, RunState state, Origin origin) {
    this.directory = directory;
    this.state = state;
    this.origin = origin;
  }

  /**
   * Starts the cluster of a directory, or finds the one that is already running there; returns when
   * every DataNode has reported its blocks. Files of earlier runs are available.
   *
   * @param path directory of the cluster; created if missing
   * @param options the requested options
   * @return the running cluster
   * @throws IOException if it cannot start, or is already running with different options
   */
  public static ClusterProcess start(Path path, ClusterOptions options) throws IOException {
    ClusterDirectory directory = new ClusterDirectory(path);
    directory.requireNoFile();
    Optional<ClusterProcess> running = find(directory);
    if (running.isPresent()) {
      running.get().requireSame(options);
      return running.get();
    }
    Optional<String> obstacle = JavaRuntime.hadoopObstacle(VersionInfo.getVersion());
    if (obstacle.isPresent()) {
      throw new ClusterException("Cannot start cluster: " + obstacle.get());
    }
    directory.prepare();
    Path planFile = Files.createTempFile(directory.lock().getParent(), "plan", ".json");
    try {
      ClusterDirectory.write(planFile, ClusterPlan.of(options, ProcessIdentity.current()));
      return await(directory, planFile, ServerLauncher.launch(directory, planFile, options));
    } finally {
      Files.deleteIfExists(planFile);
    }
  }

  /**
   * Finds the cluster that is running in a directory.
   *
   * @param path directory of the cluster
   * @return the running cluster, or empty; the state that a killed process left is ignored
   * @throws IOException if the directory's state cannot be read, or the cluster runs where this
   *     process cannot reach it
   */
  public static Optional<ClusterProcess> find(Path path) throws IOException {
    return find(new ClusterDirectory(path));
  }

  private static Optional<ClusterProcess> find(ClusterDirectory directory) throws IOException {
    RunState state = directory.readState();
    if (state != null && !state.process.isVisible() && directory.isLocked()) {
      throw new ClusterException(
          "Cannot reach cluster: process "
              + state.process.pid
              + " runs it in "
              + directory.root()
              + " from another container or machine ("
              + state.process.machine
              + "); use this command there");
    }
    return state == null || !state.process.isAlive()
        ? Optional.empty()
        : Optional.of(new ClusterProcess(directory, state, Origin.FOUND));
  }

  /**
   * Returns the status of the cluster of a directory, running or not.
   *
   * @param path directory of the cluster
   * @return its status; for a stopped cluster only the directory and client configuration are known
   * @throws IOException if there is no cluster or a running one does not answer
   */
  public static ClusterStatus status(Path path) throws IOException {
    ClusterDirectory directory = new ClusterDirectory(path);
    Optional<ClusterProcess> running = find(directory);
    if (running.isPresent()) {
      return running.get().client().status();
    }
    Description description = directory.readDescription();
    if (description == null) {
      throw new ClusterException(
          "Cannot find cluster: "
              + directory.root()
              + " holds none; create one with 'stripeline cluster start --dir="
              + directory.root()
              + "'");
    }
    ClusterStatus status = new ClusterStatus();
    status.directory = directory.root().toString();
    status.uri = "hdfs://127.0.0.1:" + description.port;
    status.web = "http://127.0.0.1:" + description.webPort;
    status.clientConfiguration = directory.conf().toString();
    status.stripelineConfiguration = directory.confStripeline().toString();
    status.log = directory.log().toString();
    return status;
  }

  private static ClusterProcess await(ClusterDirectory directory, Path planFile, Process process)
      throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_TIMEOUT_MS);
    try {
      while (Files.exists(planFile)) {
        if (!process.isAlive()) {
          throw new ClusterException(failure(directory, planFile, process));
        }
        if (System.nanoTime() - deadline > 0) {
          process.destroy();
          throw new ClusterException(
              "Cannot start cluster: not ready after "
                  + START_TIMEOUT_MS / 1000
                  + " s"
                  + logTail(directory));
        }
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new ClusterException("Cannot start cluster: interrupted", e);
    }
    RunState state = directory.readState();
    if (state == null) {
      throw new ClusterException(
          "Cannot start cluster: its process ended at once" + logTail(directory));
    }
    return new ClusterProcess(directory, state, Origin.STARTED);
  }

  private static String failure(ClusterDirectory directory, Path planFile, Process process)
      throws IOException {
    String told = new String(Files.readAllBytes(planFile), StandardCharsets.UTF_8);
    if (told.startsWith("failed Cannot ")) {
      return told.substring("failed ".length()) + "; log: " + directory.log();
    }
    String reason =
        told.startsWith("failed ")
            ? told.substring("failed ".length())
            : "its process ended with status " + process.exitValue();
    return "Cannot start cluster: " + reason + logTail(directory);
  }

  private static String logTail(ClusterDirectory directory) throws IOException {
    return "; end of "
        + directory.log()
        + ":\n  "
        + String.join("\n  ", directory.logTail(LOG_TAIL_LINES));
  }

  private void requireSame(ClusterOptions options) throws IOException {
    Description running = directory.readDescription();
    if (running == null) {
      return;
    }
    requireSame("DataNodes", options.datanodes(), running.datanodes);
    requireSame("port", options.port(), running.port);
    requireSame("web port", options.webPort(), running.webPort);
    if (!options.racks().isEmpty()) {
      requireSame("racks", options.racks(), running.racks);
    }
    if (state.plan == null) {
      return;
    }
    if (!state.plan.settings.entrySet().containsAll(options.settings().entrySet())) {
      requireSame("settings", options.settings(), state.plan.settings);
    }
    if (options.fastRecovery() == ClusterOptions.FastRecovery.FAST) {
      requireSame("recovery", options.fastRecovery(), state.plan.fastRecovery);
    }
    if (options.heapMib() != ClusterOptions.HEAP_MIB_DEFAULT) {
      requireSame("heap in MiB", options.heapMib(), state.plan.heapMib);
    }
  }

  private void requireSame(String what, Object wished, Object running) throws ClusterException {
    if (wished != null && !wished.equals(running)) {
      throw new ClusterException(
          "Cannot start cluster: one runs in "
              + directory.root()
              + " already (process "
              + state.process.pid
              + ") with "
              + what
              + " "
              + running
              + ", not "
              + wished
              + "; stop it first with 'stripeline cluster stop --dir="
              + directory.root()
              + "'");
    }
  }

  /**
   * Returns a client that controls this cluster.
   *
   * @return a client, usable from any thread
   */
  public ClusterClient client() {
    return new ClusterClient(state);
  }

  /**
   * Returns whether {@link #start} started this process.
   *
   * @return started or found
   */
  public Origin origin() {
    return origin;
  }

  /**
   * Returns the id of the cluster's process.
   *
   * @return process id
   */
  public long pid() {
    return state.process.pid;
  }

  /**
   * Returns the directory with the site files for clients of this cluster.
   *
   * @return a directory for HADOOP_CONF_DIR
   */
  public Path clientConfiguration() {
    return directory.conf();
  }

  /**
   * Stops the cluster and returns when its process has ended and its ports are free; its files are
   * kept.
   *
   * @throws IOException if the process does not end, or a port stays in use
   */
  public void stop() throws IOException {
    try {
      client().requestStop();
    } catch (ClusterException unreachable) {
      if (!state.process.isAlive()) {
        return;
      }
      terminate();
    }
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_TIMEOUT_MS);
    Description description = directory.readDescription();
    // Its directory may have been deleted.
    while (state.process.isAlive()
        || description != null && (isInUse(description.port) || isInUse(description.webPort))) {
      if (System.nanoTime() - deadline > 0 && !state.process.isAlive()) {
        throw new ClusterException(
            "Cannot free the ports of the cluster: its process has ended, but "
                + description.port
                + " or "
                + description.webPort
                + " on 127.0.0.1 is in use");
      }
      if (System.nanoTime() - deadline > 0) {
        throw new ClusterException(
            "Cannot stop cluster: process "
                + state.process.pid
                + " still runs after "
                + STOP_TIMEOUT_MS / 1000
                + " s; end it with 'kill -9 "
                + state.process.pid
                + "'");
      }
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ClusterException("Cannot stop cluster: interrupted", e);
      }
    }
  }

  /** The kernel may show a process as ended before it has closed all of its sockets. */
  private static boolean isInUse(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress("127.0.0.1", port));
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private void terminate() throws IOException {
    new ProcessBuilder("kill", "-TERM", Long.toString(state.process.pid))
        .redirectErrorStream(true)
        .redirectOutput(Paths.get("/dev/null").toFile())
        .start();
  }
}
