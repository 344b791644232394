// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

/** The command line of {@code stripeline plan}, and images that cannot be planned. */
class PlanCommandTest {
  private static final String HEADER =
      "Path\tReplication\tModificationTime\tAccessTime\tPreferredBlockSize\tBlocksCount\tFileSize\t"
          + "NSQUOTA\tDSQUOTA\tPermission\tUserName\tGroupName\n";

  @TempDir Path temporary;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = CommandStyle.commandLine(new PlanCommand());
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--depth=1|Missing required parameter: 'PATH'",
        "data|name an absolute path",
        "/d --policy=LRC-6-2|write for example RS-6-3",
        "/d --policy=RS-14-4|at most 16 together",
        "/d --cell-size=1000|whole KiB are needed",
        "/d --policy=RS-6-3-1024k --cell-size=64KiB|Cannot use two cell sizes",
        "/d --depth=21|Cannot use --depth=21: 0 to 20 are possible",
        "/d --depth=-1|Cannot use --depth=-1",
        "/d --blocks-per-rack=0|Cannot use --blocks-per-rack=0: 1 to 9 are possible",
        "/d --throttle=0|it must be more than 0",
        "/d --throttle=fast|Cannot read size 'fast'",
        "/d --throttle=50|Cannot use 50 as bytes per second: at least 64KiB are possible; give a"
            + " unit, such as 50MiB",
        "/d --throttle=63k|Cannot use 63k as bytes per second",
        "/d --image=i --owner=u|Cannot use --owner or --min-age with --image",
        "/d --image=i --min-age=1d|Cannot use --owner or --min-age with --image",
        "/d --min-age=soon|Cannot read --min-age=soon",
        "/d --storage-policy=COLD|set --archive-cost=RATIO",
        "/d --storage-policy=COLD --archive-cost=0|set --archive-cost=RATIO",
        "/d --storage-policy=WARM --archive-cost=0.7|only COLD puts",
        "/d --archive-cost=0.7|only COLD puts",
        "/d --racks=3|Cannot use --racks or --nodes without --image",
        "/d --image=i --racks=0|Cannot use --racks=0: 1 to 1000000",
        "/d --image=i --racks=9 --nodes=3|each rack needs at least one",
        "/d --image=i --writers=nowhere|it is datanodes or elsewhere",
        "/d --image=i --audit|Cannot audit an image",
      })
  void aWrongCommandLineIsExplained(String arguments, String expected) {
    assertThat(run(arguments.split(" "))).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).startsWith("stripeline: ").contains(expected);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anEmptyPathIsRefusedWhereverItStands() {
    for (String[] paths : new String[][] {{""}, {"/d", ""}}) {
      assertThat(run(paths)).isEqualTo(ExitStatus.USAGE);
    }
    assertThat(err.toString())
        .contains("Cannot plan ''", "Cannot use the path '': Can not create a Path");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|its form is unknown",
        "HDFSIMG1abc|it is an fsimage itself",
        "some text|hdfs oiv -p XML",
        "<?xml version=\"1.0\"?><fsimage><INodeSection><inode>|Cannot read image ",
        "<?xml version=\"1.0\"?><fsimage><INodeSection><inode><id>x</id></inode>|id in line 1 is"
            + " 'x'",
        "<fsimage><INodeSection><inode><id>7</id><type>FILE</type><replication>3</replication>"
            + "<blocks><block><numBytes>-5</numBytes></block></blocks></inode></INodeSection>"
            + "</fsimage>|inode 7 has -5 bytes",
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e SYSTEM \"file:///\">]><a>&e;</a>|Cannot ",
      })
  void anImageThatCannotBeReadIsTold(String content, String expected) throws IOException {
    Path image = temporary.resolve("image");
    Files.write(image, content.getBytes(StandardCharsets.UTF_8));

    assertThat(run("/", "--image=" + image)).isIn(ExitStatus.UNCHECKED, ExitStatus.USAGE);
    assertThat(err.toString()).startsWith("stripeline: ").contains(expected);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anAbsentImageIsReported() {
    assertThat(run("/", "--image=" + temporary.resolve("none"))).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(err.toString()).contains("it is not a file");
  }

  @Test
  void aTruncatedGzipFileIsReported() throws IOException {
    Path image = temporary.resolve("image.gz");
    Files.write(image, new byte[] {0x1f, (byte) 0x8b, 8});

    assertThat(run("/", "--image=" + image)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(err.toString()).contains("it is truncated");
  }

  @Test
  void linesThatCannotBeReadAreCounted() throws IOException {
    Path image = temporary.resolve("image.txt");
    String good =
        "\t3\t2026-01-01 00:00\t2026-01-01 00:00\t1048576\t6\t6291456\t0\t0\t-rw-r--r--\tu\tg\n";
    Files.write(
        image,
        (HEADER
                + "/a"
                + good
                + "half a name\n"
                + "/b\tx"
                + good
                + "/c"
                + good.replace("\t3", "\tx")
                + "/d"
                + good.replace("6291456", "9000000000000000000"))
            .getBytes(StandardCharsets.UTF_8));

    assertThat(run("/", "--image=" + image, "--cell-size=64KiB")).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(out.toString())
        .contains("3 lines could not be read")
        .contains("assumed: 400 DataNodes over 20 racks: enough");
  }

  @Test
  void aHeaderWithoutAColumnIsReported() throws IOException {
    Path image = temporary.resolve("image.txt");
    Files.write(image, HEADER.replace("\tFileSize", "").getBytes(StandardCharsets.UTF_8));

    assertThat(run("/", "--image=" + image)).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(err.toString()).contains("its header has no column FileSize");
  }

  @Test
  void fullGroupsInArchiveStorageCostAThird() throws IOException {
    Path image = temporary.resolve("image.txt");
    Files.write(
        image,
        (HEADER + "/a\t3\t2026-01-01 00:00\t-\t134217728\t6\t805306368\t0\t0\t-rw-r--r--\tu\tg\n")
            .getBytes(StandardCharsets.UTF_8));

    assertThat(run("/a", "--image=" + image, "--storage-policy=COLD", "--archive-cost=0.7"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString())
        .contains("35.0 % of today's cost (50.0 % on disk)")
        .contains("--layout=auto --storage-policy=COLD --execute\n")
        .contains("only if all DataNodes have our agent");
  }

  @Test
  void usersOfFilesThatWouldBeConvertedAreWarnedOf() throws IOException {
    String page = "'What changes for users of the files' in docs/user/convert.md";
    Path image = temporary.resolve("image.txt");
    String file = "\t3\t2026-01-01 00:00\t-\t134217728\t6\t805306368\t0\t0\t-rw-r--r--\tu\tg\n";
    String tiny = "\t3\t2026-01-01 00:00\t-\t134217728\t1\t10\t0\t0\t-rw-r--r--\tu\tg\n";
    Files.write(image, (HEADER + "/a/f" + file + "/b/f" + tiny).getBytes(StandardCharsets.UTF_8));

    assertThat(run("/a/f", "--image=" + image)).as(err.toString()).isZero();
    assertThat(out.toString()).contains("WARNING: ", page);
    out.getBuffer().setLength(0);
    assertThat(run("/a/f", "--image=" + image, "--json")).isZero();
    JsonArray warnings =
        JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("warnings");
    assertThat(warnings).anyMatch(warning -> warning.getAsString().contains(page));
    out.getBuffer().setLength(0);
    assertThat(run("/b/f", "--image=" + image)).as(err.toString()).isZero();
    assertThat(out.toString()).doesNotContain(page);
  }

  @Test
  void theCommandThatCarriesThePlanOutHasTheSameOptionsAboutFiles() throws IOException {
    Path image = temporary.resolve("image.txt");
    String six = "\t3\t2026-01-01 00:00\t-\t134217728\t6\t805306368\t0\t0\t-rw-r--r--\tu\tg\n";
    String one = "\t3\t2026-01-01 00:00\t-\t134217728\t1\t134217728\t0\t0\t-rw-r--r--\tu\tg\n";
    Files.write(
        image,
        (HEADER + "/a/six x" + six + "/a/one x" + one + "/a/other" + six)
            .getBytes(StandardCharsets.UTF_8));

    int status =
        run(
            "/a",
            "--image=" + image,
            "--policy=RS-6-3-64k",
            "--depth=0",
            "--glob=* x",
            "--min-size=1MiB",
            "--include-synced");

    assertThat(status).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains(
            "carried out by: stripeline convert /a --policy=RS-6-3-64k --layout=auto --glob='* x'"
                + " --min-size=1MiB --include-synced --execute\n")
        .contains("excluded by the options")
        .contains("only a copy would save space: convert with --allow-stale-readers")
        .contains("1 file that only a copy makes smaller, 192 MiB instead of 384")
        .contains("while it runs, with 4 files at once, the conversion needs up to 384 MiB more;")
        .contains("undoing it would need up to 2.25 GiB");
  }

  private Path imageOfOneGroup() throws IOException {
    Path image = temporary.resolve("image.txt");
    String root = "/\t0\t2026-01-01 00:00\t-\t0\t0\t0\t0\t0\tdrwxr-xr-x\tu\tg\n";
    String file = "/a\t3\t2026-01-01 00:00\t-\t1048576\t6\t6291456\t0\t0\t-rw-r--r--\tu\tg\n";
    return Files.write(image, (HEADER + root + file).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aRackRuleThatOneRackFailureBreaksIsWarnedOf() throws IOException {
    Path image = imageOfOneGroup();

    assertThat(run("/a", "--image=" + image, "--blocks-per-rack=4")).isZero();
    assertThat(out.toString())
        .contains("the failure of a rack can lose data: with 4 blocks of a group in it, more are")
        .contains("no command carries this out: 'convert' follows HDFS's rule")
        .doesNotContain("carried out by: ");
    out.getBuffer().setLength(0);
    assertThat(run("/a", "--image=" + image, "--blocks-per-rack=3")).isZero();
    assertThat(out.toString()).doesNotContain("can lose data").doesNotContain("carried out by: ");
  }

  @Test
  void aCodeThatDoesNotFitIsWarnedOf() throws IOException {
    Path image = imageOfOneGroup();

    assertThat(run("/", "--image=" + image, "--racks=2", "--nodes=8")).isZero();
    assertThat(out.toString())
        .contains("RS-6-3 needs 9 DataNodes, there are 8: nothing can be converted")
        .contains("RS-6-3 needs 3 racks to survive the failure of one, there are 2")
        .contains("1 group cannot be placed, the first of /a: ");
  }
}
