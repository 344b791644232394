// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.cli.doctor.DoctorReport;
import org.stripeline.cli.rails.RailReport;
import org.stripeline.convert.status.JobStatus;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.simulator.report.Report;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

/** Compares docs/user/json.md with the classes whose fields are printed, and with real output. */
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
    "demo, org.stripeline.lab.demo.DemoReport",
    "bench io, org.stripeline.lab.bench.io.IoReport",
    "bench convert, org.stripeline.lab.bench.convert.ConvertReport",
    "bench java, org.stripeline.lab.bench.JavaBenchReport"
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
    documented.removeIf(key -> !key.equals("schema") && !key.startsWith("status."));
    assertThat(documented).isEqualTo(JsonKeys.of(JobStatus.class, "status"));
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
    CommandLine line = Stripeline.commandLine();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    assertThat(line.execute(words)).as(err.toString()).isLessThan(ExitStatus.USAGE);
    return out.toString();
  }
}
