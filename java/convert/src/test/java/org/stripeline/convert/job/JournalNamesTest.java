// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.settings.DriverKind;
import org.stripeline.convert.settings.Layout;

/**
 * Journals and settings of a job outlive the release that wrote them: their names must not change.
 */
class JournalNamesTest {
  private static final Gson GSON = new Gson();

  @Test
  void namesInJournalsAreStable() {
    assertThat(GSON.toJson(JournalRecord.Kind.values()))
        .isEqualTo(
            "[\"driver\",\"begin\",\"fenced\",\"group\",\"task\",\"maps\",\"swap\",\"back\",\"end\","
                + "\"finished\"]");
    assertThat(GSON.toJson(FileOutcome.Kind.values()))
        .isEqualTo("[\"converted\",\"changed\",\"failed\",\"unsettled\",\"takenBack\"]");
    assertThat(GSON.toJson(Layout.values())).isEqualTo("[\"contiguous\",\"striped\"]");
    assertThat(GSON.toJson(DriverKind.values())).isEqualTo("[\"client\",\"mapreduce\"]");
  }

  @Test
  void aLineOfAnEarlierJournalIsUnderstood() {
    JournalRecord record =
        GSON.fromJson(
            "{\"kind\":\"end\",\"fileId\":7,\"outcome\":\"takenBack\"}", JournalRecord.class);
    assertThat(record.kind).isEqualTo(JournalRecord.Kind.END);
    assertThat(record.fileId).isEqualTo(7);
    assertThat(record.outcome).isEqualTo(FileOutcome.Kind.ROLLED_BACK);
  }
}
