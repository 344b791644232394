// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class PipelineResolutionTest {
  private static final String FILE_SYSTEM = "fs.hdfs.impl";
  private static final String FILE_CONTEXT = "fs.AbstractFileSystem.hdfs.impl";
  private static final String OVERLOAD = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme";
  private static final String TARGET = "fs.viewfs.overload.scheme.target.hdfs.impl";
  private static final String OUR_FILE_SYSTEM = "org.apache.hadoop.hdfs.StripelineFileSystem";
  private static final String OUR_FILE_CONTEXT = "org.apache.hadoop.fs.StripelineHdfs";

  @Test
  void warnsOfStockReaders() {
    assertThat(examine().warnings)
        .singleElement()
        .satisfies(
            warning -> {
              assertThat(warning.text)
                  .startsWith(
                      "Programs that use FileSystem or FileContext read erasure-coded files")
                  .contains("can return wrong bytes, without an exception");
              assertThat(warning.remedy)
                  .contains("<name>fs.hdfs.impl</name><value>" + OUR_FILE_SYSTEM)
                  .contains("and " + FILE_CONTEXT + " likewise")
                  .contains("DataNodes and NameNodes do not need it");
            });
    assertThat(examine(FILE_SYSTEM, OUR_FILE_SYSTEM).warnings.get(0).text)
        .startsWith("Programs that use FileContext read");
    assertThat(examine(FILE_CONTEXT, OUR_FILE_CONTEXT).warnings.get(0).text)
        .startsWith("Programs that use FileSystem read");
    DoctorReport disabled =
        examine(
            FILE_SYSTEM,
            OUR_FILE_SYSTEM,
            FILE_CONTEXT,
            OUR_FILE_CONTEXT,
            "stripeline.client.read.enabled",
            "false");
    assertThat(disabled.problems).isEmpty();
    assertThat(disabled.warnings.get(0).remedy)
        .isEqualTo("set stripeline.client.read.enabled to true in core-site.xml of clients");
  }

  @Test
  void reportsNoProblemForStockPipelines() {
    DoctorReport report = examine();

    assertThat(report.pipelines.selfCheckPassed).isTrue();
    assertThat(report.pipelines.fileSystem.type)
        .isEqualTo("org.apache.hadoop.hdfs.DistributedFileSystem");
    assertThat(report.pipelines.fileSystem.read).isEqualTo("stock");
    assertThat(report.pipelines.fileSystem.write).isEqualTo("stock");
    assertThat(report.pipelines.fileContext.write).isEqualTo("stock");
    assertThat(report.pipelines.coders).isEmpty();
    assertThat(report.problems).isEmpty();
  }

  @Test
  void showsOurPipelinesWithTheirMode() {
    DoctorReport report =
        examine(
            FILE_SYSTEM,
            OUR_FILE_SYSTEM,
            FILE_CONTEXT,
            OUR_FILE_CONTEXT,
            "stripeline.client.write.mode",
            "blocking");

    assertThat(report.pipelines.fileSystem.read).isEqualTo("stripeline");
    assertThat(report.pipelines.fileSystem.write).isEqualTo("blocking");
    assertThat(report.pipelines.fileContext.read).isEqualTo("stripeline");
    assertThat(report.pipelines.coders.get("rs")).isEqualTo("stripeline");
    assertThat(report.problems).isEmpty();
    assertThat(report.warnings).isEmpty();
  }

  @Test
  void showsTheCoderOfOurPipelines() {
    DoctorReport report =
        examine(
            FILE_SYSTEM,
            OUR_FILE_SYSTEM,
            FILE_CONTEXT,
            OUR_FILE_CONTEXT,
            "io.erasurecode.codec.xor.rawcoders",
            "xor_java");

    assertThat(report.pipelines.coders)
        .containsEntry("rs-legacy", "stripeline")
        .containsEntry("xor", "xor_java");
  }

  @Test
  void showsOurPipelinesIfDisabled() {
    DoctorReport report =
        examine(
            FILE_SYSTEM,
            OUR_FILE_SYSTEM,
            FILE_CONTEXT,
            OUR_FILE_CONTEXT,
            "stripeline.client.read.enabled",
            "false",
            "stripeline.client.write.mode",
            "stock");

    assertThat(report.pipelines.fileSystem.type).isEqualTo(OUR_FILE_SYSTEM);
    assertThat(report.pipelines.fileSystem.read).isEqualTo("stock");
    assertThat(report.pipelines.fileSystem.write).isEqualTo("stock");
  }

  @Test
  void reportsSettingsWithoutEffect() {
    assertThat(problem(FILE_SYSTEM, OUR_FILE_SYSTEM))
        .startsWith("Programs that use FileContext use Hadoop's own pipelines");
    assertThat(problem(FILE_CONTEXT, OUR_FILE_CONTEXT))
        .startsWith("Programs that use FileSystem use Hadoop's own pipelines");
    assertThat(problem("stripeline.client.write.mode", "blocking"))
        .startsWith("Keys stripeline.client.* are set and have no effect");
    assertThat(problem(FILE_SYSTEM, "org.example.Missing"))
        .isEqualTo("No file system for hdfs:// can be opened: Class org.example.Missing not found");
  }

  @Test
  void namesValuesThatCannotBeUsed() {
    DoctorReport report =
        examine(
            FILE_SYSTEM,
            OUR_FILE_SYSTEM,
            FILE_CONTEXT,
            OUR_FILE_CONTEXT,
            "stripeline.client.write.mode",
            "fast",
            "stripeline.client.read.window",
            "much",
            "stripeline.client.write.encoder.threads",
            "-1");

    assertThat(report.problems)
        .extracting(problem -> problem.text)
        .containsExactlyInAnyOrder(
            "Cannot use stripeline.client.write.mode 'fast': use stock, blocking, non-blocking or"
                + " functional-partitioned",
            "Cannot use stripeline.client.read.window 'much': use a number of bytes of at least 0",
            "Cannot use stripeline.client.write.encoder.threads '-1': use a number of at least 0");
    assertThat(report.pipelines.fileSystem.write).isEqualTo("functional-partitioned");
  }

  @Test
  void examinesTheTargetOfMountPoints() {
    DoctorReport ours =
        examine(FILE_SYSTEM, OVERLOAD, TARGET, OUR_FILE_SYSTEM, FILE_CONTEXT, OUR_FILE_CONTEXT);
    assertThat(ours.pipelines.fileSystem.type).isEqualTo(OVERLOAD);
    assertThat(ours.pipelines.fileSystem.target).isEqualTo(OUR_FILE_SYSTEM);
    assertThat(ours.pipelines.fileSystem.read).isEqualTo("stripeline");
    assertThat(ours.problems).isEmpty();

    String stock = "org.apache.hadoop.hdfs.DistributedFileSystem";
    assertThat(examine(FILE_SYSTEM, OVERLOAD, TARGET, stock).problems).isEmpty();
    DoctorReport noEffect =
        examine(FILE_SYSTEM, OVERLOAD, TARGET, stock, "stripeline.client.write.mode", "blocking");
    assertThat(noEffect.pipelines.fileSystem.read).isEqualTo("stock");
    assertThat(noEffect.problems)
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.text).contains(TARGET + " does not name our file system");
              assertThat(problem.remedy).contains("<name>" + TARGET + "</name>");
            });

    assertThat(problem(FILE_SYSTEM, OVERLOAD, FILE_CONTEXT, OUR_FILE_CONTEXT))
        .startsWith("Programs that use FileSystem use Hadoop's own pipelines: " + TARGET);
    assertThat(problem(FILE_SYSTEM, OVERLOAD, TARGET, "org.example.Missing"))
        .startsWith("No file system for hdfs:// can be opened");

    assertThat(problem(TARGET, OUR_FILE_SYSTEM))
        .startsWith(TARGET + " names our file system and has no effect: fs.hdfs.impl is " + stock);
  }

  private static String problem(String... keysAndValues) {
    DoctorReport report = examine(keysAndValues);
    assertThat(report.problems).hasSize(1);
    return report.problems.get(0).text;
  }

  private static DoctorReport examine(String... keysAndValues) {
    Configuration conf = new Configuration();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    DoctorReport report = new DoctorReport();
    new PipelineResolution(conf, report).examine();
    return report;
  }
}
