// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.stripeline.lab.bench.BenchMachine;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;

/** Starts a cluster, runs the acts, cleans up, and converts the result into an exit status. */
class DemoRunner {
  /** Exit status that a shell reports for a command that SIGINT ended. */
  static final int INTERRUPTED = 130;

  /** Minimum number of DataNodes: with fewer, four replicas would not find enough nodes. */
  private static final int LEAST_DATANODES = 4;

  private static final Path MEMORY = Paths.get("/dev/shm");

  /** Memory of cluster and clients without the files. */
  private static final long PROCESSES_BYTES = 6L << 30;

  private final DemoSettings settings;
  private final Progress progress;
  private final DemoReport report;

  DemoRunner(DemoSettings settings, Progress progress, DemoReport report) {
    this.settings = settings;
    this.progress = progress;
    this.report = report;
  }

  /**
   * Runs the demo.
   *
   * @param directory the work directory, or null for a temporary one, in memory if there is enough
   *     room
   * @return exit status; the report has the reason if it is not 0
   */
  int run(Path directory, WorkDirectory.AtEnd atEnd) {
    int status;
    WorkDirectory place;
    // A killed run may have left its blocks, which would count as used memory.
    WorkDirectory.removeAbandoned(MEMORY);
    try {
      place =
          directory == null && isMemoryWideEnough()
              ? WorkDirectory.openTemporary(MEMORY, atEnd)
              : WorkDirectory.open(directory, atEnd);
    } catch (CommandException e) {
      return end(e.exitStatus(), e);
    } catch (IOException e) {
      return end(ExitStatus.UNCHECKED, e);
    }
    try {
      status = run(place);
    } finally {
      place.close();
    }
    if (atEnd == WorkDirectory.AtEnd.KEEP) {
      progress.say("kept: stripeline cluster start --dir=%s", place.cluster());
    }
    report.seconds = progress.seconds();
    return status;
  }

  /**
   * Returns whether memory has room for the blocks: on a disk, the demo would measure the disk
   * instead of the pipelines.
   */
  private boolean isMemoryWideEnough() throws IOException {
    return Files.isWritable(MEMORY)
        && Files.getFileStore(MEMORY).type().equals("tmpfs")
        && Files.getFileStore(MEMORY).getUsableSpace() > settings.spaceBytes()
        && BenchMachine.availableMemory().orElse(0) > settings.spaceBytes() + PROCESSES_BYTES;
  }

  private int run(WorkDirectory place) {
    Stage stage;
    try {
      requireNative();
      place.requireSpace(settings.spaceBytes());
      Files.createDirectories(place.data());
      stage = open(place);
    } catch (DemoException | IOException e) {
      return place.isInterrupted() ? INTERRUPTED : end(ExitStatus.UNCHECKED, e);
    }
    try {
      for (Act act : acts(stage)) {
        act.play();
      }
      report.passed = true;
      return end(ExitStatus.SOUND, null);
    } catch (DemoException | IOException e) {
      return place.isInterrupted() ? INTERRUPTED : end(ExitStatus.FAILED, e);
    } catch (IllegalStateException e) {
      // Shutdown hooks cannot be removed while the process ends.
      if (place.isInterrupted()) {
        return INTERRUPTED;
      }
      throw e;
    }
  }

  /** One part of the demo. */
  interface Act {
    /**
     * Runs the act.
     *
     * @throws DemoException if something is wrong
     */
    void play() throws IOException;
  }

  List<Act> acts(Stage stage) {
    return Arrays.asList(
        new FlippedBitAct(stage),
        new PipelineAct(stage),
        new ConvertAct(stage),
        new RebuildAct(stage));
  }

  private int end(int status, Exception reason) {
    report.seconds = progress.seconds();
    if (reason != null) {
      report.failure =
          reason instanceof IOException ? describe((IOException) reason) : reason.getMessage();
    }
    return status;
  }

  /**
   * Returns the first line of the message: Hadoop's exceptions contain stack traces in their
   * messages.
   */
  private static String describe(IOException e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    String first = message.split("\n", 2)[0];
    return first.startsWith("Cannot ") ? message : e.getClass().getSimpleName() + ": " + first;
  }

  /**
   * Requires the native coder: the Java coder is correct, but the demo uses it only if the native
   * one was disabled explicitly.
   */
  private void requireNative() {
    CoderStatus status = CoderStatus.current();
    report.coder = status.implementation() + " " + status.isa();
    boolean wanted = !"false".equals(System.getProperty("stripeline.native.enabled"));
    if (wanted && !status.isNative()) {
      throw new DemoException(
          "Wrong coder is in use on the client: "
              + status.implementation()
              + " instead of native ("
              + status.fallbackCause().orElse("")
              + "); -Dstripeline.native.enabled=false in"
              + " STRIPELINE_JAVA_OPTS runs the demo with pure Java on purpose");
    }
  }

  private Stage open(WorkDirectory place) throws IOException {
    // Reading in spite of dead DataNodes is intended here; clients log a warning for each.
    Logger.getLogger("org.apache.hadoop.hdfs").setLevel(Level.ERROR);
    Logger.getLogger("org.stripeline.client").setLevel(Level.ERROR);
    int datanodes = Math.max(LEAST_DATANODES, settings.dataUnits() + settings.parityUnits());
    IoCluster cluster;
    try (Progress.Step step = progress.step("start HDFS, " + datanodes + " DataNodes", 0)) {
      cluster = place.start(() -> IoCluster.start(place.cluster(), datanodes, rebuilding()));
      cluster.enable(settings.policy());
      step.succeeded();
    }
    ClusterStatus status = cluster.status();
    report.policy = settings.policy().getName();
    report.datanodes = status.datanodes.size();
    report.hadoopVersion = status.hadoopVersion;
    report.javaVersion = status.javaVersion;
    report.processors = Runtime.getRuntime().availableProcessors();
    report.storage =
        Files.getFileStore(place.data()).type().equals("tmpfs")
            ? "memory"
            : "files on " + Files.getFileStore(place.data()).type();
    report.bytes = settings.bytes();
    report.rounds = settings.rounds();
    report.longRounds = settings.longRounds();
    report.quick = settings.isQuick();
    return new Stage(settings, cluster, place, progress, report);
  }

  /**
   * Returns settings for reconstruction: the benchmarks' clusters reconstruct nothing; this one
   * does so immediately, but only after a DataNode was reported lost.
   */
  private static Map<String, String> rebuilding() {
    Map<String, String> server = new LinkedHashMap<>();
    server.put("dfs.namenode.replication.max-streams", "64");
    server.put("dfs.namenode.replication.max-streams-hard-limit", "128");
    server.put("dfs.namenode.replication.work.multiplier.per.iteration", "100");
    server.put("dfs.namenode.reconstruction.pending.timeout-sec", "15");
    // If it avoids stale DataNodes, the NameNode checks for dead ones as often as for stale ones.
    server.put("dfs.namenode.avoid.write.stale.datanode", "true");
    server.put("dfs.namenode.stale.datanode.interval", "3000");
    return server;
  }
}
