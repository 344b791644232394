// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ECBlockGroupStats;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.lab.cluster.ClusterStatus.DataNodeStatus;
import org.stripeline.lab.cluster.HdfsTools;
import org.stripeline.lab.cluster.ReplicaFiles;
import org.stripeline.lab.demo.Stage.Side;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Spread;

/**
 * Act 4: as many DataNodes as the code tolerates lose their disks and restart empty; HDFS
 * reconstructs the lost blocks with our coder and with {@code rs_java} in turn. Afterwards the
 * blocks on the disks must equal those first written, and fsck, verifyEC and both clients must find
 * no errors.
 */
final class RebuildAct implements DemoRunner.Act {
  static final String CODER_KEY = "io.erasurecode.codec.rs.rawcoders";
  static final String ACTIVITY = "Hadoop:service=DataNode,name=DataNodeActivity*";

  /** Longer than the period of one second in which metrics are updated. */
  static final long METRICS_MILLIS = 1_100;

  private static final String CODER_BEAN = "Hadoop:service=Stripeline,name=Coder";
  private static final long POLL_MILLIS = 50;

  /** Maximum time without another reconstructed block before the demo fails. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** Groups of a file; the last stripe of each file is partial. */
  private static final int FILE_GROUPS = 2;

  private static final int MISSING_TAIL = 12_345;

  private final Stage stage;
  private final long fileBytes;
  private final List<Path> files = new ArrayList<>();
  private final Map<Side, List<Double>> rates = new EnumMap<>(Side.class);
  private int nextVictim;
  private int blocksRebuilt;

  RebuildAct(Stage stage) {
    this.stage = stage;
    DemoSettings settings = stage.settings();
    fileBytes = FILE_GROUPS * settings.dataUnits() * settings.rebuiltBlockBytes() - MISSING_TAIL;
  }

  @Override
  public void play() throws IOException {
    int rounds = stage.settings().longRounds();
    write();
    Map<Long, String> written = fingerprints();
    for (int round = 0; round < rounds; round++) {
      for (Side side : Stage.inTurn(round)) {
        rebuild(side, round);
        compare(side, written);
      }
    }
    stage
        .report()
        .add(
            new DemoReport.Row(
                4,
                "rebuild of " + stage.settings().parityUnits() + " DataNodes' blocks",
                "rebuild",
                DemoReport.Unit.MIB_PER_SECOND,
                Spread.of(rates.get(Side.OURS)),
                Spread.of(rates.get(Side.STOCK)),
                null));
    stage
        .report()
        .check(
            "4: %d internal blocks rebuilt; on the disks they equal the original ones byte for"
                + " byte",
            blocksRebuilt);
    judge();
  }

  private void write() throws IOException {
    Path directory = stage.codedDirectory("rebuild");
    int count =
        Math.max(1, stage.settings().groups(stage.settings().rebuiltBlockBytes()) / FILE_GROUPS);
    try (Progress.Step step = stage.progress().step("4 write by ours", count * fileBytes);
        DistributedFileSystem fs = stage.open(Side.OURS)) {
      for (int number = 0; number < count; number++) {
        Path file = new Path(directory, "file" + number);
        stage.write(fs, file, number, fileBytes, stage.settings().rebuiltBlockBytes());
        files.add(file);
        step.advance(fileBytes);
      }
      step.succeeded();
    }
  }

  private void rebuild(Side side, int round) throws IOException {
    String name =
        String.format(
            "4 rebuild by %s, %d of %d",
            stage.coder(side), round + 1, stage.settings().longRounds());
    List<DataNodeStatus> victims = victims();
    stage.cluster().client().set(CODER_KEY, stage.coder(side));
    for (DataNodeStatus victim : victims) {
      stage.cluster().client().stopDataNode(victim.id);
    }
    for (DataNodeStatus victim : victims) {
      stage.cluster().client().expireDataNode(victim.id);
      ReplicaFiles.wipe(Paths.get(victim.directory));
    }
    Missing lost = missing();
    double decoded = decodedBytes();
    try (Progress.Step step = stage.progress().step(name, lost.bytes)) {
      long started = System.nanoTime();
      for (DataNodeStatus victim : victims) {
        stage.cluster().client().startDataNode(victim.id);
      }
      await(lost, step);
      double seconds = (System.nanoTime() - started) / 1e9;
      rates
          .computeIfAbsent(side, key -> new ArrayList<>())
          .add(lost.bytes / ByteSize.MIB / seconds);
      blocksRebuilt += lost.blocks;
      requireCoder(side, decoded, lost.bytes);
      step.note("");
      step.succeeded();
    }
  }

  /** Returns the DataNodes that lose their disks, different ones each time. */
  private List<DataNodeStatus> victims() throws IOException {
    List<DataNodeStatus> all = stage.cluster().status().datanodes;
    List<DataNodeStatus> victims = new ArrayList<>();
    for (int i = 0; i < stage.settings().parityUnits(); i++) {
      victims.add(all.get(nextVictim++ % all.size()));
    }
    return victims;
  }

  /** Internal blocks that are on no running DataNode. */
  private static final class Missing {
    private int blocks;
    private long bytes;
  }

  private Missing missing() throws IOException {
    Collection<String> live = stage.cluster().inside().values();
    Missing missing = new Missing();
    for (LocatedBlock group : groups()) {
      int there = 0;
      for (DatanodeInfo node : group.getLocations()) {
        there += live.contains(node.getXferAddr()) ? 1 : 0;
      }
      // All units of these groups contain bytes, and all cells but the last ones are full.
      int units = stage.settings().dataUnits() + stage.settings().parityUnits();
      missing.blocks += units - there;
      missing.bytes += (units - there) * stage.settings().rebuiltBlockBytes();
    }
    return missing;
  }

  private List<LocatedBlock> groups() throws IOException {
    List<LocatedBlock> groups = new ArrayList<>();
    for (Path file : files) {
      groups.addAll(
          stage
              .cluster()
              .fs()
              .getClient()
              .getLocatedBlocks(file.toUri().getPath(), 0, Long.MAX_VALUE)
              .getLocatedBlocks());
    }
    return groups;
  }

  private void await(Missing lost, Progress.Step step) throws IOException {
    int least = Integer.MAX_VALUE;
    long lastProgress = System.nanoTime();
    while (true) {
      Missing missing = missing();
      ECBlockGroupStats stats =
          stage.cluster().fs().getClient().getNamenode().getECBlockGroupStats();
      if (missing.blocks == 0 && stats.getLowRedundancyBlockGroups() == 0) {
        return;
      }
      if (missing.blocks < least) {
        least = missing.blocks;
        lastProgress = System.nanoTime();
      }
      if (System.nanoTime() - lastProgress > STALL_NANOS) {
        throw new DemoException(
            String.format(
                "Rebuilding did not finish: %d of %d blocks still missing, no progress for %d s;"
                    + " NameNode says %s",
                missing.blocks, lost.blocks, TimeUnit.NANOSECONDS.toSeconds(STALL_NANOS), stats));
      }
      step.note((lost.blocks - missing.blocks) + " of " + lost.blocks + " blocks rebuilt");
      step.advanceTo(lost.bytes - missing.bytes);
      pause(POLL_MILLIS);
    }
  }

  /**
   * Checks which coder was used, since Hadoop falls back to another one without a message: our
   * coder must have counted its own reconstruction, and nothing else.
   */
  private void requireCoder(Side side, double before, long bytes) throws IOException {
    if (!stage.coder(Side.OURS).equals(DemoCommand.coder())) {
      return;
    }
    double counted = decodedBytes() - before;
    // Up to 10 % may be missing: the last cell of a block may not be counted.
    if (side == Side.OURS ? counted < bytes * 0.9 : counted > 0) {
      throw new DemoException(
          String.format(
              "Wrong coder is in use on the DataNodes: while they rebuilt %d bytes with %s, our"
                  + " coder counted %.0f",
              bytes, stage.coder(side), counted));
    }
  }

  private double decodedBytes() throws IOException {
    pause(METRICS_MILLIS);
    for (Map<String, Object> bean : stage.cluster().client().metrics(CODER_BEAN).values()) {
      return ((Number) bean.get("DecodedBytes")).doubleValue();
    }
    return 0;
  }

  private Map<Long, String> fingerprints() throws IOException {
    List<Long> ids = new ArrayList<>();
    // Not the locations: DataNodes report some blocks only after the file is closed.
    int units = stage.settings().dataUnits() + stage.settings().parityUnits();
    for (LocatedBlock group : groups()) {
      for (int unit = 0; unit < units; unit++) {
        ids.add(group.getBlock().getBlockId() + unit);
      }
    }
    return ReplicaFiles.find(stage.cluster().disks()).fingerprints(ids);
  }

  private void compare(Side side, Map<Long, String> written) throws IOException {
    try (Progress.Step step = stage.progress().step("4 compare blocks on the disks", 0)) {
      Map<Long, String> found = fingerprints();
      if (!found.equals(written)) {
        written.forEach(
            (id, print) -> {
              if (!print.equals(found.get(id))) {
                throw new DemoException(
                    "Wrong bytes in block "
                        + id
                        + " after rebuilding by "
                        + stage.coder(side)
                        + ": SHA-256 is "
                        + found.get(id)
                        + ", should be "
                        + print);
              }
            });
        throw new DemoException("Wrong blocks after rebuilding: " + found.keySet());
      }
      step.succeeded();
    }
  }

  private void judge() throws IOException {
    try (Progress.Step step = stage.progress().step("4 fsck, verifyEC, read all", 0)) {
      HdfsTools.fsck(stage.configuration(Side.STOCK), Stage.ROOT);
      for (Side side : Side.values()) {
        for (Path file : files) {
          HdfsTools.verifyEc(stage.configuration(side), file);
        }
        try (DistributedFileSystem fs = stage.open(side)) {
          for (int number = 0; number < files.size(); number++) {
            stage.requireRight(fs, files.get(number), number, fileBytes);
            step.advance(fileBytes);
          }
        }
      }
      step.succeeded();
    }
    stage
        .report()
        .check(
            "4: hdfs fsck: HEALTHY; hdfs debug verifyEC: %d of %d files OK by both coders; both"
                + " clients read every byte correctly",
            files.size(), files.size());
  }

  static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for the cluster: interrupted", e);
    }
  }
}
