// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.lab.bench.RailReport;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;

class DoctorTest {
  private static final String RS_KEY = "io.erasurecode.codec.rs.rawcoders";

  @TempDir Path temporary;

  @Test
  void reportsThatHadoopsDefaultsDoNotUseOurCoder() throws Exception {
    DoctorReport report = examine();

    assertThat(codec(report, "rs").live).isEqualTo("rs_java");
    assertThat(coder(codec(report, "rs"), "stripeline").state).isEqualTo("not configured");
    assertThat(coder(codec(report, "rs"), "rs_native").state).isEqualTo("fails");
    assertThat(report.problems)
        .anyMatch(
            problem ->
                problem.text.contains("Codec rs uses rs_java, not stripeline: " + RS_KEY + " is")
                    && problem.remedy.contains("<name>" + RS_KEY + "</name>")
                    && problem.remedy.contains("<value>stripeline,rs_native,rs_java</value>"));
  }

  @Test
  void findsNoProblemInACompleteConfiguration() throws Exception {
    DoctorReport report =
        examine(
            RS_KEY,
            "stripeline,rs_java",
            "io.erasurecode.codec.rs-legacy.rawcoders",
            "stripeline",
            "io.erasurecode.codec.xor.rawcoders",
            "stripeline,xor_java");

    assertThat(report.codecs).extracting(c -> c.live).containsOnly("stripeline").hasSize(3);
    assertThat(codec(report, "rs").setBy).isEqualTo("core-site.xml");
    assertThat(report.configuration.files).anyMatch(file -> file.endsWith("/core-site.xml"));
    assertThat(report.selfTest.failures).isEmpty();
    assertThat(report.selfTest.knownAnswers).isEqualTo(3);
    // All erasure patterns of up to 3 of 9 units, for two codes, and of 1 of 7 units.
    assertThat(report.selfTest.patterns).isEqualTo(129 + 129 + 7);
    // If no native library was built, this is the only problem.
    assertThat(report.problems).hasSize(report.library.loaded ? 0 : 1);
  }

  @Test
  void distinguishesUnknownDisabledAndUnusedCoders() throws Exception {
    DoctorReport report =
        examine(
            RS_KEY,
            "rs_fast,rs_native,rs_java,stripeline",
            "io.erasurecode.codec.native.enabled",
            "false");
    DoctorReport.Codec rs = codec(report, "rs");

    assertThat(rs.live).isEqualTo("rs_java");
    assertThat(coder(rs, "rs_fast").state).isEqualTo("unknown");
    assertThat(coder(rs, "rs_native").state).isEqualTo("skipped");
    assertThat(coder(rs, "stripeline").state).isEqualTo("works");
    assertThat(report.problems)
        .anyMatch(
            problem -> problem.remedy.contains("<value>stripeline,rs_native,rs_java</value>"));
  }

  @Test
  void reportsThatNoCoderWorks() throws Exception {
    DoctorReport report = examine(RS_KEY, "rs_fast");

    assertThat(codec(report, "rs").live).isNull();
    assertThat(report.problems)
        .anyMatch(problem -> problem.text.contains("Codec rs uses no coder at all"));
  }

  @Test
  void refusesAnUnreadableConfiguration() throws Exception {
    Files.write(temporary.resolve("core-site.xml"), "<configuration><property>".getBytes());
    assertThatThrownBy(this::examineConfigured)
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("Cannot read Hadoop's configuration: Unexpected EOF")
        .hasMessageContaining("core-site.xml")
        .extracting(e -> ((CommandException) e).exitStatus())
        .isEqualTo(ExitStatus.UNCHECKED);

    assertThatThrownBy(() -> new Doctor().examine("/nowhere", false))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("HADOOP_CONF_DIR is /nowhere, which is not a directory");
  }

  @Test
  void reportsWhyPureJavaCodersAreInUse() throws Exception {
    assertFallback(
        "-Dstripeline.native.enabled=false",
        "stripeline.native.enabled is false",
        "remove -Dstripeline.native.enabled=false");
    assertFallback(
        "-Dstripeline.native.path=/nowhere.so", "/nowhere.so", "correct -Dstripeline.native.path");
  }

  /** Runs in a separate process because a process tries to load the library only once. */
  private void assertFallback(String property, String cause, String remedy) throws Exception {
    assertThat(run(ExitStatus.FAILED, property, Map.of()))
        .contains("pure Java: Cannot load native library")
        .contains(cause)
        .contains("remedy: " + remedy)
        .contains("self test      passed");
  }

  /** It does not hide the problem that there is no native library. */
  @Test
  void aBundleThatCannotBeWrittenIsRemoved() throws Exception {
    // A directory is no log that can be read.
    Path logs = Files.createDirectories(temporary.resolve("logs/some.log")).getParent();
    Path bundle = temporary.resolve("bundle.zip");
    assertThat(
            run(
                ExitStatus.FAILED,
                "-Dstripeline.native.enabled=false",
                Map.of("HADOOP_LOG_DIR", logs.toString()),
                "--bundle=" + bundle))
        .contains("stripeline.native.enabled is false", "Cannot write " + bundle + ": ");
    assertThat(bundle).doesNotExist();
  }

  private String run(
      int status, String property, Map<String, String> environment, String... options)
      throws Exception {
    Path out = temporary.resolve("out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Arrays.asList("-Xmx256m", property));
    command.add("-Dlog4j.configuration=org/stripeline/terminal/log4j.properties");
    command.addAll(Arrays.asList(Stripeline.class.getName(), "doctor"));
    command.addAll(Arrays.asList(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().remove("HADOOP_CONF_DIR");
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true).redirectOutput(out.toFile());
    Process process = builder.start();

    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    String text = new String(Files.readAllBytes(out));
    assertThat(process.exitValue()).as(text).isEqualTo(status);
    return text;
  }

  @Test
  void onlyProblemsAndMissingChecksSetTheExitStatus() {
    DoctorReport report = new DoctorReport();
    assertThat(DoctorCommand.status(report, true)).isEqualTo(ExitStatus.SOUND);
    report.addWarning("slow", "remedy");
    assertThat(DoctorCommand.status(report, false)).isEqualTo(ExitStatus.SOUND);
    assertThat(DoctorCommand.status(report, true)).isEqualTo(ExitStatus.FAILED);
    report.addUnchecked("not permitted", "remedy");
    assertThat(DoctorCommand.status(report, false)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(DoctorCommand.status(report, true)).isEqualTo(ExitStatus.FAILED);
    report.addProblem("broken", "remedy");
    assertThat(DoctorCommand.status(report, false)).isEqualTo(ExitStatus.FAILED);
  }

  @Test
  void findsOptionsThatOnlyDataNodesHave() {
    DoctorReport report = new DoctorReport();
    new JavaOptions(report)
        .examine(
            Arrays.asList("-Xmx1g", "-Dstripeline.home=/x", "-Djava.library.path=/native"),
            Map.of(
                "HDFS_DATANODE_OPTS",
                "-Xmx4g -Djava.library.path=/native -Dstripeline.native.enabled=false"));

    assertThat(report.options.inUse).containsExactly("-Djava.library.path=/native");
    assertThat(report.options.dataNodes).containsExactly("-Dstripeline.native.enabled=false");
    assertThat(report.warnings)
        .singleElement()
        .satisfies(
            warning ->
                assertThat(warning.remedy)
                    .contains("STRIPELINE_JAVA_OPTS=\"-Dstripeline.native.enabled=false\""));
  }

  @Test
  void printsEveryPart() throws Exception {
    StringWriter text = new StringWriter();
    new ReportPrinter(new PrintWriter(text)).print(examine());

    assertThat(text.toString().split("\n"))
        .anyMatch(line -> line.startsWith("stripeline     "))
        .anyMatch(line -> line.startsWith("processor      "))
        .anyMatch(line -> line.startsWith("library        "))
        .anyMatch(line -> line.startsWith("temp dir       "))
        .anyMatch(line -> line.startsWith("pipelines      FileSystem reads by stock, writes by"))
        .anyMatch(line -> line.equals("codec rs: rs_java"))
        .anyMatch(line -> line.matches("[0-9] problems?:"))
        .contains("1 warning:");
  }

  @Test
  void ratesThatWereNotMeasuredAreNotPrintedAsMeasured() throws Exception {
    DoctorReport report = examine();
    report.rails =
        new Gson()
            .fromJson(
                "{rails: [{name: cpu, in: true, description: gfni, bytesPerSecond: 31e9, lanes: 2},"
                    + "{name: slow, in: true, description: 'a card'}],"
                    + "notes: ['slow is not measured: it panicked']}",
                RailReport.class);
    StringWriter text = new StringWriter();
    new ReportPrinter(new PrintWriter(text)).print(report);

    assertThat(text.toString())
        .contains("rails          cpu      in, measured 31.0 GB/s with 2 threads: gfni\n")
        .contains("               slow     in, not measured: a card\n")
        .contains("               slow is not measured: it panicked\n");
  }

  private DoctorReport examine(String... keysAndValues) throws Exception {
    StringBuilder site = new StringBuilder("<configuration>\n");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      site.append("<property><name>")
          .append(keysAndValues[i])
          .append("</name><value>")
          .append(keysAndValues[i + 1])
          .append("</value></property>\n");
    }
    site.append("</configuration>\n");
    Files.write(temporary.resolve("core-site.xml"), site.toString().getBytes());
    return examineConfigured();
  }

  /** Runs the doctor with the site files of the temporary directory first on the class path. */
  private DoctorReport examineConfigured() throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URL[] site = {new File(temporary.toString() + "/").toURI().toURL()};
    try (URLClassLoader loader = new URLClassLoader(site, before)) {
      thread.setContextClassLoader(loader);
      return new Doctor().examine(temporary.toString(), false);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static DoctorReport.Codec codec(DoctorReport report, String name) {
    return report.codecs.stream().filter(c -> c.codec.equals(name)).findFirst().get();
  }

  private static DoctorReport.Coder coder(DoctorReport.Codec codec, String name) {
    return codec.coders.stream().filter(c -> c.name.equals(name)).findFirst().get();
  }
}
