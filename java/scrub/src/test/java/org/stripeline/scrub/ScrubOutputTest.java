// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.check.SampleResults;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;

class ScrubOutputTest {
  private final StringWriter text = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final ScrubTotals totals = new ScrubTotals();

  private ScrubOutput output(boolean isJson) {
    PrintWriter progress = new PrintWriter(err);
    return new ScrubOutput(
        new PrintWriter(text), isJson, new Progress(progress, Progress.Style.LINES, () -> 0));
  }

  private void check(ScrubOutput output, String path, GroupResult result) {
    totals.add(result);
    output.checked(path, 2, "blk_-16", 5000, result);
  }

  private List<String> lines() {
    return text.toString().lines().collect(Collectors.toList());
  }

  @Test
  void textHasALineForEachFindingAndTheSums() {
    ScrubOutput output = output(false);
    output.listed(3, 15_000);
    check(output, "/a", SampleResults.healthy());
    check(output, "/b", SampleResults.damaged());
    check(output, "/c", SampleResults.gone());
    output.unread("/d", "Permission denied");
    totals.addFile();
    totals.addUnread();
    output.totals(totals);

    assertThat(lines())
        .containsExactly(
            "/b group 2 blk_-16: WRONG_BYTES unit 0 blk_-1024_1001 of 10 bytes on"
                + " 10.0.0.0:9866 windows 5 and 1 more: its bytes are wrong",
            "/b group 2 blk_-16: MISSING unit 3: none is left",
            "/b group 2 blk_-16: TOO_FEW_RACKS: 1 racks instead of 2",
            "/b group 2 blk_-16: NOT_CHECKED: no answer",
            "/d: NOT_CHECKED: Permission denied",
            "1 file, 3 groups and blocks: 1 healthy, 1 damaged, 1 not checked or only in part, 1"
                + " deleted or replaced",
            "8.00 KiB read; fingerprints: 0 windows by agents, 0 by this client",
            "1 path could not be listed, not checked");
    assertThat(err.toString()).contains("3 files, 14.6 KiB");
  }

  /** HDFS accepts them; lines of their own would look like findings. */
  @Test
  void namesWithControlCharactersForgeNoLine() {
    ScrubOutput output = output(false);
    String name = "/a\n/b group 0 blk_1: WRONG_BYTES\u001b[2K";
    check(output, name, SampleResults.damaged());
    output.unread(name, "Permission denied: " + name);

    assertThat(lines())
        .hasSize(5)
        .allMatch(line -> line.startsWith("/a\\n/b group 0 blk_1: WRONG_BYTES\\u001b[2K"));
  }

  @Test
  void jsonHasALineForEachGroupWithFindings() {
    ScrubOutput output = output(true);
    check(output, "/a", SampleResults.healthy());
    check(output, "/b", SampleResults.damaged());
    output.unread("/d", "Permission denied");
    output.totals(totals);

    assertThat(lines()).hasSize(3);
    assertThat(lines().get(0))
        .contains("\"path\":\"/b\"", "\"firstWindow\":5", "\"windows\":2", "\"damage\":true");
    assertThat(lines().get(1)).contains("\"path\":\"/d\"", "\"notRead\":\"Permission denied\"");
    assertThat(lines().get(2)).contains("\"groups\":2", "\"interrupted\":false");
  }

  @Test
  void afterASignalTheSumsAreTheLastLine() {
    ScrubOutput output = output(false);
    check(output, "/a", SampleResults.healthy());
    output.listed(2, 10_000);
    output.interrupted(totals);
    check(output, "/b", SampleResults.damaged());
    output.leftOut(5000);
    output.unread("/d", "Filesystem closed");
    output.totals(totals);

    assertThat(lines()).hasSize(3);
    assertThat(lines().get(0)).startsWith("Interrupted; ");
    assertThat(lines().get(1)).startsWith("0 files, 1 group or block: 1 healthy, 0 damaged");
  }

  @Test
  void damageCountsMoreThanGapsAndGroupsThatAreGoneForNothing() {
    assertThat(totals.exitStatus()).isEqualTo(ExitStatus.SOUND);
    totals.add(SampleResults.gone());
    totals.addFileGone();
    assertThat(totals.exitStatus()).isEqualTo(ExitStatus.SOUND);
    assertThat(totals.groupsHealthy + totals.groupsNotChecked + totals.groupsDamaged).isZero();
    totals.addUnread();
    assertThat(totals.exitStatus()).isEqualTo(ExitStatus.UNCHECKED);
    totals.add(SampleResults.damaged());
    assertThat(totals.exitStatus()).isEqualTo(ExitStatus.FAILED);
  }
}
