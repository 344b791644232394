// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.lab.bench.ProcessTime;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.cluster.Loopback;
import org.stripeline.lab.bench.convert.MethodJvm;
import org.stripeline.lab.bench.io.client.Pattern;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.lab.cluster.ReplicaFiles;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.ExitStatus;

/**
 * Writes files, checks them repeatedly by each method in turn, and then damages one block, which
 * scrub must find.
 */
final class ScrubBench {
  private static final String DIRECTORY = "/files";

  /** What the script {@code stripeline} gives to Java for this command. */
  private static final List<String> LAUNCHER_ARGUMENTS =
      Collections.singletonList("-XX:TieredStopAtLevel=1");

  private final ScrubSettings settings;
  private final WorkDirectory place;
  private final Consumer<String> progress;
  private final ScrubBenchReport report;
  private IoCluster cluster;
  private MethodJvm jvm;
  private long groups;

  ScrubBench(
      ScrubSettings settings,
      WorkDirectory place,
      Consumer<String> progress,
      ScrubBenchReport report) {
    this.settings = settings;
    this.place = place;
    this.progress = progress;
    this.report = report;
  }

  void run() throws IOException {
    report.describe(settings);
    report.coder = CoderStatus.current().toString();
    if (settings.ownNetwork) {
      Loopback.start();
    }
    progress.accept("starting " + settings.datanodes + " DataNodes");
    Map<String, String> own = new LinkedHashMap<>();
    // The rate would be what is measured.
    own.put("stripeline.agent.scrub.bandwidth", "0");
    // Heartbeats count as bytes on the network.
    own.put("dfs.heartbeat.interval", "30");
    cluster = place.start(() -> IoCluster.start(place.cluster(), settings.datanodes, own));
    ClusterStatus status = cluster.status();
    report.hadoop = status.hadoopVersion;
    report.java = System.getProperty("java.vm.name") + " " + status.javaVersion;
    jvm =
        new MethodJvm(
            Collections.emptyList(),
            Paths.get(status.clientConfiguration),
            place.data().resolve("commands.log"));
    write();
    // The servers compile their code during the first round, which is not counted.
    ScrubMethod[] methods = ScrubMethod.values();
    for (int repetition = settings.quick ? 0 : -1;
        repetition < settings.repetitions;
        repetition++) {
      for (int turn = 0; turn < methods.length; turn++) {
        ScrubMethod method = methods[Math.floorMod(repetition + turn, methods.length)];
        int round = repetition;
        ScrubSample sample = report.orFail(method.label(), () -> check(method, round));
        if (repetition >= 0) {
          report.samples.add(sample);
        }
      }
    }
    findDamage();
  }

  private String path(int file) {
    return DIRECTORY + "/file" + file;
  }

  private void write() throws IOException {
    cluster.enable(settings.policy);
    Pattern pattern = new Pattern();
    for (int file = 0; file < settings.files; file++) {
      try (FSDataOutputStream out =
          cluster
              .fs()
              .createFile(new Path(path(file)))
              .recursive()
              .ecPolicyName(settings.policy.getName())
              .build()) {
        for (long position = 0; position < settings.fileBytes; position += Pattern.CHUNK_BYTES) {
          int step = (int) Math.min(Pattern.CHUNK_BYTES, settings.fileBytes - position);
          out.write(pattern.bytes(), pattern.index(file, position), step);
        }
      }
      groups += blocks(file).size();
    }
    progress.accept(settings.files + " files written");
  }

  private List<LocatedBlock> blocks(int file) throws IOException {
    return cluster
        .fs()
        .getClient()
        .getLocatedBlocks(path(file), 0, Long.MAX_VALUE)
        .getLocatedBlocks();
  }

  private ScrubSample check(ScrubMethod method, int repetition) throws IOException {
    double gib = settings.bytes() / ByteSize.GIB;
    double servers = ProcessTime.of(cluster.processes());
    long network = Loopback.bytes();
    MethodJvm.Run run = method == ScrubMethod.SCRUB ? scrub(ExitStatus.SOUND) : verify();
    ScrubSample sample = new ScrubSample();
    sample.networkBytes = Loopback.bytes() - network;
    sample.serverCpuSecondsPerGib = (ProcessTime.of(cluster.processes()) - servers) / gib;
    sample.clientCpuSecondsPerGib = run.cpuSeconds / gib;
    sample.method = method.label();
    sample.repetition = repetition;
    sample.seconds = run.seconds;
    if (method == ScrubMethod.SCRUB) {
      requireAllHealthy(sums(run));
    }
    progress.accept(
        String.format(
            Locale.ROOT,
            "  %s: %.2f s, %.2f MiB on the network",
            sample.method,
            sample.seconds,
            sample.networkBytes / ByteSize.MIB));
    return sample;
  }

  private MethodJvm.Run scrub(int expected) throws IOException {
    return jvm.run(LAUNCHER_ARGUMENTS, Arrays.asList("scrub", DIRECTORY, "--json"), expected);
  }

  private MethodJvm.Run verify() throws IOException {
    List<String> command = new ArrayList<>();
    command.add("verifyEC");
    for (int file = 0; file < settings.files; file++) {
      command.add(path(file));
    }
    return jvm.run(command);
  }

  /** Returns the sums, which scrub prints in its last line. */
  private static JsonObject sums(MethodJvm.Run run) {
    return new JsonParser().parse(run.lines.get(run.lines.size() - 1)).getAsJsonObject();
  }

  private void requireAllHealthy(JsonObject sums) throws IOException {
    if (sums.get("files").getAsLong() != settings.files
        || sums.get("groupsHealthy").getAsLong() != groups
        || sums.get("bytesRead").getAsLong() < settings.bytes()
        || sums.get("windowsByClient").getAsLong() != 0) {
      throw new IOException("Cannot continue: scrub did not check everything by agents: " + sums);
    }
  }

  /** Damages the first block of parity, so that no reader of the files would notice. */
  private void findDamage() throws IOException {
    long group = blocks(0).get(0).getBlock().getBlockId();
    long parity = group + settings.policy.getNumDataUnits();
    DamagedBlock.damage(ReplicaFiles.find(cluster.disks()).filesOf(parity).get(0));
    MethodJvm.Run run = scrub(ExitStatus.FAILED);
    String found = run.lines.get(0);
    report.damageFound =
        found.contains("\"kind\":\"WRONG_BYTES\"") && found.contains("\"block\":" + parity + ",");
    if (!report.damageFound || sums(run).get("groupsDamaged").getAsLong() != 1) {
      report.failures.add("scrub did not locate the damaged block " + parity + ": " + found);
    }
  }
}
