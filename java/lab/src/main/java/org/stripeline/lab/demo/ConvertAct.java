// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.stripeline.lab.bench.convert.ConvertSettings;
import org.stripeline.lab.bench.convert.MethodJvm;
import org.stripeline.lab.bench.convert.PlainFiles;
import org.stripeline.lab.demo.Stage.Side;
import org.stripeline.plan.PlanCommand;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Spread;
import picocli.CommandLine;

/**
 * Act 3: runs {@code plan} and {@code convert} on a replicated tree in place, and compares them
 * with {@code hdfs dfs -cp} of an equal tree into an erasure-coded directory; each command runs in
 * a separate JVM.
 */
final class ConvertAct implements DemoRunner.Act {
  private static final int REPLICATION = 3;

  /** Maximum disk usage beyond the plan, as a share. */
  private static final double PLAN_TOLERANCE = 0.02;

  private final Stage stage;
  private final ConvertSettings tree;
  private final ConvertSettings oneFile;
  private final long treeBytes;
  private final String code;
  private final Map<Side, List<Double>> rates = new EnumMap<>(Side.class);
  private final Map<Side, Double> moved = new EnumMap<>(Side.class);
  private Path coded;
  private PlainFiles timed;
  private PlainFiles untimed;
  private MethodJvm commands;

  ConvertAct(Stage stage) {
    this.stage = stage;
    tree = shape(stage.settings().groups(stage.settings().treeBlockBytes()));
    oneFile = shape(1);
    treeBytes = tree.bytes(stage.settings().policy());
    code = ConvertSettings.code(stage.settings().policy());
  }

  private ConvertSettings shape(int files) {
    ConvertSettings shape = new ConvertSettings();
    shape.replication = REPLICATION;
    shape.blockBytes = stage.settings().treeBlockBytes();
    shape.groups = 1;
    shape.files = files;
    return shape;
  }

  @Override
  public void play() throws IOException {
    coded = stage.codedDirectory("copies");
    timed = new PlainFiles(stage.cluster(), tree, stage.settings().policy());
    untimed = new PlainFiles(stage.cluster(), oneFile, stage.settings().policy());
    commands =
        new MethodJvm(
            Collections.<String>emptyList(),
            Paths.get(stage.cluster().status().clientConfiguration),
            stage.place().data().resolve("commands.log"));
    int warmUps = stage.settings().isQuick() ? 0 : 1;
    int rounds = stage.settings().longRounds();
    try (Progress.Step step =
            stage.progress().step("3 plan, convert, copy", 2 * rounds * treeBytes);
        PlainFiles closed = timed;
        PlainFiles closedToo = untimed) {
      for (int round = -warmUps; round < rounds; round++) {
        for (Side side : Stage.inTurn(Math.floorMod(round, 2))) {
          play(side, round, step);
          step.advance(round < 0 ? 0 : treeBytes);
        }
      }
      step.note("");
      step.succeeded();
    }
    stage
        .report()
        .add(
            new DemoReport.Row(
                3,
                (treeBytes >> 20) + " MiB of replicas to " + code + ": in place, or cp",
                "convert",
                DemoReport.Unit.MIB_PER_SECOND,
                rate(Side.OURS),
                rate(Side.STOCK),
                null));
    stage
        .report()
        .add(
            new DemoReport.Row(
                3,
                "bytes that DataNodes sent and received",
                "moved",
                DemoReport.Unit.BYTES,
                single(moved.get(Side.OURS)),
                single(moved.get(Side.STOCK)),
                null));
  }

  private Spread rate(Side side) {
    return Spread.of(rates.get(side));
  }

  private static Spread single(double value) {
    return Spread.of(Collections.singletonList(value));
  }

  private void play(Side side, int round, Progress.Step step) throws IOException {
    boolean ours = side == Side.OURS;
    PlainFiles files = round < 0 ? untimed : timed;
    Path source = new Path(Stage.ROOT, (ours ? "convert-" : "copy-") + (round + 1));
    step.note("write a tree of three replicas");
    files.write(source.toString());
    long planned = ours && round == 0 ? plan(source) : 0;
    step.note(ours ? "convert" : "hdfs dfs -cp");
    double before = round == 0 ? settledBytes() : 0;
    MethodJvm.Run run = commands.run(command(side, source));
    if (round == 0) {
      moved.put(side, settledBytes() - before);
    }
    if (round >= 0) {
      rates
          .computeIfAbsent(side, key -> new ArrayList<>())
          .add(treeBytes / ByteSize.MIB / run.seconds);
    }
    step.note("compare every byte");
    Path result = ours ? source : new Path(coded, source.getName());
    try {
      files.compare(result.toString());
    } catch (IOException e) {
      throw new DemoException("Wrong in act 3: " + e.getMessage());
    }
    if (planned > 0) {
      checkPlan(source, planned);
    }
    stage.cluster().fs().delete(source, true);
    stage.cluster().fs().delete(result, true);
  }

  private List<String> command(Side side, Path source) {
    if (side == Side.STOCK) {
      return Arrays.asList(
          "fs",
          "-D" + RebuildAct.CODER_KEY + "=" + stage.coder(side),
          "-cp",
          source.toString(),
          coded.toString());
    }
    return Arrays.asList("convert", source.toString(), "--policy=" + code, "--execute", "--json");
  }

  /** Returns the disk usage of the tree after conversion according to {@code stripeline plan}. */
  private long plan(Path source) throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine plan = CommandStyle.commandLine(new PlanCommand());
    plan.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String uri = stage.cluster().status().uri + source;
    int status = plan.execute(uri, "--policy=" + code, "--json");
    if (status != 0) {
      throw new DemoException(
          "'stripeline plan' ended with status " + status + ": " + err.toString().trim());
    }
    JsonObject report = new JsonParser().parse(out.toString()).getAsJsonObject();
    JsonObject moves = report.getAsJsonObject("moves");
    JsonObject total = report.getAsJsonObject("total");
    stage
        .report()
        .check(
            "3: plan: %,d MiB on disks become %,d; in place %,d MiB cross the network, by a copy"
                + " %,d",
            total.get("bytesNow").getAsLong() >> 20,
            total.get("bytesAfter").getAsLong() >> 20,
            moves.get("networkAdoption").getAsLong() >> 20,
            moves.get("networkCopy").getAsLong() >> 20);
    return total.get("bytesAfter").getAsLong();
  }

  private void checkPlan(Path source, long planned) throws IOException {
    long taken = stage.cluster().fs().getContentSummary(source).getSpaceConsumed();
    if (Math.abs(taken - planned) > PLAN_TOLERANCE * planned) {
      throw new DemoException(
          "Wrong plan: " + source + " takes " + taken + " bytes on disks, planned were " + planned);
    }
    stage
        .report()
        .check(
            "3: converted under its path, it takes %,d MiB; every byte of each tree and copy"
                + " compared",
            taken >> 20);
  }

  /**
   * Returns the bytes that DataNodes have sent and received, once their counters are up to date.
   */
  private double settledBytes() throws IOException {
    double last = -1;
    double now = sumOfBytes();
    while (now != last) {
      RebuildAct.pause(RebuildAct.METRICS_MILLIS);
      last = now;
      now = sumOfBytes();
    }
    return now;
  }

  private double sumOfBytes() throws IOException {
    double sum = 0;
    for (Map<String, Object> bean :
        stage.cluster().client().metrics(RebuildAct.ACTIVITY).values()) {
      sum += ((Number) bean.get("BytesRead")).doubleValue();
      sum += ((Number) bean.get("BytesWritten")).doubleValue();
    }
    return sum;
  }
}
