// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.cluster.IoCluster;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.Leftovers;
import org.stripeline.testkit.RailPlugin;

/** A small set of measurements on a real cluster, with separate client JVMs. */
@Timeout(300)
@Tag("full")
class IoBenchTest {
  @TempDir Path directory;
  private final StringWriter progress = new StringWriter();

  private IoReport measure(IoSettings settings) throws IOException {
    return measure(settings, directory, null);
  }

  /**
   * Measures.
   *
   * @param running a cluster that keeps running; null to start one
   */
  private IoReport measure(IoSettings settings, Path work, IoCluster running) throws IOException {
    settings.threads = Arrays.asList(2);
    // Not a built-in policy of Hadoop, so that adding one is tested.
    settings.policies = Arrays.asList(IoSettings.policy("RS-3-2-64k"));
    settings.bytes = 3 << 20;
    settings.repetitions = 1;
    settings.jvms = 1;
    settings.randomReads = 20;
    settings.randomBytes = 10_000;
    settings.syncs = 20;
    settings.firstSyncs = 4;
    settings.warmUps = 1;
    settings.warmUpBytes = 1 << 20;
    settings.rates = Arrays.asList(IoSettings.LOOPBACK);
    IoReport report = new IoReport();
    try (WorkDirectory place = WorkDirectory.open(work, WorkDirectory.AtEnd.DELETE)) {
      Files.createDirectories(place.data());
      IoBench bench =
          new IoBench(settings, place, line -> progress.append(line).append('\n'), report);
      if (running == null) {
        bench.run();
      } else {
        bench.runOn(running);
      }
    }
    report.conclude();
    return report;
  }

  @Test
  void measuresEveryOperationAndLeavesNothingBehind() throws IOException {
    IoSettings settings = new IoSettings();
    settings.contestants =
        Arrays.asList(
            IoContestant.REPLICATED_3,
            IoContestant.RS_JAVA,
            IoContestant.RS_LEGACY_JAVA,
            IoContestant.FUNCTIONAL_PARTITIONED,
            IoContestant.NOT_DURABLE);
    settings.operations =
        Stream.of(
                "write",
                "read",
                "pread",
                "random",
                "sync",
                "first-sync",
                "read-dead1",
                "random-dead1")
            .map(Operation::parse)
            .collect(Collectors.toList());
    IoReport report = measure(settings);

    assertThat(report.failures).as("%s", progress).isEmpty();
    assertThat(report.leftOut).containsOnlyKeys("rs-legacy_java");
    assertThat(report.samples).hasSize(3 * 6 + 1 + 2 * 2);
    assertThat(report.samples)
        .allSatisfy(
            sample -> {
              assertThat(sample.mibPerSecond).isPositive();
              assertThat(sample.stream).startsWith("org.apache.hadoop.hdfs.");
              boolean isTimedSingly =
                  sample.operation.contains("random") || sample.operation.contains("sync");
              assertThat(sample.latency != null).isEqualTo(isTimedSingly);
            });
    // Four writers write a warm-up file and a timed file per thread; all stripes are whole.
    int written = 4 * 2 * (3 * 192 + 8 * 192);
    // Two of them also sync; of the warm-up's files no more bytes than of a warm-up are compared.
    int synced = 2 * 2 * (10 + 10) + 2 * 2 * (3 * 192 + 1024);
    assertThat(report.bytesVerified).isEqualTo((written + synced) * 1024L);
    assertThat(report.rows).hasSize(report.samples.size());
    assertThat(new IoTable(report).render()).contains("RS-3-2-64k, 2 threads");
    Leftovers.assertNone(directory);
  }

  /** If this user may; otherwise the operation must be left out. */
  @Test
  void readsFromDisksAreMeasured() throws IOException {
    IoSettings settings = new IoSettings();
    settings.contestants = Arrays.asList(IoContestant.RS_JAVA);
    settings.operations =
        Stream.of("read", "read-dead1-cold").map(Operation::parse).collect(Collectors.toList());
    String obstacle = PageCache.obstacle(directory);
    IoReport report = measure(settings);
    assertThat(report.failures).as("%s", progress).isEmpty();
    assertThat(report.leftOut.get("read-dead1-cold")).isEqualTo(obstacle);
    assertThat(report.samples).hasSize(obstacle == null ? 2 : 1);
  }

  @Test
  void enginesWithARailBesideTheCpusAreMeasured(@TempDir Path plugin) throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    Path library = RailPlugin.compile(plugin);
    assumeTrue(library != null, "no C compiler");
    IoSettings settings = new IoSettings();
    settings.contestants =
        Arrays.asList(
            IoContestant.FUNCTIONAL_PARTITIONED,
            IoContestant.UMR_NO_OP,
            IoContestant.UMR_SINGLE,
            IoContestant.UMR_MULTI);
    settings.operations =
        Stream.of("write", "write-busy", "read-dead2")
            .map(Operation::parse)
            .collect(Collectors.toList());
    settings.rail = "plugin:" + library;
    IoReport report = measure(settings);
    assertThat(report.failures).as("%s", progress).isEmpty();
    assertThat(report.leftOut).isEmpty();
    // What computes nothing only writes.
    assertThat(report.samples).hasSize(4 + 4 + 3);
    Leftovers.assertNone(directory);
  }

  /** Then no other contestant has files of which it is known which DataNodes must die. */
  @Test
  void wrongParityIsFoundAndAnEngineWithoutItsRailLeftOut() throws Exception {
    IoSettings wrong = new IoSettings();
    wrong.contestants = Arrays.asList(IoContestant.RS_JAVA, IoContestant.WRONG_PARITY);
    wrong.operations = Arrays.asList(Operation.parse("write"));
    IoSettings absent = new IoSettings();
    absent.contestants = Arrays.asList(IoContestant.UMR_SINGLE, IoContestant.REPLICATED_3);
    absent.operations = Arrays.asList(Operation.parse("write"), Operation.parse("read-dead1"));
    absent.rail = "plugin:/no/such/coder.so";
    Path work = directory.resolve("work");
    try (IoCluster cluster =
        IoCluster.start(directory.resolve("cluster"), 5, Collections.emptyMap())) {
      assertThat(measure(wrong, work, cluster).failures)
          .singleElement()
          .asString()
          .contains("write, parity, wrong-parity", "verifyEC");
      IoReport report = measure(absent, work, cluster);
      assertThat(report.leftOut.get("umr-single")).contains("/no/such/coder.so");
      assertThat(report.leftOut.get("read-dead1")).contains("erasure-coded files");
      assertThat(report.samples).hasSize(1);
    }
  }

  @Test
  void countsWhatDataNodesReadForAccessPatterns() throws IOException {
    CommandRun run =
        CommandRun.of(
            LabMain.commandLine(),
            "bench",
            "io",
            "--access-patterns",
            "--quick",
            "--policies=RS-3-2-64k",
            "--json",
            "--dir=" + directory);

    String out = run.require(ExitStatus.SOUND).out();
    JsonObject report = JsonParser.parseString(out).getAsJsonObject();
    assertThat(report.getAsJsonArray("failures")).isEmpty();
    JsonArray accesses = report.getAsJsonArray("accesses");
    assertThat(accesses).hasSize(4 * 3 * AccessPattern.values().length);
    for (JsonElement element : accesses) {
      JsonObject access = element.getAsJsonObject();
      JsonObject ours = access.getAsJsonObject("ours");
      JsonObject stock = access.getAsJsonObject("stock");
      assertThat(ours.get("bytes").getAsLong()).as("%s", access).isPositive();
      assertThat(stock.get("bytes").getAsLong()).as("%s", access).isPositive();
      assertThat(stock.get("connections").getAsInt())
          .isBetween(1, stock.get("blockReads").getAsInt());
      // None of these counts depends on when a connection is closed.
      if (access.get("pattern").getAsString().startsWith("hbase-get")
          && access.get("dead").getAsInt() == 0) {
        assertThat(ours.get("bytes").getAsLong())
            .as("%s", access)
            .isLessThanOrEqualTo(stock.get("bytes").getAsLong());
      }
    }
    assertThat(report.getAsJsonArray("judgements")).hasSize(3);
    Leftovers.assertNone(directory);
  }
}
