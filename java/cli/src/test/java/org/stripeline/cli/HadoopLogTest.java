// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.stripeline.testkit.ForkedJvm;

class HadoopLogTest {
  @TempDir Path temporary;

  private static String mention(HadoopLog log) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    log.mention(new PrintStream(text, true));
    return text.toString();
  }

  @Test
  void nothingIsMadeOrSaidWithoutAMessage() {
    assertThat(mention(new HadoopLog(null, temporary.toString()))).isEmpty();
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void messagesAreAppendedToTheNamedFile() throws Exception {
    Path file = Files.write(temporary.resolve("log"), "before\n".getBytes());
    HadoopLog log = new HadoopLog(file.toString(), "/nowhere");
    log.write("a\n");
    log.write("b\n");
    assertThat(file).hasContent("before\na\nb\n");
    assertThat(mention(log)).endsWith(" are in " + file + "\n");
  }

  @Test
  void aFullFileIsKeptAsTheOneBefore() throws Exception {
    Path file = temporary.resolve(".stripeline/log/stripeline.log");
    Files.createDirectories(file.getParent());
    try (RandomAccessFile full = new RandomAccessFile(file.toFile(), "rw")) {
      full.setLength((16L << 20) + 1);
    }
    new HadoopLog("", temporary.toString()).write("a\n");
    assertThat(file).hasContent("a\n");
    assertThat(file.resolveSibling("stripeline.log.1")).hasSize((16L << 20) + 1);
  }

  @Test
  void withoutAHomeDirectoryAFileOfItsOwnIsMade() throws Exception {
    Path file = Files.write(temporary.resolve("file"), new byte[0]);
    HadoopLog log = new HadoopLog(null, file.toString());
    log.write("a\n");
    Path made = Path.of(mention(log).replaceAll(".* are in ", "").trim());
    assertThat(made).hasContent("a\n");
    Files.delete(made);
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() throws Exception {
    Path file = Files.write(temporary.resolve("file"), new byte[0]);
    HadoopLog log = new HadoopLog(file + "/log", null);
    log.write("a\n");
    log.write("b\n");
    assertThat(mention(log))
        .contains(
            "Cannot write log messages: ", file.toString(), "name a file with STRIPELINE_LOG");
  }

  /** Logs as Hadoop and as this software do. */
  static final class Logging {
    public static void main(String[] arguments) {
      Exception cause = new IOException("the cause");
      LoggerFactory.getLogger("org.apache.hadoop.hdfs.DFSClient").warn("of Hadoop", cause);
      LoggerFactory.getLogger("org.stripeline.Some").warn("of ours", cause);
      Stripeline.main(new String[] {"version"});
    }
  }

  @Test
  void hadoopsMessagesAndStackTracesAreInAFileOfTheOwner() throws Exception {
    ForkedJvm.Result result =
        ForkedJvm.of(Logging.class)
            .with("-Dlog4j.configuration=org/stripeline/cli/log4j.properties")
            .environment("HOME", temporary.toString())
            .run();
    Path file = temporary.resolve(".stripeline/log/stripeline.log");
    assertThat(result.output())
        .contains("WARN  Some: of ours\njava.io.IOException: the cause\n")
        .containsOnlyOnce("stripeline: Log messages with details are in " + file)
        .doesNotContain("of Hadoop", "\tat ");
    assertThat(file).content().contains("of Hadoop", "of ours", "\tat ");
    assertThat(permissions(file)).isEqualTo("rw-------");
    assertThat(permissions(file.getParent())).isEqualTo("rwx------");
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
