// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Judges a finished run of Hadoop's tests: every test passed or is a known deviation, every class
 * ran to its end with at least one test, and the coder and the streams under test were used.
 *
 * <p>Arguments: run directory, deviations file, Hadoop version, Java major version, coder, engine
 * of our coder ({@code native} or {@code java}), client ({@code stripeline} or {@code stock}),
 * placement ({@code ear} or {@code stock}). The run directory holds one folder per class with
 * {@code entry}, {@code exit}, {@code tests.tsv} and {@code witness.tsv}. Prints a table; writes
 * {@code results.tsv} into the run directory and the names of folders whose logs should be kept
 * into {@code keep}. Exit status 0 if all is as expected, 1 if not.
 */
public final class Verdict {
  /** The expected use of coders by a class. */
  enum Coding {
    /** The coder under test is called, and no other one. */
    LIVE,
    /** No coder is called because of the nature of the tests. */
    IDLE,
    /** The coder under test is called, and the tests also call others by name. */
    MIXED,
    /** The tests choose the coder themselves, so their calls do not matter. */
    ANY,
    /** Our jar is on the class path but not configured: our coder must not be called. */
    OFF
  }

  private final Path run;
  private final List<Deviation> deviations;
  private final String coder;
  private final String engine;
  private final boolean ourClient;
  private final boolean ourPlacement;
  private final List<String> unexpected = new ArrayList<>();
  private final List<String> results = new ArrayList<>();
  private final List<String> keep = new ArrayList<>();
  private final int[] totals = new int[4];
  private static final int PASSED = 0;
  private static final int FAILED = 1;
  private static final int SKIPPED = 2;
  private static final int DEVIATED = 3;

  Verdict(
      Path run,
      List<Deviation> deviations,
      String coder,
      String engine,
      boolean ourClient,
      boolean ourPlacement) {
    this.run = run;
    this.deviations = deviations;
    this.coder = coder;
    this.engine = engine;
    this.ourClient = ourClient;
    this.ourPlacement = ourPlacement;
  }

  /**
   * Judges a run.
   *
   * @param args see the class comment
   * @throws IOException if the run cannot be read
   */
  public static void main(String[] args) throws IOException {
    if (args.length != 8) {
      System.err.println("usage: Verdict RUN DEVIATIONS HADOOP JAVA CODER ENGINE CLIENT PLACEMENT");
      System.exit(2);
    }
    List<Deviation> deviations =
        Deviation.load(Paths.get(args[1])).stream()
            .filter(deviation -> deviation.appliesTo(args[2], args[3], args[4], args[6]))
            .collect(Collectors.toList());
    Verdict verdict =
        new Verdict(
            Paths.get(args[0]),
            deviations,
            args[4],
            args[5],
            args[6].equals("stripeline"),
            args[7].equals("ear"));
    System.exit(verdict.judge().isEmpty() ? 0 : 1);
  }

  /** Prints the table and returns the unexpected results. */
  List<String> judge() throws IOException {
    List<Path> folders;
    try (Stream<Path> entries = Files.list(run)) {
      folders =
          entries
              .filter(path -> Files.exists(path.resolve("entry")))
              .sorted()
              .collect(Collectors.toList());
    }
    System.out.printf(
        "%-52s %6s %6s %6s %7s %8s  %s%n",
        "class", "passed", "failed", "skip", "seconds", "MiB", "coder calls (encode+decode)");
    for (Path folder : folders) {
      judgeClass(folder);
    }
    if (folders.isEmpty()) {
      unexpected.add("no class was run");
    }
    Files.write(run.resolve("results.tsv"), results, StandardCharsets.UTF_8);
    Files.write(run.resolve("keep"), keep, StandardCharsets.UTF_8);
    System.out.printf(
        "%d passed, %d failed, %d skipped (%d of the failed or skipped are known deviations)%n",
        totals[PASSED], totals[FAILED], totals[SKIPPED], totals[DEVIATED]);
    for (String line : unexpected) {
      System.out.println("UNEXPECTED: " + line);
    }
    return unexpected;
  }

  private void judgeClass(Path folder) throws IOException {
    String[] entry = readLines(folder.resolve("entry")).get(0).split("\t");
    String[] exit = readLines(folder.resolve("exit")).get(0).split("\t");
    String className = entry[0].replaceAll("#.*", "");
    int troubleBefore = unexpected.size();

    int[] counts = new int[3];
    boolean ended = false;
    for (String line : readLines(folder.resolve("tests.tsv"))) {
      if (line.equals("end")) {
        ended = true;
        continue;
      }
      String[] test = line.split("\t", -1);
      counts[judgeTest(test)]++;
      results.add(line);
    }
    if (!ended) {
      String why = exit[0].equals("124") || exit[0].equals("137") ? "time limit" : "JVM ended";
      unexpected.add(className + ": stopped after " + exit[1] + " s, " + why + ", exit " + exit[0]);
    }
    if (counts[PASSED] + counts[FAILED] == 0) {
      unexpected.add(className + ": ran no test");
    }
    for (String method : entry[0].replaceAll("^[^#]*#?", "").split(",")) {
      if (!method.isEmpty() && results.stream().noneMatch(r -> names(r, className, method))) {
        unexpected.add(className + "#" + method + ": did not run");
      }
    }
    Witness witness = Witness.read(folder.resolve("witness.tsv"));
    String[] expected = entry[1].split("\\+", 2);
    judgeCoding(className, Coding.valueOf(expected[0].toUpperCase(Locale.ROOT)), witness);
    String works = expected.length > 1 ? expected[1] : "";
    judgeStreams(className, works, witness);
    judgePlacement(className, works.indexOf('p') >= 0, witness);
    for (int i = 0; i < counts.length; i++) {
      totals[i] += counts[i];
    }
    System.out.printf(
        "%-52s %6d %6d %6d %7s %8d  %s%n",
        className.replaceAll(".*\\.", ""),
        counts[PASSED],
        counts[FAILED],
        counts[SKIPPED],
        exit[1],
        witness.peakRssKib / 1024,
        describe(witness));
    if (unexpected.size() > troubleBefore) {
      keep.add(folder.getFileName().toString());
    }
  }

  private int judgeTest(String[] test) {
    String outcome = test[0];
    Deviation deviation =
        deviations.stream().filter(d -> d.covers(test[1])).findFirst().orElse(null);
    switch (outcome) {
      case "passed":
        if (deviation != null && deviation.outcome() == Deviation.Outcome.FAILS) {
          unexpected.add(test[1] + ": passed, yet is listed as failing: " + deviation.reason());
        }
        return PASSED;
      case "skipped":
        if (deviation != null && deviation.outcome() == Deviation.Outcome.SKIPS) {
          totals[DEVIATED]++;
        } else {
          unexpected.add(test[1] + ": skipped: " + test[3]);
        }
        return SKIPPED;
      default:
        if (deviation != null && deviation.outcome() != Deviation.Outcome.SKIPS) {
          totals[DEVIATED]++;
        } else {
          unexpected.add(test[1] + ": failed: " + test[3]);
        }
        return FAILED;
    }
  }

  private void judgeCoding(String className, Coding coding, Witness witness) {
    if (witness.peakRssKib == 0) {
      unexpected.add(className + ": the coder witness left no record");
      return;
    }
    List<String> ours = new ArrayList<>();
    List<String> others = new ArrayList<>();
    witness.calls.keySet().forEach(name -> (isUnderTest(name) ? ours : others).add(name));
    String seen = describe(witness);
    boolean oursExpected = coding == Coding.LIVE || coding == Coding.MIXED;
    if (oursExpected && ours.isEmpty()) {
      unexpected.add(className + ": coder '" + coder + "' was never called: " + seen);
    }
    if ((coding == Coding.LIVE || coding == Coding.IDLE) && !others.isEmpty()) {
      unexpected.add(className + ": other coders were called: " + seen);
    }
    if (coding == Coding.IDLE && !ours.isEmpty()) {
      unexpected.add(className + ": codes, yet is listed as idle: " + seen);
    }
    if (coding == Coding.OFF && !ours.isEmpty() && !coder.equals("rs_java")) {
      unexpected.add(className + ": our coder was called though not configured: " + seen);
    }
    if (!ours.isEmpty() && !coder.equals("rs_java") && !witness.engine.startsWith(engine + ' ')) {
      unexpected.add(className + ": engine '" + engine + "' was not the live one: " + seen);
    }
  }

  /**
   * Checks that our streams were opened where {@code expected} has an r (reading) or w (writing),
   * and that no stock streams were, unless {@code expected} has a ~: some tests create stock
   * streams explicitly. Without our client, our streams must not be opened.
   */
  private void judgeStreams(String className, String expected, Witness witness) {
    for (String operation : new String[] {"read", "write"}) {
      boolean ours = witness.streams.containsKey(operation + " Stripeline");
      boolean stock = witness.streams.containsKey(operation + " DFSStriped");
      boolean wanted = expected.indexOf(operation.charAt(0)) >= 0;
      String seen = ": streams seen: " + witness.streams;
      if (ourClient && wanted && !ours) {
        unexpected.add(className + ": our pipeline did not " + operation + seen);
      }
      if (ourClient && wanted && stock && expected.indexOf('~') < 0) {
        unexpected.add(className + ": the stock pipeline was used to " + operation + seen);
      }
      if (!ourClient && ours) {
        unexpected.add(className + ": our pipeline was used though not configured" + seen);
      }
    }
  }

  private void judgePlacement(String className, boolean wanted, Witness witness) {
    if (ourPlacement && wanted && witness.advised == 0) {
      unexpected.add(className + ": our placement policy placed no block");
    }
    if (!ourPlacement && witness.advised > 0) {
      unexpected.add(className + ": our placement policy was used though not configured");
    }
  }

  private boolean isUnderTest(String coderClass) {
    boolean hadoops = coderClass.matches(".*\\.(RS|RSLegacy|XOR)Raw(En|De)coder");
    return coder.equals("rs_java")
        ? hadoops
        : coderClass.matches(".*\\.(Stripeline[A-Z]|FusedStripeEncoder).*");
  }

  private static boolean names(String result, String className, String method) {
    String name = result.split("\t", -1)[1];
    return name.equals(className + "#" + method) || name.startsWith(className + "#" + method + "[");
  }

  private static String describe(Witness witness) {
    String others =
        (witness.streams.isEmpty() ? "" : " streams " + witness.streams)
            + (witness.advised == 0 ? "" : " blocks placed by ours " + witness.advised);
    if (witness.calls.isEmpty()) {
      return "none" + others;
    }
    return witness.calls.entrySet().stream()
            .map(call -> call.getKey().replaceAll(".*\\.", "") + ' ' + call.getValue())
            .collect(Collectors.joining(", "))
        + (witness.engine.isEmpty() ? "" : " (" + witness.engine + ')')
        + others;
  }

  /** The counts of {@link CoderWitness} in the JVM of one class. */
  private static final class Witness {
    private final Map<String, Long> calls = new LinkedHashMap<>();
    private final Map<String, Long> streams = new LinkedHashMap<>();
    private String engine = "";
    private long advised;
    private long peakRssKib;

    static Witness read(Path file) throws IOException {
      Witness witness = new Witness();
      for (String line : readLines(file)) {
        String[] fields = line.split("\t");
        switch (fields[0]) {
          case "calls":
            witness.calls.merge(fields[2], Long.parseLong(fields[3]), Long::sum);
            break;
          case "streams":
            String whose = fields[2].contains(".DFSStriped") ? "DFSStriped" : "Stripeline";
            witness.streams.merge(fields[1] + ' ' + whose, Long.parseLong(fields[3]), Long::sum);
            break;
          case "advised":
            witness.advised = Long.parseLong(fields[1]);
            break;
          case "engine":
            witness.engine = fields[1] + ' ' + fields[2];
            break;
          default:
            witness.peakRssKib = Long.parseLong(fields[1]);
        }
      }
      return witness;
    }
  }

  private static List<String> readLines(Path file) throws IOException {
    return Files.exists(file)
        ? Files.readAllLines(file, StandardCharsets.UTF_8)
        : Collections.emptyList();
  }
}
