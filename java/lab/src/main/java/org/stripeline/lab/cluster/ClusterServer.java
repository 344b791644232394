// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.lab.cluster.ClusterDirectory.RunState;

/**
 * Main class of a cluster's process; {@link ClusterProcess} starts it.
 *
 * <p>The process holds a lock in its directory while it runs, writes its state when it is ready,
 * and deletes the state when it ends normally.
 */
public final class ClusterServer {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterServer.class);
  private static final long OWNER_CHECK_MS = 500;
  private static final long STOP_TIMEOUT_S = 30;

  private final ClusterDirectory directory;
  private final CountDownLatch stopRequested = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private HdfsInstance instance;
  private ProcessIdentity self;

  private ClusterServer(ClusterDirectory directory) {
    this.directory = directory;
  }

  /**
   * Runs a cluster until it is requested to stop.
   *
   * @param arguments the cluster's directory and the file that contains the plan; if the start
   *     fails, the reason is written into the plan's file
   */
  public static void main(String[] arguments) {
    ClusterDirectory directory = new ClusterDirectory(Paths.get(arguments[0]));
    Path planFile = Paths.get(arguments[1]);
    int status;
    try {
      ClusterPlan plan = ClusterDirectory.read(planFile, ClusterPlan.class);
      if (plan == null) {
        throw new ClusterException(
            "Cannot start cluster: " + planFile + " does not exist any more");
      }
      status = new ClusterServer(directory).run(plan, planFile);
    } catch (Throwable e) {
      status = 1;
      LOG.error("The cluster ended with an error", e);
      tell(planFile, e instanceof ClusterException ? e.getMessage() : e.toString());
    }
    System.exit(status);
  }

  private static void tell(Path planFile, String reason) {
    try {
      if (Files.exists(planFile)) {
        Files.write(planFile, ("failed " + reason).getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      LOG.warn("Cannot write {}: {}", planFile, e.toString());
    }
  }

  private int run(ClusterPlan plan, Path planFile) throws IOException {
    try (RandomAccessFile lockFile = new RandomAccessFile(directory.lock().toFile(), "rw")) {
      FileLock lock = lockFile.getChannel().tryLock();
      if (lock == null) {
        throw new ClusterException(
            "Cannot start cluster: another process runs or starts one in " + directory.root());
      }
      self = ProcessIdentity.current();
      directory.removeState();
      try (HdfsInstance started = HdfsInstance.start(directory, plan)) {
        instance = started;
        serve(plan, planFile);
      } finally {
        directory.removeState();
      }
    } finally {
      finished.countDown();
    }
    LOG.info("cluster stopped");
    return 0;
  }

  private void serve(ClusterPlan plan, Path planFile) throws IOException {
    RunState state = new RunState();
    state.process = self;
    state.plan = plan;
    state.token = new BigInteger(256, new SecureRandom()).toString(16);
    // A signal ends the process in the same way as a request: the hook waits until the main thread
    // has cleaned up.
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopAndAwaitEnd, "stop-on-signal"));
    try (ControlServer control = new ControlServer(state.token, this::handle)) {
      state.controlPort = control.port();
      directory.writeState(state);
      Files.deleteIfExists(planFile);
      LOG.info("cluster ready, process {}", self.pid);
      awaitStop(plan.owner);
    }
  }

  private void awaitStop(ProcessIdentity owner) {
    try {
      while (!stopRequested.await(OWNER_CHECK_MS, TimeUnit.MILLISECONDS)) {
        if (owner != null && !owner.isAlive()) {
          LOG.info("stopping: process {}, to which this cluster belongs, has ended", owner.pid);
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stopAndAwaitEnd() {
    stopRequested.countDown();
    try {
      if (!finished.await(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
        LOG.warn("The cluster took more than {} s to stop; ending its process now", STOP_TIMEOUT_S);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Object handle(String command, List<String> arguments) throws Exception {
    switch (command) {
      case "status":
        return status();
      case "stop":
        stopRequested.countDown();
        return "stopping";
      case "stop-datanode":
        instance.stopDataNode(argument(arguments, 0), Boolean.parseBoolean(argument(arguments, 1)));
        return "stopped";
      case "expire-datanode":
        instance.expireDataNode(argument(arguments, 0));
        return "expired";
      case "start-datanode":
        instance.restartDataNode(argument(arguments, 0));
        return "started";
      case "add-datanode":
        return instance.addDataNode();
      case "set":
        instance.set(argument(arguments, 0), argument(arguments, 1));
        return "set";
      case "cpu":
        return processCpuSeconds();
      case "metrics":
        return BeanReader.read(argument(arguments, 0));
      default:
        throw new ClusterException("Cannot carry out command '" + command + "': unknown");
    }
  }

  private static String argument(List<String> arguments, int index) throws ClusterException {
    if (index >= arguments.size()) {
      throw new ClusterException("Cannot carry out command: argument " + index + " is missing");
    }
    return arguments.get(index);
  }

  private ClusterStatus status() {
    ClusterStatus status = instance.status();
    status.pid = self.pid;
    status.uptimeMs = ManagementFactory.getRuntimeMXBean().getUptime();
    return status;
  }

  private static double processCpuSeconds() {
    com.sun.management.OperatingSystemMXBean system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime() / 1e9;
  }
}
