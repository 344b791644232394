// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.junit.jupiter.api.Test;
import org.stripeline.scrub.ledger.LedgerTable;
import org.stripeline.scrub.ledger.Records;

class CoverageTest {
  private static final long DAY = TimeUnit.DAYS.toSeconds(1);
  private static final long NOW = 1000 * DAY;

  private final LedgerTable table = new LedgerTable();
  private final List<String> unread = new ArrayList<>();
  private final Coverage coverage =
      new Coverage(table, NOW * 1000, (path, why) -> unread.add(path + " " + why));

  private void file(long id, long length, long modified) {
    HdfsFileStatus status =
        new HdfsFileStatus.Builder().fileId(id).length(length).mtime(modified * 1000).build();
    coverage.file(status, "/f" + id);
  }

  @Test
  void bytesAreCountedByTheAgeOfTheirLastCompleteCheck() {
    table.put(Records.healthy(1, 10, 1, NOW));
    table.put(Records.healthy(1, 11, 20, NOW - DAY));
    table.put(Records.healthy(1, 12, 300, NOW - DAY - 1));
    file(1, 4321, 0);
    table.put(Records.healthy(2, 20, 50_000, NOW - 7 * DAY - 1));
    table.put(Records.healthy(2, 21, 600_000, NOW - 31 * DAY));
    file(2, 650_000, 0);
    table.put(Records.healthy(3, 30, 7_000_000, NOW - DAY));
    file(3, 7_000_000, NOW - 1);
    file(4, 80_000_000, 0);

    CoverageReport report = coverage.report();
    assertThat(report.files).isEqualTo(4);
    assertThat(report.bytes).isEqualTo(87_654_321);
    assertThat(report.bytesWithin1Day).isEqualTo(21);
    assertThat(report.bytesWithin7Days).isEqualTo(321);
    assertThat(report.bytesWithin30Days).isEqualTo(50_321);
    assertThat(report.bytesNeverChecked).isEqualTo(87_004_000);
    assertThat(report.oldestCheckMs).isEqualTo((NOW - 31 * DAY) * 1000);
    assertThat(report.groupsChecked).isEqualTo(5);
    assertThat(report.groupsDamaged).isZero();
  }

  @Test
  void damageAndGapsAreCounted() {
    table.put(Records.damaged(1, 10, 5, NOW - 3600));
    for (int block = 0; block < 1005; block++) {
      table.put(Records.damaged(2, block, 5, NOW));
    }
    table.put(Records.notRead(3, 1, 5, NOW));
    file(1, 5, 0);
    file(2, 5025, 0);
    file(3, 5, 0);
    coverage.unread("/d", "why");

    CoverageReport report = coverage.report();
    assertThat(report.groupsDamaged).isEqualTo(1006);
    assertThat(report.damaged).hasSize(Coverage.NAMED_MAX);
    assertThat(report.groupsNotRead).isEqualTo(1);
    assertThat(report.bytesNeverChecked).isEqualTo(5);
    assertThat(report.pathsUnread).isEqualTo(1);
    assertThat(unread).containsExactly("/d why");

    report.paths.add("/a");
    report.ledger = "/.stripeline/scrub";
    StringWriter text = new StringWriter();
    CoverageText.print(report, new PrintWriter(text), NOW * 1000);
    assertThat(text.toString())
        .startsWith(
            String.join(
                "\n",
                "/a: 3 files, 4.92 KiB of data; ledger /.stripeline/scrub",
                "  checked within 1 day             4.91 KiB (99.9 %)",
                "  checked within 7 days            4.91 KiB (99.9 %)",
                "  checked within 30 days           4.91 KiB (99.9 %)",
                "  never checked completely         5 B (0.1 %)",
                "  oldest check                     1 h 0 min ago",
                "  groups read by the client        0",
                "  groups not checked, or in part   1 (0 with a replica that was not read, 0 with"
                    + " windows that could not be compared, 1 of which nothing was read)",
                "  groups damaged                   1006",
                "    /f1 block 10, checked 1 h 0 min ago",
                "    /f2 block 0, checked 0 s ago\n"))
        .endsWith("    and 6 more\n  1 path could not be listed\n");
  }

  @Test
  void namesWithControlCharactersForgeNoLine() {
    StringWriter text = new StringWriter();
    CoverageReport report = coverage.report();
    report.paths.add("/a\nb");
    report.damaged.add(new CoverageReport.Damaged("/a\nb/c", 7, NOW * 1000));
    CoverageText.print(report, new PrintWriter(text), NOW * 1000);
    assertThat(text.toString())
        .startsWith("/a\\nb: 0 files")
        .contains("\n    /a\\nb/c block 7, checked 0 s ago\n");
  }

  @Test
  void withoutFilesThereIsNothing() {
    StringWriter text = new StringWriter();
    CoverageReport report = coverage.report();
    CoverageText.print(report, new PrintWriter(text), NOW * 1000);
    assertThat(report.oldestCheckMs).isNull();
    assertThat(text.toString()).contains("checked within 1 day             0 B (-)");
  }
}
