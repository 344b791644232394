// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoverageMetricsTest {
  @TempDir Path directory;

  private static CoverageReport report() {
    CoverageReport report = new CoverageReport();
    report.paths.add("/a");
    report.paths.add("/b\"\\\n");
    report.bytes = 12_345_678_901L;
    report.bytesWithin1Day = 1;
    report.bytesWithin7Days = 2;
    report.bytesWithin30Days = 3;
    report.bytesNeverChecked = 4;
    report.oldestCheckMs = 5000L;
    report.groupsByClient = 6;
    report.groupsChecked = 7;
    report.groupsReplicaNotRead = 8;
    report.groupsNotCompared = 9;
    report.groupsNotRead = 10;
    report.groupsDamaged = 11;
    report.pathsUnread = 12;
    return report;
  }

  @Test
  void everyNumberIsAGauge() {
    String path = "{path=\"/a /b\\\"\\\\\\n\"";
    assertThat(CoverageMetrics.text(report(), 1_795_718_715_906L).lines())
        .filteredOn(line -> !line.startsWith("#"))
        .containsExactly(
            "stripeline_scrub_status_time_seconds" + path + "} 1795718715.906",
            "stripeline_scrub_bytes" + path + "} 12345678901",
            "stripeline_scrub_bytes_checked" + path + ",within_days=\"1\"} 1",
            "stripeline_scrub_bytes_checked" + path + ",within_days=\"7\"} 2",
            "stripeline_scrub_bytes_checked" + path + ",within_days=\"30\"} 3",
            "stripeline_scrub_bytes_never_checked" + path + "} 4",
            "stripeline_scrub_oldest_check_time_seconds" + path + "} 5.000",
            "stripeline_scrub_groups_checked" + path + "} 7",
            "stripeline_scrub_groups_damaged" + path + "} 11",
            "stripeline_scrub_groups_not_checked" + path + ",reason=\"replica_not_read\"} 8",
            "stripeline_scrub_groups_not_checked" + path + ",reason=\"not_compared\"} 9",
            "stripeline_scrub_groups_not_checked" + path + ",reason=\"not_read\"} 10",
            "stripeline_scrub_groups_by_client" + path + "} 6",
            "stripeline_scrub_paths_unread" + path + "} 12");
  }

  @Test
  void thePageListsEveryMetric() throws IOException {
    Path page = Paths.get(System.getProperty("stripeline.root"), "docs/user/metrics.md");
    assertThat(found("(?m)^\\| `(stripeline_scrub_\\w+)`", Files.readString(page)))
        .isEqualTo(found("# TYPE (\\w+) gauge", CoverageMetrics.text(report(), 1)));
  }

  private static String found(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult one) -> one.group(1))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void withoutAnyCheckThereIsNoOldestOne() {
    CoverageReport report = report();
    report.oldestCheckMs = null;
    assertThat(CoverageMetrics.text(report, 1)).doesNotContain("oldest_check");
  }

  @Test
  void aFileIsReplacedAsAWhole() throws IOException {
    Path file = directory.resolve("scrub.prom");
    Files.writeString(file, "before");
    CoverageMetrics.write(report(), 1, file);
    assertThat(file).hasContent(CoverageMetrics.text(report(), 1));
    assertThat(directory).isDirectoryContaining(file::equals);
    assertThat(Files.list(directory)).hasSize(1);

    Path none = directory.resolve("none/scrub.prom");
    assertThatThrownBy(() -> CoverageMetrics.write(report(), 1, none))
        .hasMessageStartingWith("Cannot write " + none);
  }
}
