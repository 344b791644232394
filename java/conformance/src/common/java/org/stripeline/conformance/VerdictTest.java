// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a run of Hadoop's tests that proves nothing is not reported as a success. */
class VerdictTest {
  private static final String OURS = "calls\tencode\ta.StripelineRawEncoder\t3";
  private static final String STOCK = "calls\tencode\ta.RSRawEncoder\t3";
  private static final String NATIVE = "engine\tnative\tavx2";
  private static final String RSS = "peak-rss-kib\t1024";
  private static final String PASSED = "passed\ta.T#one\t5\t";

  @TempDir Path run;

  @Test
  void acceptsOurCoderOnTheEngineAskedFor() throws IOException {
    entry("a.T\tlive\t9", "0\t1", lines(PASSED, "end"), lines(OURS, NATIVE, RSS));
    assertEquals(Collections.emptyList(), judge());
  }

  @Test
  void refusesAnotherCoder() throws IOException {
    entry("a.T\tlive\t9", "0\t1", lines(PASSED, "end"), lines(STOCK, RSS));
    assertUnexpected("a.T: coder 'stripeline' was never called: RSRawEncoder 3");
    assertUnexpected("a.T: other coders were called: RSRawEncoder 3");
  }

  @Test
  void refusesAnotherCoderInAdditionToOurs() throws IOException {
    entry("a.T\tlive\t9", "0\t1", lines(PASSED, "end"), lines(OURS, STOCK, NATIVE, RSS));
    assertUnexpected("a.T: other coders were called: ");
  }

  @Test
  void refusesTheFallbackInPlaceOfTheNativeEngine() throws IOException {
    entry("a.T\tlive\t9", "0\t1", lines(PASSED, "end"), lines(OURS, "engine\tjava\tjava", RSS));
    assertUnexpected("a.T: engine 'native' was not the live one: ");
  }

  @Test
  void refusesOurCoderWhereItIsNotConfigured() throws IOException {
    entry("a.T\toff\t9", "0\t1", lines(PASSED, "end"), lines(OURS, NATIVE, RSS));
    assertUnexpected("a.T: our coder was called though not configured: ");
  }

  @Test
  void refusesACoderWhereNoneIsExpected() throws IOException {
    entry("a.T\tidle\t9", "0\t1", lines(PASSED, "end"), lines(OURS, NATIVE, RSS));
    assertUnexpected("a.T: codes, yet is listed as idle: ");
  }

  @Test
  void refusesAJvmWithoutTheWitness() throws IOException {
    entry("a.T\tany\t9", "0\t1", lines(PASSED, "end"), lines());
    assertUnexpected("a.T: the coder witness left no record");
  }

  @Test
  void refusesAClassThatStoppedHalfWay() throws IOException {
    entry("a.T\tany\t9", "137\t9", lines(PASSED), lines(RSS));
    assertUnexpected("a.T: stopped after 9 s, time limit, exit 137");
  }

  @Test
  void refusesAClassWithoutTests() throws IOException {
    entry("a.T\tany\t9", "2\t1", lines("skipped\ta.T\t0\tdisabled", "end"), lines(RSS));
    assertUnexpected("a.T: ran no test");
    assertUnexpected("a.T: skipped: disabled");
  }

  @Test
  void refusesAMethodThatDidNotRun() throws IOException {
    entry("a.T#one,two\tany\t9", "0\t1", lines(PASSED, "end"), lines(RSS));
    assertUnexpected("a.T#two: did not run");
  }

  @Test
  void refusesAnEmptyRun() throws IOException {
    assertUnexpected("no class was run");
  }

  @Test
  void acceptsFailuresOnlyIfListedAndListedOnesOnlyIfTheyFail() throws IOException {
    String failed = "failed\ta.T#two\t5\tboom";
    entry("a.T\tany\t9", "1\t1", lines(PASSED, failed, "end"), lines(RSS));
    assertUnexpected("a.T#two: failed: boom");
    assertEquals(Collections.emptyList(), judge("* | * | stripeline | a.T#t* | fails | known"));
    assertEquals(Collections.emptyList(), judge("3.4.2 | * | * | a.T#two | flaky | known"));
    assertEquals(
        Collections.emptyList(),
        judge(true, "* | * | client=stripeline | a.T#two | fails | known"));
    assertTrue(judge("* | * | client=stripeline | a.T#two | fails | other client").size() == 1);
    assertTrue(judge("3.3.6 | * | * | a.T#two | fails | other version").size() == 1);
    assertEquals(
        Arrays.asList("a.T#one: passed, yet is listed as failing: known"),
        judge("* | * | * | a.T#* | fails | known"));
  }

  @Test
  void acceptsOurStreamsAndRefusesAdditionalStockStreams() throws IOException {
    String write = "streams\twrite\ta.DurableOutputStream\t2";
    String read = "streams\tread\ta.StripelineInputStream\t2";
    entry("a.T\tany+rw\t9", "0\t1", lines(PASSED, "end"), lines(write, read, RSS));
    assertEquals(Collections.emptyList(), judge(true));
    assertTrue(judge(false).get(0).contains("was used though not configured"));
    witness("streams\twrite\ta.DFSStripedOutputStream\t2", read, RSS);
    List<String> unexpected = judge(true);
    assertTrue(unexpected.get(0).startsWith("a.T: our pipeline did not write"));
    assertTrue(unexpected.get(1).startsWith("a.T: the stock pipeline was used to write"));
  }

  @Test
  void acceptsAdditionalStockStreamsThatTestsCreate() throws IOException {
    String stock = "streams\tread\ta.DFSStripedInputStream\t2";
    String read = "streams\tread\ta.StripelineInputStream\t2";
    entry("a.T\tany+r~\t9", "0\t1", lines(PASSED, "end"), lines(stock, read, RSS));
    assertEquals(Collections.emptyList(), judge(true));
  }

  @Test
  void requiresBlocksPlacedByOurPolicyOnlyWhereListed() throws IOException {
    entry("a.T\tany+p\t9", "0\t1", lines(PASSED, "end"), lines(RSS));
    assertEquals(Collections.emptyList(), judge());
    assertEquals(
        Collections.singletonList("a.T: our placement policy placed no block"), judge(false, true));
    witness("advised\t3", RSS);
    assertEquals(Collections.emptyList(), judge(false, true));
    assertUnexpected("a.T: our placement policy was used though not configured");
  }

  private void witness(String... lines) throws IOException {
    write(run.resolve("000-T").resolve("witness.tsv"), lines(lines));
  }

  private void entry(String entry, String exit, List<String> tests, List<String> witness)
      throws IOException {
    Path folder = Files.createDirectory(run.resolve("000-T"));
    write(folder.resolve("entry"), Collections.singletonList(entry));
    write(folder.resolve("exit"), Collections.singletonList(exit));
    write(folder.resolve("tests.tsv"), tests);
    write(folder.resolve("witness.tsv"), witness);
  }

  private static List<String> lines(String... lines) {
    return Arrays.asList(lines);
  }

  private static void write(Path file, List<String> lines) throws IOException {
    Files.write(file, lines, StandardCharsets.UTF_8);
  }

  private void assertUnexpected(String start) throws IOException {
    List<String> unexpected = judge();
    assertTrue(
        unexpected.stream().anyMatch(line -> line.startsWith(start)),
        () -> "no line starts with '" + start + "': " + unexpected);
  }

  private List<String> judge(String... deviations) throws IOException {
    return judge(false, deviations);
  }

  private List<String> judge(boolean ourClient, String... deviations) throws IOException {
    return judge(ourClient, false, deviations);
  }

  private List<String> judge(boolean ourClient, boolean ourPlacement, String... deviations)
      throws IOException {
    Path file = run.resolve("deviations.txt");
    write(file, Arrays.asList(deviations));
    List<Deviation> known = Deviation.load(file);
    String client = ourClient ? "stripeline" : "stock";
    known.removeIf(deviation -> !deviation.appliesTo("3.4.2", "17", "stripeline", client));
    return new Verdict(run, known, "stripeline", "native", ourClient, ourPlacement).judge();
  }
}
