// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.ProcessTime;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.bench.cluster.ShapedCluster;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.lab.cluster.RackTable;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.server.namenode.EarKeys;
import org.stripeline.terminal.ByteSize;

/**
 * Writes files and converts them repeatedly: within each repetition the methods take turns,
 * starting with a different one each time. Each code has its own cluster because the NameNode's
 * placement is configured for one code.
 */
final class ConvertBench {

  /** Rate of links while files are written and compared, which is not timed. */
  private static final int OPEN_MBIT = 20_000;

  private static final String STOCK_DIRECTORY = "/stock";
  private static final String EAR_DIRECTORY = "/ear";
  private static final String CODED_DIRECTORY = "/coded";

  private final ConvertSettings settings;
  private final WorkDirectory place;
  private final Consumer<String> progress;
  private final ConvertReport report;
  private ShapedNetwork network;
  private IoCluster cluster;
  private PlainFiles files;
  private MethodJvm jvm;

  ConvertBench(
      ConvertSettings settings,
      WorkDirectory place,
      Consumer<String> progress,
      ConvertReport report) {
    this.settings = settings;
    this.place = place;
    this.progress = progress;
    this.report = report;
  }

  void run() throws IOException {
    report.describe(settings);
    report.coder = CoderStatus.current().toString();
    List<ConversionMethod> present = present();
    if (settings.isShaped()) {
      network = place.add(new ShapedNetwork(settings.datanodes, settings.racks));
      network.make();
    }
    for (ErasureCodingPolicy policy : settings.policies) {
      // The directory is deleted together with its cluster.
      java.nio.file.Path own = place.data().resolve(ConvertSettings.code(policy));
      try (WorkDirectory inner = place.add(WorkDirectory.open(own, WorkDirectory.AtEnd.DELETE))) {
        Files.createDirectories(inner.data());
        measure(policy, present, inner);
      }
    }
  }

  private List<ConversionMethod> present() {
    List<ConversionMethod> present = new ArrayList<>();
    for (ConversionMethod method : settings.methods) {
      String absence = method.absence(settings.isShaped());
      if (absence == null) {
        present.add(method);
      } else {
        report.leftOut.put(method.label(), absence);
        progress.accept("left out " + method.label() + ": " + absence);
      }
    }
    return present;
  }

  private void measure(
      ErasureCodingPolicy policy, List<ConversionMethod> methods, WorkDirectory inner)
      throws IOException {
    progress.accept(
        ConvertSettings.code(policy) + ": starting " + settings.datanodes + " DataNodes");
    cluster = start(policy, inner);
    ClusterStatus status = cluster.status();
    report.hadoop = status.hadoopVersion;
    report.java = System.getProperty("java.vm.name") + " " + status.javaVersion;
    prepareCopies(policy);
    files = inner.add(new PlainFiles(cluster, settings, policy));
    jvm = jvm(Paths.get(status.clientConfiguration), inner.data());
    // The JVMs of the servers compile their code during the first round of all methods, which is
    // not counted.
    int warmUps = report.quick ? 0 : 1;
    for (int repetition = -warmUps; repetition < settings.repetitions; repetition++) {
      for (int turn = 0; turn < methods.size(); turn++) {
        ConversionMethod method = methods.get(Math.floorMod(repetition + turn, methods.size()));
        ConvertSample sample = convert(policy, method, repetition);
        if (repetition >= 0) {
          report.samples.add(sample);
        }
      }
    }
  }

  /**
   * Returns the JVM for commands: in the network of the client host if links are limited, otherwise
   * in this process's network.
   */
  private MethodJvm jvm(java.nio.file.Path configuration, java.nio.file.Path directory)
      throws IOException {
    java.nio.file.Path log = directory.resolve("commands.log");
    if (network == null) {
      return new MethodJvm(Collections.emptyList(), configuration, log);
    }
    Configuration conf = new Configuration(false);
    for (String name : new String[] {"core-site.xml", "hdfs-site.xml"}) {
      conf.addResource(new Path(configuration.resolve(name).toUri()));
    }
    conf.set(
        CommonConfigurationKeys.FS_DEFAULT_NAME_KEY,
        "hdfs://" + network.here(network.client()) + ":" + cluster.nameNodePort());
    java.nio.file.Path own = Files.createDirectories(directory.resolve("client"));
    try (OutputStream core = Files.newOutputStream(own.resolve("core-site.xml"))) {
      conf.writeXml(core);
    }
    return new MethodJvm(ShapedNetwork.prefix(network.client()), own, log);
  }

  private IoCluster start(ErasureCodingPolicy policy, WorkDirectory inner) throws IOException {
    Map<String, String> own = new LinkedHashMap<>();
    own.put(
        "dfs.block.replicator.classname",
        "org.apache.hadoop.hdfs.server.blockmanagement.EarPlacementPolicy");
    own.put(EarKeys.DIRECTORIES, EAR_DIRECTORY);
    own.put(EarKeys.CODE, ConvertSettings.code(policy));
    if (network == null) {
      return inner.start(
          () -> IoCluster.start(inner.cluster(), settings.datanodes, settings.racks, own));
    }
    List<String> places = new ArrayList<>();
    for (int i = 1; i <= network.client(); i++) {
      places.add(ShapedNetwork.address(i) + "=/rack" + network.rack(i));
    }
    own.put(RackTable.PLACES_KEY, String.join(",", places));
    network.setRate(OPEN_MBIT);
    network.setRackRate(OPEN_MBIT);
    return ShapedCluster.start(inner, network, own);
  }

  /** Creates the directory for copies, with the policy that has small cells. */
  private void prepareCopies(ErasureCodingPolicy policy) throws IOException {
    cluster.enable(policy);
    cluster.fs().mkdirs(new Path(CODED_DIRECTORY));
    cluster.fs().setErasureCodingPolicy(new Path(CODED_DIRECTORY), policy.getName());
  }

  private ConvertSample convert(ErasureCodingPolicy policy, ConversionMethod method, int repetition)
      throws IOException {
    String parent = method.isPlaced() ? EAR_DIRECTORY : STOCK_DIRECTORY;
    String source = parent + "/" + method.label() + "-" + (repetition + 1);
    files.write(source);
    limit(true);
    ConvertSample sample = new ConvertSample();
    sample.code = ConvertSettings.code(policy);
    sample.method = method.label();
    String name = sample.code + " " + sample.method;
    MethodJvm.Run run;
    int written = 0;
    double gib = settings.bytes(policy) / ByteSize.GIB;
    try (InjectedTraffic traffic =
            new InjectedTraffic(
                network, settings.trafficMbit, place.data().resolve("traffic.log"));
        ArrivingWrites writes = new ArrivingWrites(files::writeBlock, settings.writesPerSecond)) {
      if (settings.writesPerSecond > 0) {
        writes.begin(settings.writesBeforeSeconds);
      }
      double servers = ProcessTime.of(cluster.processes());
      run = report.orFail(name, () -> jvm.run(command(policy, method, source)));
      sample.serverCpuSecondsPerGib = (ProcessTime.of(cluster.processes()) - servers) / gib;
      if (settings.trafficMbit > 0) {
        sample.trafficMbit = traffic.end();
      }
      if (settings.writesPerSecond > 0) {
        written = writes.end(sample);
      }
    }
    limit(false);
    if (written > 0) {
      report.bytesVerified += files.compareAndDeleteBlocks(ArrivingWrites.DIRECTORY, written);
    }
    sample.repetition = repetition;
    sample.seconds = run.seconds;
    sample.mibPerSecond = settings.bytes(policy) / ByteSize.MIB / run.seconds;
    sample.clientCpuSecondsPerGib = run.cpuSeconds / gib;
    if (method.isInPlace()) {
      addWords(sample, method, run, gib);
    }
    report.bytesVerified += report.orFail(name, () -> check(method, sample, source, parent));
    progress.accept(
        String.format(
            Locale.ROOT, "  %s: %.1f MiB/s, %.2f s", name, sample.mibPerSecond, sample.seconds));
    return sample;
  }

  /** Compares and deletes the converted files, and returns the number of compared bytes. */
  private long check(ConversionMethod method, ConvertSample sample, String source, String parent)
      throws IOException {
    String result =
        method.isInPlace() ? source : CODED_DIRECTORY + source.substring(parent.length());
    boolean isRaid = method.isRaid();
    long bytes = isRaid ? files.compareRaid(result, sample) : files.compare(result);
    String wrong = files.wrongParity(result, isRaid);
    if (wrong != null) {
      report.failures.add(sample.code + " " + sample.method + ": wrong parity: " + wrong);
    }
    if (isRaid) {
      files.deleteRaidParity(result);
    }
    files.delete(source);
    files.delete(result);
    return bytes;
  }

  private void limit(boolean limited) throws IOException {
    if (network != null) {
      network.setRate(limited ? settings.linkMbit : OPEN_MBIT);
      network.setRackRate(limited ? settings.rackMbit : OPEN_MBIT);
    }
  }

  private List<String> command(ErasureCodingPolicy policy, ConversionMethod method, String source) {
    switch (method) {
      case HDFS_RAID:
      case HDFS_RAID_EAR:
        return Arrays.asList(
            RaidNode.NAME,
            source,
            String.valueOf(policy.getNumDataUnits()),
            String.valueOf(policy.getNumParityUnits()),
            String.valueOf(network.datanodes()),
            String.valueOf(method.isPlaced()));
      case CP:
        return Arrays.asList("fs", "-cp", source, CODED_DIRECTORY);
      case WRONG_PARITY:
        return Arrays.asList(
            "fs",
            "-D",
            "io.erasurecode.codec.rs.rawcoders=" + method.label(),
            "-cp",
            source,
            CODED_DIRECTORY);
      case CP_4:
        return Arrays.asList("fs", "-cp", "-t", "4", source, CODED_DIRECTORY);
      case DISTCP:
        return Arrays.asList(
            "distcp",
            "-Ddfs.checksum.combine.mode=COMPOSITE_CRC",
            "-m",
            "4",
            source,
            CODED_DIRECTORY);
      default:
        break;
    }
    List<String> command =
        new ArrayList<>(
            Arrays.asList(
                "convert",
                source,
                "--policy=" + ConvertSettings.code(policy),
                "--execute",
                "--json",
                "--layout=" + (method.isAdoption() ? "contiguous" : "striped")));
    if (!method.isAdoption()) {
      // Only the benchmark has the files open.
      command.add("--allow-stale-readers");
    }
    if (network != null) {
      // The NameNode's web pages cannot be reached from the network of the commands.
      command.add("--skip-namenode-check");
    }
    int units = policy.getNumDataUnits() + policy.getNumParityUnits();
    int inOneRack = (units + settings.racks - 1) / settings.racks;
    if (inOneRack > policy.getNumParityUnits()) {
      command.add("--allow-rack-loss");
    }
    return command;
  }

  /** Adds the values that the command prints in its last line. */
  private static void addWords(
      ConvertSample sample, ConversionMethod method, MethodJvm.Run run, double gib) {
    JsonObject sums = new JsonParser().parse(run.lines.get(run.lines.size() - 1)).getAsJsonObject();
    sample.jobSeconds = sums.get("seconds").getAsDouble();
    if (method.isRaid()) {
      sample.clientCpuSecondsPerGib += sums.get("cpuSeconds").getAsDouble() / gib;
    }
    if (method.isAdoption()) {
      sample.blocksSent = sums.getAsJsonObject("traffic").get("blocksSent").getAsLong();
    }
    if (method != ConversionMethod.STRIPED) {
      JsonObject traffic = sums.getAsJsonObject("traffic");
      sample.crossRackBytes =
          traffic.get("bytesReadRemote").getAsLong()
              + traffic.get("bytesWrittenRemote").getAsLong();
    }
  }
}
