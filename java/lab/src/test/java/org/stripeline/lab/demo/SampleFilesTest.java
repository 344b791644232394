// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleFilesTest {

  private static final long BYTES = 24L << 20;

  private final StripeShape shape = StripeShape.ofPolicy("RS-3-2-1024k");
  private final Progress progress =
      new Progress(new PrintStream(new ByteArrayOutputStream()), Progress.Style.LINES, () -> 0);

  @Test
  void makesTheSameFilesEachTime(@TempDir Path first, @TempDir Path second) throws IOException {
    Map<String, String> once = sums(make(first));

    assertThat(sums(make(second))).isEqualTo(once).hasSize(13);
    // Pinned: figures of different machines and releases are about the same bytes.
    assertThat(once.get("edges/stripe-and-one.txt"))
        .isEqualTo("94c3ca3326014ae2e52a9092f4d4ad818d775c59ba35111e1a70fd3faeaa994c");
  }

  @Test
  void coversTheEdgesOfStriping(@TempDir Path directory) throws IOException {
    SampleFiles sample = make(directory);
    long cell = 1 << 20;

    assertThat(sample.files())
        .extracting(SourceFile::length)
        .contains(0L, 1L, cell - 1, cell, cell + 1, 3 * cell - 1, 3 * cell, 3 * cell + 1);
    assertThat(sample.bytes()).isBetween(BYTES * 9 / 10, BYTES * 11 / 10);
    for (SourceFile file : sample.files()) {
      assertThat(Files.size(file.local())).isEqualTo(file.length());
    }
  }

  @Test
  void tableAnswersTheQueryThroughTheLibrary(@TempDir Path directory) throws IOException {
    SampleFiles sample = make(directory);
    RawLocalFileSystem fs = new RawLocalFileSystem();
    fs.initialize(fs.getUri(), new Configuration());

    LineitemTable.Summary found =
        LineitemTable.query(
            fs, new org.apache.hadoop.fs.Path(directory + "/" + SampleFiles.TABLE_NAME));

    assertThat(found).isEqualTo(sample.table());
    assertThat(found.rows()).isGreaterThan(10_000);
    // About 1 of 7 years, 3 of 11 discounts and 23 of 50 quantities: some rows are chosen.
    assertThat(found.revenue()).isPositive();
  }

  @Test
  void textLooksLikeText(@TempDir Path directory) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new WordText(5).writeTo(out, 100_000);
    String text = new String(out.toByteArray(), StandardCharsets.US_ASCII);

    assertThat(text).hasSize(100_000).matches("(?s)[A-Za-z., \n]*").contains(". ", ", ");
    assertThat(text.lines().mapToInt(String::length).max().getAsInt()).isBetween(80, 110);
  }

  @Test
  void takesFilesOfTheUser(@TempDir Path directory) throws IOException {
    Files.createDirectories(directory.resolve("a/b"));
    Files.write(directory.resolve("a/b/two"), new byte[2]);
    Files.write(directory.resolve("none"), new byte[0]);
    try (Progress.Step step = progress.step("read", 0)) {
      SampleFiles sample = SampleFiles.of(directory, step);

      assertThat(sample.files()).extracting(SourceFile::name).containsExactly("a/b/two", "none");
      assertThat(sample.bytes()).isEqualTo(2);
      assertThat(sample.table()).isNull();
    }
  }

  @Test
  void refusesDirectoryWithoutFiles(@TempDir Path directory) {
    try (Progress.Step step = progress.step("read", 0)) {
      assertThatThrownBy(() -> SampleFiles.of(directory, step))
          .isInstanceOf(DemoException.class)
          .hasMessage("Cannot use " + directory + ": it holds no files");
    }
  }

  private SampleFiles make(Path directory) throws IOException {
    try (Progress.Step step = progress.step("make", BYTES)) {
      return SampleFiles.make(directory, BYTES, shape, step);
    }
  }

  private static Map<String, String> sums(SampleFiles sample) {
    Map<String, String> sums = new TreeMap<>();
    List<SourceFile> files = sample.files();
    files.forEach(file -> sums.put(file.name(), file.fingerprint().sha256()));
    return sums;
  }
}
