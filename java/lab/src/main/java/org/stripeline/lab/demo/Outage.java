// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ECBlockGroupStats;

/**
 * As many DataNodes as the code bears die with their disks; later empty ones take their place and
 * HDFS rebuilds what was lost.
 */
final class Outage {

  private static final String ACTIVITY = "Hadoop:service=DataNode,name=DataNodeActivity*";
  private static final String FSNAMESYSTEM = "Hadoop:service=NameNode,name=FSNamesystemState";

  /** Longest time without one more rebuilt block until the demo gives up. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** Longest time until counters must show what was done. */
  private static final long COUNTERS_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long POLL_MILLIS = 100;

  private final DemoCluster cluster;
  private final StripeShape shape;
  private final DistributedFileSystem fs;
  private final List<Path> files;
  private final List<String> victims;
  private final BlockGroups groups;
  private final List<String> addresses;
  private final BlockGroups.Loss loss;
  private Map<String, Double> countersBefore;
  private Map<String, Double> counters;

  private Outage(
      DemoCluster cluster,
      StripeShape shape,
      DistributedFileSystem fs,
      List<Path> files,
      List<String> victims,
      BlockGroups groups,
      List<String> addresses) {
    this.cluster = cluster;
    this.shape = shape;
    this.fs = fs;
    this.files = files;
    this.victims = victims;
    this.groups = groups;
    this.addresses = addresses;
    this.loss = groups.lossOf(addresses);
  }

  /**
   * Chooses the DataNodes whose loss costs readers most; nothing dies yet.
   *
   * @param spared DataNodes to leave alone if enough others are there
   */
  static Outage plan(
      DemoCluster cluster,
      StripeShape shape,
      DistributedFileSystem fs,
      List<Path> files,
      Set<String> spared)
      throws IOException {
    Map<String, String> nodeOfAddress = new HashMap<>();
    cluster.liveNodes().forEach((id, address) -> nodeOfAddress.put(address, id));
    List<String> candidates = new ArrayList<>(nodeOfAddress.keySet());
    candidates.removeIf(address -> spared.contains(nodeOfAddress.get(address)));
    if (candidates.size() < shape.parityUnits()) {
      candidates = new ArrayList<>(nodeOfAddress.keySet());
    }
    BlockGroups groups = BlockGroups.of(fs, files, shape);
    List<String> addresses = groups.worstNodes(candidates, shape.parityUnits());
    if (groups.lossOf(addresses).dataBytes() == 0) {
      throw new DemoException(
          "Cannot choose DataNodes to kill: none of " + nodeOfAddress.values()
              + " holds a data block; the files are empty");
    }
    List<String> victims = new ArrayList<>();
    for (String address : addresses) {
      victims.add(nodeOfAddress.get(address));
    }
    return new Outage(cluster, shape, fs, files, victims, groups, addresses);
  }

  /** Names of the DataNodes that die. */
  List<String> victims() {
    return victims;
  }

  /** What lies on them. */
  BlockGroups.Loss loss() {
    return loss;
  }

  /** Data bytes of files below a directory that stay lost until replacements are there. */
  long lastingDataLoss(Path directory) {
    return groups.below(directory).ofFullWidth().lossOf(addresses).dataBytes();
  }

  /**
   * Kills them.
   *
   * @param rebuilder names the coder that DataNodes rebuild with: from now on, because a short
   *     group leaves DataNodes free that can take its blocks before any replacement is there
   */
  void begin(Contestant rebuilder) throws IOException {
    cluster.set(Contestant.coderKey(shape), rebuilder.coderName());
    countersBefore = cluster.sums(ACTIVITY);
    cluster.kill(victims);
  }

  /**
   * Starts empty DataNodes and waits until every internal block is back.
   *
   * @return bytes that were missing at the start, and what it took
   * @throws DemoException if it does not get done
   */
  Figures.Round rebuild(Progress.Step step) throws IOException {
    long missingBytes = missing().bytes();
    Stopwatch watch = Stopwatch.start(cluster::cpuSeconds);
    cluster.replace(victims);
    step.note("empty DataNodes started");
    awaitRedundancy(step);
    Figures.Round round = watch.stop(missingBytes);
    step.note("all " + loss.blocks() + " blocks are back");
    awaitCounters();
    return round;
  }

  /**
   * Takes what the DataNodes counted. They count after the NameNode knows of the block, and show it
   * up to a second later.
   */
  private void awaitCounters() throws IOException {
    long started = System.nanoTime();
    do {
      pause();
      counters = new HashMap<>();
      cluster
          .sums(ACTIVITY)
          .forEach((k, v) -> counters.put(k, v - countersBefore.getOrDefault(k, 0.0)));
    } while (counter("EcReconstructionBytesWritten") < loss.bytes()
        && System.nanoTime() - started < COUNTERS_NANOS);
    if (counter("EcReconstructionBytesWritten") < loss.bytes()) {
      throw new DemoException(
          String.format(
              "Cannot tell who rebuilt the blocks: the DataNodes count %.0f bytes written while"
                  + " rebuilding, should be %d or more",
              counter("EcReconstructionBytesWritten"), loss.bytes()));
    }
  }

  /** How far a metric of all DataNodes together went up while rebuilding. */
  double counter(String name) {
    return counters.getOrDefault(name, 0.0);
  }

  private void awaitRedundancy(Progress.Step step) throws IOException {
    int least = Integer.MAX_VALUE;
    long lastProgress = System.nanoTime();
    while (true) {
      int missing = missing().blocks();
      ECBlockGroupStats stats = fs.getClient().getNamenode().getECBlockGroupStats();
      if (missing == 0
          && stats.getLowRedundancyBlockGroups() == 0
          && stats.getMissingBlockGroups() == 0
          && stats.getCorruptBlockGroups() == 0) {
        return;
      }
      if (missing < least) {
        least = missing;
        lastProgress = System.nanoTime();
      }
      if (System.nanoTime() - lastProgress > STALL_NANOS) {
        throw new DemoException(
            String.format(
                "Rebuilding did not finish: %d of %d blocks still missing, no progress for %d s;"
                    + " NameNode says %s; pending %s",
                missing,
                loss.blocks(),
                TimeUnit.NANOSECONDS.toSeconds(STALL_NANOS),
                stats,
                cluster.sums(FSNAMESYSTEM).get("PendingReplicationBlocks")));
      }
      step.note((loss.blocks() - missing) + " of " + loss.blocks() + " blocks are back");
      pause();
    }
  }

  /** A block on a DataNode that is dead, though the NameNode may not know it yet, is missing. */
  private BlockGroups.Loss missing() throws IOException {
    return BlockGroups.of(fs, files, shape).missingFrom(cluster.liveNodes().values());
  }

  /** Lets a moment pass between two looks at a condition. */
  static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for the cluster: interrupted", e);
    }
  }
}
