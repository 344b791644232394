// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.convert.settings.DriverKind;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.RefusedException;

/**
 * Journals and settings of a job outlive the release that wrote them: their names must not change.
 */
class JournalNamesTest {
  private static final Gson GSON = new Gson();

  @Test
  void namesInJournalsAreStable() {
    assertThat(GSON.toJson(JournalRecord.Kind.values()))
        .isEqualTo(
            "[\"driver\",\"begin\",\"fenced\",\"group\",\"task\",\"maps\",\"swap\",\"back\","
                + "\"end\",\"finished\"]");
    assertThat(GSON.toJson(FileOutcome.Kind.values()))
        .isEqualTo("[\"converted\",\"changed\",\"failed\",\"unsettled\",\"rolledBack\"]");
    assertThat(GSON.toJson(Layout.values())).isEqualTo("[\"contiguous\",\"striped\",\"auto\"]");
    assertThat(GSON.toJson(DriverKind.values())).isEqualTo("[\"client\",\"mapreduce\"]");
  }

  @Test
  void aLineOfAnEarlierJournalIsUnderstood() {
    JournalRecord record =
        GSON.fromJson(
            "{\"kind\":\"end\",\"fileId\":7,\"outcome\":\"rolledBack\"}", JournalRecord.class);
    assertThat(record.kind).isEqualTo(JournalRecord.Kind.END);
    assertThat(record.fileId).isEqualTo(7);
    assertThat(record.outcome).isEqualTo(FileOutcome.Kind.ROLLED_BACK);
  }

  @Test
  void aStepOfAnotherVersionIsNotPassedOver(@TempDir java.nio.file.Path folder) throws Exception {
    java.nio.file.Path file = folder.resolve("journal");
    Path journal = new Path(file.toUri());
    String known = "{\"kind\":\"end\",\"fileId\":7,\"outcome\":\"converted\",\"later\":[1]}";
    String torn = "{\"kind\":\"be";
    Files.write(file, Arrays.asList(known, torn));
    assertThat(read(journal)).hasSize(1);

    Files.write(file, Arrays.asList(known, "{\"kind\":\"later\",\"fileId\":8}", known));
    assertThatThrownBy(() -> read(journal))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("resume the job with that version")
        .hasMessageContaining("\"later\"");
  }

  /** Such as the place of a temporary file, without which it would stay. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'kind':'begin','fileId':8,'path':'/a','directoryId':9,'client':'c','accessedMs':1,"
            + "'bytes':2,'signature':'s'}",
        "{'kind':'fenced','fileId':8}",
        "{'kind':'group','fileId':8,'pool':'p'}",
        "{'kind':'task','fileId':8,'task':1}",
        "{'kind':'maps'}",
        "{'kind':'swap','fileId':8,'temporaryId':10,'modifiedMs':3}"
      })
  void aStepWithoutWhatARecoveryNeedsIsNotPassedOver(
      String line, @TempDir java.nio.file.Path folder) throws Exception {
    java.nio.file.Path file = folder.resolve("journal");
    Files.writeString(file, line.replace('\'', '"') + "\n");
    assertThatThrownBy(() -> read(new Path(file.toUri())))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("resume the job with that version");
  }

  private static List<JournalRecord> read(Path journal) throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    // A file system without a cluster, which reads local files.
    DistributedFileSystem local =
        new DistributedFileSystem() {
          @Override
          public FSDataInputStream open(Path path) throws IOException {
            return FileSystem.getLocal(new Configuration(false)).open(path);
          }
        };
    Journal.read(local, journal, records::add);
    return records;
  }
}
