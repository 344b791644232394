// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.util.VersionInfo;
import org.stripeline.lab.bench.RailReport;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.natives.codec.EcException;
import org.stripeline.natives.engine.EngineConfiguration;
import org.stripeline.terminal.JavaRuntime;
import org.stripeline.terminal.Release;

/** Examines the machine, the Java runtime, the Hadoop release and its configuration. */
public final class Doctor {
  private static final String PATH_KEY = "stripeline.native.path";
  private static final String TEMP_DIR_KEY = "stripeline.native.temp-dir";
  private static final String ENABLED_KEY = "stripeline.native.enabled";

  /**
   * The launcher's class path begins with two jars: the command's jar and the one that clusters
   * load.
   */
  private static final int LAUNCHER_JARS = 2;

  /** Set by the launcher to the hadoop command whose class path it uses. */
  private static final String HADOOP_KEY = "stripeline.hadoop";

  private static final Duration RAILS_BUDGET = Duration.ofMillis(600);

  private final DoctorReport report = new DoctorReport();
  private Configuration conf;

  /**
   * Examines everything.
   *
   * @param configurationDirectory HADOOP_CONF_DIR or null
   * @param cluster whether to query the NameNodes of the configuration, too
   * @return the findings
   * @throws org.stripeline.terminal.CommandException if the configuration cannot be read, or names
   *     no HDFS and {@code cluster} is set
   */
  public DoctorReport examine(String configurationDirectory, boolean cluster) {
    conf = ConfigurationReader.load(configurationDirectory, report.configuration);
    MachineFacts.read(report.machine);
    readSoftware();
    checkInstallation();
    new JavaOptions(report).examine(System.getenv());
    boolean together = new JarLoading(report).examine(System.getenv());
    checkJava();
    readLibrary();
    readRails();

    if (together) {
      new PipelineResolution(conf, report).examine();
    }
    new CoderResolution(conf, report).examine();
    testCoders();
    if (cluster) {
      new ClusterExamination(conf, report).examine();
    }
    return report;
  }

  /** Returns the configuration that was examined. */
  Configuration configuration() {
    return conf;
  }

  private void readSoftware() {
    report.stripeline.version = Release.version();
    report.stripeline.location = location(CoderStatus.class);
    report.hadoop.version = VersionInfo.getVersion();
    report.hadoop.location = location(VersionInfo.class);
    report.java.version =
        System.getProperty("java.version") + " (" + System.getProperty("java.vm.name") + ")";
    report.java.location = System.getProperty("java.home");
  }

  private static String location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return null;
    }
    try {
      return Paths.get(source.getLocation().toURI()).toString();
    } catch (URISyntaxException | RuntimeException unusual) {
      return source.getLocation().toString();
    }
  }

  /**
   * Checks that Hadoop's own class path has our jar: the launcher adds our jars first, but Hadoop's
   * own commands find only jars on that class path.
   */
  private void checkInstallation() {
    String hadoop = System.getProperty(HADOOP_KEY);
    if (hadoop == null) {
      return;
    }
    String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
    for (int i = LAUNCHER_JARS; i < entries.length; i++) {
      if (Paths.get(entries[i]).getFileName().toString().matches("stripeline-[0-9].*\\.jar")) {
        report.hadoop.stripelineJar = entries[i];
        return;
      }
    }
    report.addProblem(
        "Hadoop's class path has no stripeline jar: '"
            + hadoop
            + " classpath --glob' does not list one",
        "copy "
            + report.stripeline.location
            + " to share/hadoop/common/lib of every client and DataNode");
  }

  private void checkJava() {
    JavaRuntime.hadoopObstacle(report.hadoop.version)
        .map(obstacle -> obstacle.split("; ", 2))
        .ifPresent(parts -> report.addProblem(parts[0], parts[1]));
  }

  private void readLibrary() {
    CoderStatus status = CoderStatus.current();
    DoctorReport.Library library = report.library;
    library.loaded = status.isNative();
    library.cause = status.fallbackCause().orElse(null);
    library.temporaryDirectory =
        System.getProperty(TEMP_DIR_KEY, System.getProperty("java.io.tmpdir"));
    checkTemporaryDirectory(Paths.get(library.temporaryDirectory));
    if (status.isNative()) {
      String origin = status.origin().orElse("unknown");
      library.file = origin;
      library.source =
          origin.startsWith("jar:")
              ? "jar"
              : System.getProperty(PATH_KEY) != null ? "path" : "library-path";
      library.version = status.version();
      library.instructionSet = status.isa();
      library.selection = status.selection();
      if (status.selection().startsWith("refused")) {
        report.addProblem(
            "The kernels are not the requested ones: " + status.selection(),
            "remove STRIPELINE_ISA, or set it to an instruction set that this processor has");
      }
      return;
    }
    report.addProblem(
        "Pure Java coders are in use, several times slower than the native library: "
            + library.cause,
        remedy(library));
  }

  /** Lists the rails and measures a rough rate of each. */
  private void readRails() {
    if (!report.library.loaded) {
      return;
    }
    String names = System.getProperty(EngineConfiguration.RAILS_KEY);
    try {
      String all = names == null || names.equals("auto") ? RailReport.KNOWN : names;
      report.rails = RailReport.of(all, RAILS_BUDGET, null);
    } catch (EcException e) {
      report.addProblem(
          "The rails of the engine cannot be examined: " + e.getMessage(),
          "correct -D" + EngineConfiguration.RAILS_KEY + "=" + names);
    }
  }

  private static String remedy(DoctorReport.Library library) {
    if (!Boolean.parseBoolean(System.getProperty(ENABLED_KEY, "true").trim())) {
      return "remove -D" + ENABLED_KEY + "=" + System.getProperty(ENABLED_KEY);
    }
    if (System.getProperty(PATH_KEY) != null) {
      return "correct -D" + PATH_KEY + ", or remove it to use the library of the jar";
    }
    if (Boolean.FALSE.equals(library.temporaryDirectoryExecutable)) {
      return "set -D"
          + TEMP_DIR_KEY
          + " to a directory from which programs may be executed, in HADOOP_OPTS of clients and"
          + " DataNodes";
    }
    return "see the cause; -D" + PATH_KEY + " sets the path of a library in another place";
  }

  private void checkTemporaryDirectory(Path directory) {
    try {
      report.library.temporaryDirectoryExecutable = TemporaryDirectory.mayExecute(directory);
    } catch (IOException unusable) {
      // The value stays unknown; if the library needs the directory, the cause of its failure has
      // the reason.
      report.library.temporaryDirectoryExecutable = null;
    }
  }

  private void testCoders() {
    if (CodecRegistry.getInstance().getCoderByName("rs", CoderResolution.OURS) == null) {
      // The coder resolution has already reported this; there is nothing to test.
      return;
    }
    SelfTest test = new SelfTest(report.selfTest);
    test.test("rs", 6, 3, "rs_java", 0xce4c53bb);
    test.test("rs-legacy", 6, 3, "rs-legacy_java", 0xd3792a5c);
    test.test("xor", 6, 1, "xor_java", 0xe8944c07);
    for (String failure : report.selfTest.failures) {
      report.addProblem(
          "Self test failed: " + failure,
          "do not use this machine's coder; report this with the processor and the output of"
              + " 'stripeline doctor --json'");
    }
  }
}
