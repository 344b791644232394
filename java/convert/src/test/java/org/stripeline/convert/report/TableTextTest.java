// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.job.FileOutcome;

class TableTextTest {
  /** HDFS accepts them; lines of their own would look like those of another file. */
  @Test
  void namesWithControlCharactersForgeNoLine() {
    JobReport report = new JobReport("job", new AdoptionTraffic());
    report.add("/a\n  /b: \u001b[2K", FileOutcome.failed("it is gone"));
    report.vanished().file("/c\nd");

    StringWriter out = new StringWriter();
    new TableText(new PrintWriter(out)).report(report, 1);

    assertThat(out.toString())
        .contains("not converted: 1 file\n  /a\\n  /b: \\u001b[2K: it is gone\n")
        .contains("; such as /c\\nd\n");
  }
}
