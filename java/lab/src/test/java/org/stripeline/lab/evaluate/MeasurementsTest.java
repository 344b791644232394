// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.testkit.ForkedJvm;
import org.stripeline.testkit.Leftovers;

@Timeout(120)
class MeasurementsTest {
  private static final String OURS = "functional-partitioned";

  private static final String CLIENT_ROW =
      "{'policy':'RS-6-3-64k','threads':1,'operation':'%s','contestant':'%s',"
          + "'mibPerSecond':{'median':%s}}";

  @TempDir Path directory;

  private Measurements measurements;

  /** A command whose first argument is its exit status and whose second is its output. */
  public static final class Stub {
    public static void main(String[] arguments) throws Exception {
      // As a program prints it whose locale is not UTF-8.
      System.err.write(new byte[] {'M', (byte) 0xfc, '\n'});
      System.err.println("stripeline: Cannot measure: no such thing");
      System.out.println(
          arguments[1].equals("tmpdir")
              ? "{\"tmpdir\":\"" + System.getProperty("java.io.tmpdir") + "\"}"
              : arguments[1]);
      if (arguments[0].equals("wait")) {
        Files.createFile(Path.of(arguments[1]));
        Thread.currentThread().join();
      }
      System.exit(Integer.parseInt(arguments[0]));
    }
  }

  /** Runs the command that waits, in a process that a test kills. */
  public static final class Waiting {
    public static void main(String[] arguments) throws Exception {
      new Measurements(Path.of(arguments[0]), Stub.class, Path.of(arguments[0]), "c1")
          .run(Measurement.of("w", 1, "wait " + arguments[0] + "/started"));
    }
  }

  @BeforeEach
  void open() throws Exception {
    measurements = new Measurements(directory, Stub.class, directory, "c1");
  }

  @Test
  void aCompleteMeasurementIsNotRepeated() throws Exception {
    Measurement one = Measurement.of("one", 1, "0 {\"a\":1}");
    assertThat(measurements.earlier(one)).isNull();
    assertThat(measurements.run(one).result.get("a").getAsInt()).isEqualTo(1);

    Measurements.Stored earlier = measurements.earlier(one);
    assertThat(earlier.isEarlier).isTrue();
    assertThat(earlier.result.get("a").getAsInt()).isEqualTo(1);
    assertThat(measurements.earlier(Measurement.of("one", 1, "0 {\"a\":2}"))).isNull();
  }

  @Test
  void aResultOfAnotherVersionIsMeasuredAgain() throws Exception {
    Measurement one = Measurement.of("one", 1, "0 {\"a\":1}");
    measurements.run(one);
    Measurements next = new Measurements(directory, Stub.class, directory, "c1");
    Path file = directory.resolve("results/one.json");
    assertThat(next.earlier(one)).isNotNull();
    Measurements ofAnotherCommit = new Measurements(directory, Stub.class, directory, "c2");
    assertThat(ofAnotherCommit.earlier(one)).isNull();
    Files.writeString(file, Files.readString(file).replaceFirst("\"version\": \"", "$0x"));
    assertThat(next.earlier(one)).isNull();
    Files.writeString(file, "{\"version\"");
    assertThat(next.earlier(one)).isNull();
  }

  /** Their figures would be shown beside the name of this machine. */
  @Test
  void anotherMachineOrRuntimeHasAnotherOrigin() {
    List<Consumer<EvaluationReport>> changes =
        List.of(
            report -> {},
            report -> report.commit = "c2",
            report -> report.versions.put("ISA-L", "library 2"),
            report -> report.machine.processor = "another",
            report -> report.machine.processors = 1000,
            report -> report.machine.kernel = "another",
            report -> report.hadoop = "another",
            report -> report.java = "another");
    Set<String> origins = new HashSet<>();
    for (Consumer<EvaluationReport> change : changes) {
      EvaluationReport report = new EvaluationReport();
      change.accept(report);
      origins.add(Origin.of(report));
    }
    assertThat(origins).hasSameSizeAs(changes);
    assertThat(Origin.of(new EvaluationReport()))
        .contains(ManagementFactory.getRuntimeMXBean().getInputArguments().toString());
  }

  @Test
  void theCommitOfACheckoutIsKnownAndSaysWhetherFilesDiffer() throws Exception {
    assertThat(Origin.commit(directory)).isEqualTo("unknown");
    git("init");
    Path file = Files.createFile(directory.resolve("file"));
    git("add", "file");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "first");
    String commit = Origin.commit(directory);
    assertThat(commit).matches("[0-9a-f]{40}");
    Files.writeString(file, "changed");
    assertThat(Origin.commit(directory)).startsWith(commit + " with changes ");
    String before = Origin.commit(directory);
    Files.writeString(file, "changed again");
    assertThat(Origin.commit(directory)).isNotEqualTo(before);
  }

  private void git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git", "-C", directory.toString(), "-c"));
    command.add("commit.gpgsign=false");
    command.addAll(List.of(arguments));
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  @Test
  void whatCannotBeMeasuredIsLeftOutWithTheReason() throws Exception {
    Measurements.Stored stored = measurements.run(Measurement.of("one", 1, "3 {}"));
    assertThat(stored.leftOut).startsWith("stripeline: Cannot measure: no such thing");
    assertThat(stored.failed).isNull();
    assertThat(directory.resolve("results")).isEmptyDirectory();
  }

  /** 137: the kernel has killed it for its memory; 2: it has refused its options. */
  @ParameterizedTest
  @ValueSource(ints = {2, 134, 137})
  void whatWasKilledOrRefusedFailed(int status) throws Exception {
    Measurements.Stored stored = measurements.run(Measurement.of("one", 1, status + " {}"));
    assertThat(stored.failed).contains("Cannot").endsWith(", exit status " + status);
    assertThat(stored.leftOut).isNull();
    assertThat(directory.resolve("results")).isEmptyDirectory();
  }

  /** A bench lists its failures in its result, and need not print them as messages, too. */
  @Test
  void failuresOfAResultAreTheReason() throws Exception {
    String result = "{\"failures\":[\"cp:wrong\",\"cp:late\"]}";
    Measurements.Stored stored = measurements.run(Measurement.of("one", 1, "1 " + result));
    assertThat(stored.failed).isEqualTo("cp:wrong; cp:late, exit status 1");
  }

  /** As {@code bench engine} prints it without memcached. */
  @Test
  void aPartThatWasLeftOutHasAReasonAndNoFigure() {
    String part = "{'part':'metadata','points':[],'notes':['left out: no memcached','other']}";
    JsonObject result = JsonParser.parseString("{'sections':[" + part + "]}").getAsJsonObject();
    assertThat(Measurements.leftOut(result)).isEqualTo("Cannot measure metadata (no memcached)");
    EvaluationReport.Section section =
        concluded(new EngineSection(), Measurement.of("engine", 1, "bench"), "sections", part);
    assertThat(section.figures).isEmpty();
  }

  @Test
  void aFailureIsNoResult() throws Exception {
    assertThat(measurements.run(Measurement.of("one", 1, "1 {}")).failed).contains("Cannot");
    assertThat(measurements.run(Measurement.of("two", 1, "0 nothing")).failed)
        .contains("printed no result");
    assertThat(measurements.run(Measurement.compared("three", 1, "1 {}")).failed).isNull();
    assertThat(directory.resolve("results").toFile().list()).containsExactly("three.json");
  }

  /** Another section may use the same measurement; an evaluation that continues tries it again. */
  @Test
  void whatFailedOrWasLeftOutIsNotRepeatedInTheSameRun() throws Exception {
    Measurement one = Measurement.of("one", 1, "1 {}");
    measurements.run(one);
    assertThat(measurements.earlier(one).failed).contains("Cannot");
    Measurement part = Measurement.of("part", 1, "0 {\"leftOut\":{\"isal\":\"missing\"}}");
    measurements.run(part);
    assertThat(measurements.earlier(part).isEarlier).isTrue();
    Measurement wrong = Measurement.of("wrong", 1, "0 {\"failures\":[\"read,isal\"]}");
    measurements.run(wrong);
    Measurements next = new Measurements(directory, Stub.class, directory, "c1");
    assertThat(next.earlier(one)).isNull();
    assertThat(next.earlier(part)).isNull();
    assertThat(next.earlier(wrong)).isNull();
  }

  @Test
  void aScriptIsRunOrLeftOutWhereThereIsNone() throws Exception {
    Measurement script = Measurement.script("one", 1, "script.sh 7");
    assertThat(script.command()).isEqualTo("script.sh 7");
    assertThat(measurements.run(script).leftOut).contains("it is in checkouts only");
    Path file = directory.resolve("script.sh");
    Files.writeString(
        file, "#!/bin/sh\necho {\\\"a\\\":$1,\\\"b\\\":$STRIPELINE_END_WITH_INPUT}\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    JsonObject result = measurements.run(script).result;
    assertThat(result.get("a").getAsInt()).isEqualTo(7);
    assertThat(result.get("b").getAsInt()).isEqualTo(1);
  }

  @Test
  void aCommandEndsWithTheProcessThatStartedIt() throws Exception {
    Process process =
        ForkedJvm.of(Waiting.class, directory.toString()).builder().inheritIO().start();
    while (!Files.exists(directory.resolve("started"))) {
      Thread.sleep(20);
    }
    process.destroyForcibly().waitFor();
    Leftovers.await(directory);
    assertThat(directory.resolve("results")).isEmptyDirectory();
  }

  @Test
  void everySectionHasMeasurementsOfEachSize() {
    List<Section> sections = EvaluateCommand.all();
    for (Section section : sections) {
      for (Size size : Size.values()) {
        assertThat(section.measurements(size)).as(section.name()).isNotEmpty();
      }
    }
    assertThat(seconds(sections, Size.QUICK)).as("quick").isLessThanOrEqualTo(20 * 60);
    assertThat(seconds(sections, Size.FULL)).as("full").isLessThanOrEqualTo(3 * 60 * 60);
  }

  private static int seconds(List<Section> sections, Size size) {
    return sections.stream()
        .flatMap(section -> section.measurements(size).stream())
        .collect(Collectors.toMap(one -> one.name, one -> one.seconds, Math::max))
        .values()
        .stream()
        .mapToInt(Integer::intValue)
        .sum();
  }

  @Test
  void onARunningClusterNoDataNodeIsStopped() {
    Path conf = Path.of("/etc/conf");
    Measurement own = Measurement.of("one", 1, "bench io --operations=write,read,read-dead2");
    assertThat(own.on(conf, "/p")).as("it may stop DataNodes").isNull();
    assertThat(own.withoutHdfs().on(conf, "/p").arguments).isEqualTo(own.arguments);
    assertThat(own.onAnyHdfs().on(conf, "/p").arguments)
        .containsExactly("bench", "io", "--operations=write,read", "--conf=/etc/conf", "--path=/p");

    List<String> there =
        EvaluateCommand.all().stream()
            .flatMap(section -> section.measurements(Size.FULL).stream())
            .map(measurement -> measurement.on(conf, "/p"))
            .filter(measurement -> measurement != null)
            .map(Measurement::command)
            .collect(Collectors.toList());
    assertThat(there)
        .anyMatch(command -> command.startsWith("stripeline bench io"))
        .noneMatch(command -> command.matches(".*(dead|cold|shaped|bench convert|scripts/).*"));
  }

  @Test
  void readsFromDisksAreInTheDirectoryOfTheEvaluation() throws Exception {
    List<Measurement> onDisk =
        EvaluateCommand.all().stream()
            .flatMap(section -> section.measurements(Size.FULL).stream())
            .filter(Measurement::isOnDisk)
            .collect(Collectors.toList());
    assertThat(onDisk).hasSize(1).allMatch(one -> one.command().contains("read-cold"));

    Measurement elsewhere = Measurement.of("one", 1, "0 tmpdir");
    assertThat(measurements.run(elsewhere).result.get("tmpdir").getAsString())
        .isNotEqualTo(directory.toString());
    assertThat(measurements.run(elsewhere.onDisk()).result.get("tmpdir").getAsString())
        .isEqualTo(directory.toString());
  }

  @Test
  void aFigureSaysThatARunningClusterWasMeasured() {
    Measurement own = Measurement.of("one", 1, "bench io").onAnyHdfs();
    Measurement there = own.on(Path.of("/etc/conf"), "/p");
    EvaluationReport.Section section = new EvaluationReport.Section("clients", "", "");
    EvaluationReport.Figure other = section.figure("other", "own cluster", own);
    EvaluationReport.Figure figure = section.figure("clients", "own cluster", there);
    section.onCluster(there);
    assertThat(figure.difference).contains("running cluster");
    assertThat(other.difference).isEqualTo("own cluster");
  }

  /** Returns what a section concludes from a result with these rows under a key. */
  private static EvaluationReport.Section concluded(
      Section section, Measurement measurement, String key, String... rows) {
    EvaluationReport.Section report = new EvaluationReport.Section(section.name(), "", "");
    String text = "{'" + key + "':[" + String.join(",", rows) + "]}";
    section.conclude(measurement, JsonParser.parseString(text).getAsJsonObject(), report);
    return report;
  }

  @Test
  void aContestantThatWasNotMeasuredIsNotCompared() {
    EvaluationReport.Section section =
        concluded(
            new ClientSection(),
            Measurement.of("clients", 1, "bench io"),
            "rows",
            String.format(CLIENT_ROW, "write", "rs_java", 2),
            String.format(CLIENT_ROW, "write", OURS, 5));
    assertThat(section.figures.get(0).comparisons)
        .extracting(one -> one.what + " " + one.here)
        .containsExactly("write, functional-partitioned over rs_java, threads: 1 2.5");
  }

  @Test
  void writesWhileOthersComputeAreComparedApart() {
    EvaluationReport.Section section =
        concluded(
            new ClientSection(),
            Measurement.of("clients", 1, "bench io"),
            "rows",
            String.format(CLIENT_ROW, "write", "rs_java", 4),
            String.format(CLIENT_ROW, "write-busy", "rs_java", 2),
            String.format(CLIENT_ROW, "write-busy", OURS, 5));
    assertThat(section.figures).hasSize(2);
    assertThat(section.figures.get(0).comparisons).isEmpty();
    assertThat(section.figures.get(1).comparisons)
        .extracting(one -> one.what + " " + one.here)
        .containsExactly(
            "write-busy, functional-partitioned over rs_java 2.5",
            "write-busy against write, rs_java -50.0");
  }

  @Test
  void writesBesideConversionsAreCompared() {
    String row =
        "{'code':'RS-8-2','method':'%s','seconds':{'median':%s},'mibPerSecond':{'median':1},"
            + "'writeSecondsDuring':{'median':%s}}";
    String sample =
        "{'code':'RS-8-2','method':'%s','repetition':%s,'writeSecondsBefore':[2,3],"
            + "'writeSecondsDuring':[%s],'writeBegins':[-2,-1,1,2]}";
    String text =
        "{'rows':["
            + String.format(row, "adopt", 8, 2)
            + ","
            + String.format(row, "adopt-ear", 6, 1)
            + "],'samples':["
            + String.format(sample, "adopt", 0, "4,8")
            + ","
            + String.format(sample, "adopt-ear", 1, "1,5")
            + "]}";
    EvaluationReport.Section section = new EvaluationReport.Section("placement", "", "");
    new PlacementSection()
        .conclude(
            Measurement.of("placement-writes", 1, "bench convert"),
            JsonParser.parseString(text).getAsJsonObject(),
            section);
    assertThat(section.figures.get(0).comparisons)
        .extracting(one -> one.here)
        .containsExactly(-50.0, -25.0);
    assertThat(section.figures.get(0).panels.get(1).values)
        .extracting(one -> one.series + " " + one.x + " " + one.median)
        .containsExactly("adopt -1.0 3.0");
  }

  @Test
  void queriesAreComparedWithReplication() {
    String sample =
        "{'contestant':'%s','format':'orc','operation':'%s','repetition':0,'seconds':%s}";
    EvaluationReport.Section section =
        concluded(
            new SqlSection(),
            Measurement.script("sql", 1, "sql"),
            "samples",
            String.format(sample, "3-rep", "Q6", 2),
            String.format(sample, OURS, "Q6", 2.5),
            String.format(sample, OURS, "Q6", 3),
            String.format(sample, OURS, "Q6", 9),
            String.format(sample, OURS, "Q3-killed2", 1));
    EvaluationReport.Figure figure = section.figures.get(0);
    assertThat(figure.comparisons)
        .extracting(one -> one.what + " " + one.published + " " + one.here)
        .containsExactly("Q6 on orc, time with " + OURS + " over 3 replicas +42 (ISA-L) 50.0");
    assertThat(figure.panels).hasSize(1);
    assertThat(figure.panels.get(0).values)
        .extracting(one -> one.series + " " + one.group + " " + one.median)
        .containsExactly("3-rep Q6 2.0", OURS + " Q6 3.0", OURS + " Q3-killed2 1.0");
  }

  @Test
  void lookupsAreComparedWithReplication() {
    EvaluationReport.Section section = new EvaluationReport.Section("accumulo", "", "");
    String sample =
        "{'contestant':'%s','compression':'none','operation':'write','seconds':%s,'bytes':9}";
    String lookup = "{'contestant':'%s','state':'2 dead','milliseconds':%s}";
    String text =
        "{'policy':'RS-6-3-64k','samples':["
            + String.format(sample, "3-rep", 4)
            + ","
            + String.format(sample, OURS, 3)
            + "],'lookups':["
            + String.format(lookup, "3-rep", "[1, 2, 3]")
            + ","
            + String.format(lookup, OURS, "[2, 3, 7]")
            + "]}";
    new AccumuloSection()
        .conclude(
            Measurement.script("accumulo", 1, "accumulo"),
            JsonParser.parseString(text).getAsJsonObject(),
            section);
    assertThat(section.figures)
        .flatExtracting(figure -> figure.comparisons)
        .extracting(one -> one.what + ": " + one.here)
        .containsExactly(
            "writing, none, RS-6-3-64k, time with " + OURS + " over 3 replicas: -25.0",
            "min, RS-6-3-64k, 2 dead, " + OURS + " over 3 replicas: 2.0",
            "mean, RS-6-3-64k, 2 dead, " + OURS + " over 3 replicas: 2.0",
            "max, RS-6-3-64k, 2 dead, " + OURS + " over 3 replicas: " + 7.0 / 3);
    assertThat(section.figures.get(1).panels.get(1).values)
        .extracting(one -> one.series + " " + one.x + " " + Math.round(one.median))
        .containsExactly("3-rep 0.0 100", OURS + " 0.0 67", OURS + " 5.0 33");
  }

  @Test
  void lostMutationsAreCounted() {
    EvaluationReport.Section section = new EvaluationReport.Section("accumulo", "", "");
    String text =
        "{'trials':[{'client':'stock','trial':'Accumulo: all-killed','acknowledged':9,"
            + "'readBack':2,'lost':7,'notServed':0,'remark':''},{'client':'stock',"
            + "'trial':'Accumulo: some','acknowledged':8,'readBack':0,'lost':0,'notServed':8,"
            + "'remark':'not served within 240 s'}]}";
    new AccumuloSection()
        .conclude(
            Measurement.script("accumulo-log", 1, "accumulo"),
            JsonParser.parseString(text).getAsJsonObject(),
            section);
    assertThat(section.figures.get(0).comparisons)
        .extracting(one -> one.what + ": " + one.published + " " + one.here + " " + one.unit)
        .containsExactly(
            "Accumulo: all-killed, stock client, of 9: logs corrupt 7.0 mutations",
            "Accumulo: some, stock client, of 8, not served within 240 s: logs corrupt 8.0"
                + " mutations not served");
  }

  @Test
  void jobsOfATraceAreCountedOverTheirTimes() {
    String row = "{'placement':'%s','repetition':%d,'job':%d,'seconds':%s}";
    List<String> rows = new ArrayList<>();
    for (int repetition = 0; repetition < 3; repetition++) {
      // Not in the order of the trace.
      rows.add(String.format(row, "stock", repetition, 0, 20 + repetition));
      rows.add(String.format(row, "stock", repetition, 1, 10 + repetition));
      rows.add(String.format(row, "ear", repetition, 0, 22 + repetition));
      rows.add(String.format(row, "ear", repetition, 1, 11 + repetition));
    }
    EvaluationReport.Section report = new EvaluationReport.Section("placement", "", "");
    JsonObject result =
        JsonParser.parseString("{'divisor':100,'atATime':2,'samples':" + rows + "}")
            .getAsJsonObject();
    new PlacementSection().conclude(Measurement.script("placement-jobs", 1, ""), result, report);

    EvaluationReport.Figure figure = report.figures.get(0);
    assertThat(figure.panels.get(0).values)
        .extracting(value -> value.series + " " + value.x + " " + value.median)
        .containsExactly("stock 11.0 1.0", "stock 21.0 2.0", "ear 12.0 1.0", "ear 23.0 2.0");
    assertThat(figure.comparisons.get(0).here).isCloseTo(100.0 * 2 / 21, within(1e-9));
  }
}
