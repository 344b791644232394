// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.cli.doctor.DoctorReport;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.convert.status.JobState;
import org.stripeline.convert.status.JobStatus;
import org.stripeline.lab.bench.RailReport;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.scrub.check.Finding;
import org.stripeline.simulator.report.Report;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;

/** Compares docs/user/json.md with the classes that are printed, and with real output. */
class JsonPageTest {

  @Test
  void pageListsTheKeysOfEveryReport() throws IOException {
    assertThat(JsonKeys.documented("doctor")).isEqualTo(JsonKeys.of(DoctorReport.class));
    assertThat(JsonKeys.documented("tune")).isEqualTo(JsonKeys.of(RailReport.class));
    assertThat(JsonKeys.documented("cluster")).isEqualTo(JsonKeys.of(ClusterStatus.class));
  }

  /** The classes are those whose objects the commands print; other packages cannot name them. */
  @ParameterizedTest
  @CsvSource({
    "plan, org.stripeline.plan.PlanReport",
    "plan --audit, org.stripeline.plan.AuditReport",
    "scrub --status, org.stripeline.scrub.CoverageReport",
    "demo, org.stripeline.lab.demo.DemoReport",
    "bench io, org.stripeline.lab.bench.io.IoReport",
    "bench convert, org.stripeline.lab.bench.convert.ConvertReport",
    "bench scrub, org.stripeline.lab.bench.scrub.ScrubBenchReport",
    "bench java, org.stripeline.lab.bench.JavaBenchReport",
    "evaluate, org.stripeline.lab.evaluate.EvaluationReport"
  })
  void pageListsTheKeysOfPlansDemosAndBenches(String command, Class<?> report) throws IOException {
    assertThat(JsonKeys.documented(command)).isEqualTo(JsonKeys.of(report));
  }

  @Test
  void pageListsTheKeysOfSimulations() throws IOException {
    Set<String> keys = JsonKeys.of(Report.class, "reports[]");
    keys.add("reports");
    assertThat(JsonKeys.documented("simulate")).isEqualTo(keys);
  }

  @Test
  void pageListsTheKeysOfAJobsStatus() throws IOException {
    Set<String> documented = JsonKeys.documented("status");
    assertThat(documented).contains("schema", "job", "state", "status");
    Set<String> ofService = new TreeSet<>(documented);
    ofService.removeIf(key -> !key.equals("schema") && !key.startsWith("service."));
    assertThat(ofService).isEqualTo(JsonKeys.of(ServiceStatus.class, "service"));
    documented.removeIf(key -> !key.equals("schema") && !key.startsWith("status."));
    assertThat(documented).isEqualTo(JsonKeys.of(JobStatus.class, "status"));
  }

  @Test
  void pageListsTheKeysOfThePlanOfAConversion() throws IOException {
    Set<String> keys = JsonKeys.of(Totals.class, "plan");
    keys.add("policies.*");
    assertThat(JsonKeys.documented("convert")).isEqualTo(keys);
  }

  @Test
  void pageListsTheValuesThatKeysCanHave() throws IOException {
    Map<String, String> reasons = new TreeMap<>();
    for (SkipReason reason : SkipReason.values()) {
      reasons.put(reason.name(), reason.text());
    }
    assertThat(JsonKeys.rows("Skip reasons")).isEqualTo(reasons);
    assertThat(JsonKeys.documented("Outcomes")).isEqualTo(printed(FileOutcome.Kind.values()));
    assertThat(JsonKeys.documented("Treatments")).isEqualTo(printed(Treatment.values()));
    assertThat(quoted("status", "state")).isEqualTo(printed(JobState.values()));
    assertThat(quoted("plan", "treatments[].name"))
        .isEqualTo(
            Arrays.stream(Treatment.values()).map(Treatment::label).collect(Collectors.toSet()));
  }

  @Test
  void pageListsTheSumsAndKindsOfFindingsOfAScrub() throws Exception {
    Class<?> sums = Class.forName("org.stripeline.scrub.ScrubTotals");
    assertThat(JsonKeys.documented("scrub")).containsAll(JsonKeys.of(sums));
    assertThat(quoted("scrub", "findings[].kind")).isEqualTo(printed(Finding.Kind.values()));
  }

  /** Returns the words that the page quotes in the meaning of a key. */
  private static Set<String> quoted(String command, String key) throws IOException {
    Set<String> words = new TreeSet<>();
    Matcher quoted = Pattern.compile("`([^`]+)`").matcher(JsonKeys.rows(command).get(key));
    while (quoted.find()) {
      words.add(quoted.group(1));
    }
    // The name of the command.
    words.remove("convert");
    return words;
  }

  /** Returns constants as they are printed in JSON. */
  private static Set<String> printed(Object[] constants) {
    return Arrays.stream(constants)
        .map(constant -> new Gson().toJsonTree(constant).getAsString())
        .collect(Collectors.toSet());
  }

  @Test
  void pageListsWhatIsPrinted() throws IOException {
    Set<String> version = JsonKeys.documented("version");
    assertThat(JsonKeys.in(run("version", "--json"), version)).isEqualTo(version);
    Set<String> doctor = JsonKeys.documented("doctor");
    Set<String> printed = JsonKeys.in(run("doctor", "--json"), doctor);
    assertThat(doctor).containsAll(printed);
    assertThat(printed).contains("schema", "stripeline.version", "codecs[].coders[].state");
  }

  private static String run(String... words) {
    CommandRun run = CommandRun.of(Stripeline.commandLine(), words);
    assertThat(run.status()).as(run.err()).isLessThan(ExitStatus.USAGE);
    return run.out();
  }
}
