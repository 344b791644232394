// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stripeline.terminal.TextTable;

/**
 * What one run of the demo found. The field names are those of the JSON output; a run that failed
 * holds what was found until then.
 */
final class DemoReport {

  boolean passed;
  /** What was wrong, null when nothing was. */
  String failure;

  String policy;
  int datanodes;
  String hadoopVersion;
  String javaVersion;
  int processors;
  String note =
      "client and servers share one machine: the figures compare coders, not clusters";

  int files;
  long bytes;
  /** Files that reading and writing was timed on: the short ones are all latency. */
  int timedFiles;

  long timedBytes;
  int blockGroups;
  int internalBlocks;

  final List<Coder> coders = new ArrayList<>();
  final List<StepResult> steps = new ArrayList<>();
  final Proof proof = new Proof();
  double seconds;

  private transient Map<String, Map<String, Figures>> figures = new LinkedHashMap<>();

  /** A coder that took part, and what was seen of it at work. */
  static final class Coder {
    String name;
    /** Class that Hadoop made for a client of this configuration. */
    String clientEncoder;
    String clientDecoder;
    /** Instruction set and kind, as the coder itself says; null for Hadoop's. */
    String clientInstructionSet;
    String datanodeInstructionSet;
    /** What the DataNodes rebuilt with it. */
    int blocksRebuilt;
    long bytesRebuilt;
    long rebuildTasks;
    long rebuildTasksFailed;
    double rebuildDecodingSeconds;
  }

  /** Figures of one step with one coder; medians over the rounds. */
  static final class StepResult {
    String step;
    String coder;
    int rounds;
    double mibPerSecond;
    double slowestMibPerSecond;
    double fastestMibPerSecond;
    double seconds;
    double clientCpuSecondsPerGib;
    double serverCpuSecondsPerGib;
  }

  /** What was compared and judged. */
  static final class Proof {
    /** Bytes read through HDFS and found equal to their source. */
    long bytesVerified;
    /** Internal blocks whose bytes on the disks are the same for all coders. */
    int blocksEqualAcrossCoders;
    /** Internal blocks compared on the disks with those first written, after rebuilding. */
    int blocksEqualAfterRebuild;
    int datanodesKilled;
    int blocksLost;
    int blocksRebuilt;
    String fsck;
    int filesVerifiedByVerifyEc;
    int filesLeftOutByVerifyEc;
    /** Answer of the query on the Parquet table, or why there is no table. */
    String parquetQuery;
    int parquetQueriesEqual;
  }

  /** Adds a round; steps and coders keep the order in which they first appear. */
  void add(String step, String coder, Figures.Round round) {
    figures
        .computeIfAbsent(step, s -> new LinkedHashMap<>())
        .computeIfAbsent(coder, c -> new Figures())
        .add(round);
  }

  Coder coder(String name) {
    for (Coder coder : coders) {
      if (coder.name.equals(name)) {
        return coder;
      }
    }
    Coder coder = new Coder();
    coder.name = name;
    coders.add(coder);
    return coder;
  }

  /** Turns rounds into figures; to be called once, at the end. */
  void finish() {
    figures.forEach((step, byCoder) -> byCoder.forEach((c, f) -> steps.add(result(step, c, f))));
  }

  private static StepResult result(String step, String coder, Figures figures) {
    StepResult result = new StepResult();
    result.step = step;
    result.coder = coder;
    result.rounds = figures.count();
    result.mibPerSecond = figures.mibPerSecond();
    result.slowestMibPerSecond = figures.spread()[0];
    result.fastestMibPerSecond = figures.spread()[1];
    result.seconds = figures.seconds();
    result.clientCpuSecondsPerGib = figures.clientCpuSecondsPerGib();
    result.serverCpuSecondsPerGib = figures.serverCpuSecondsPerGib();
    return result;
  }

  /** The report for a person. */
  String render() {
    StringBuilder text = new StringBuilder();
    if (policy == null) {
      line(text, "Could not run: %s", failure);
      return text.toString();
    }
    line(
        text,
        "%s on %d DataNodes, Hadoop %s, Java %s, %d processors; %d files, %.1f MiB, %d block"
            + " groups",
        policy, datanodes, hadoopVersion, javaVersion, processors, files, mib(bytes), blockGroups);
    line(text, "timed on the %d longest files, %.1f MiB", timedFiles, mib(timedBytes));
    text.append('\n').append(table()).append('\n');
    for (Coder coder : coders) {
      renderCoder(text, coder);
    }
    renderProof(text);
    line(text, "Note     %s", note);
    if (passed) {
      line(text, "%nPASSED in %.0f s", seconds);
    } else {
      line(text, "%nFAILED after %.0f s: %s", seconds, failure);
    }
    return text.toString();
  }

  private String table() {
    TextTable table =
        new TextTable("step", "coder", "MiB/s", "speed", "client CPU s/GiB", "server CPU s/GiB");
    String before = null;
    for (StepResult step : steps) {
      StepResult other = lastOf(step.step);
      table.row(
          step.step.equals(before) ? "" : step.step,
          step.coder,
          number("%.1f", step.mibPerSecond),
          step == other ? "1" : number("%.2fx", step.mibPerSecond / other.mibPerSecond),
          number("%.2f", step.clientCpuSecondsPerGib),
          number("%.2f", step.serverCpuSecondsPerGib));
      before = step.step;
    }
    return table.render();
  }

  /** What the others of a step are compared with: the last coder is the stock one. */
  private StepResult lastOf(String name) {
    StepResult last = null;
    for (StepResult step : steps) {
      last = step.step.equals(name) && isLaterCoder(last, step) ? step : last;
    }
    return last;
  }

  private boolean isLaterCoder(StepResult last, StepResult step) {
    return last == null || coders.indexOf(coder(step.coder)) > coders.indexOf(coder(last.coder));
  }

  private static void renderCoder(StringBuilder text, Coder coder) {
    line(
        text,
        "Coder    %s: client %s%s; DataNodes %s",
        coder.name,
        simpleName(coder.clientEncoder),
        coder.clientInstructionSet == null ? "" : " (" + coder.clientInstructionSet + ")",
        coder.datanodeInstructionSet == null
            ? "the same, ours idle meanwhile"
            : coder.datanodeInstructionSet);
    if (coder.blocksRebuilt > 0) {
      line(
          text,
          "         rebuilt %d blocks, %.1f MiB, in %d tasks (%d failed); %.2f s of it decoding",
          coder.blocksRebuilt,
          mib(coder.bytesRebuilt),
          coder.rebuildTasks,
          coder.rebuildTasksFailed,
          coder.rebuildDecodingSeconds);
    }
  }

  private void renderProof(StringBuilder text) {
    line(text, "Verified %.1f MiB read back and equal to their source", mib(proof.bytesVerified));
    line(
        text,
        "         %d internal blocks, parity too, equal on disk for all coders; %d again after"
            + " rebuilding",
        proof.blocksEqualAcrossCoders,
        proof.blocksEqualAfterRebuild);
    line(
        text,
        "Rebuilt  %d of %d blocks lost with %d DataNodes",
        proof.blocksRebuilt,
        proof.blocksLost,
        proof.datanodesKilled);
    line(
        text,
        "Judges   hdfs fsck: %s; hdfs debug verifyEC: %d files OK%s",
        proof.fsck,
        proof.filesVerifiedByVerifyEc,
        proof.filesLeftOutByVerifyEc == 0
            ? ""
            : " (" + proof.filesLeftOutByVerifyEc + " smaller ones left out)");
    if (proof.parquetQuery != null) {
      boolean asked = proof.parquetQueriesEqual > 0;
      line(
          text,
          "Parquet  %s%s",
          proof.parquetQuery,
          asked ? "; equal in " + proof.parquetQueriesEqual + " queries" : "");
    }
  }

  private static String simpleName(String className) {
    return className == null ? "?" : className.substring(className.lastIndexOf('.') + 1);
  }

  private static double mib(long count) {
    return count / (double) (1 << 20);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private static void line(StringBuilder text, String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
