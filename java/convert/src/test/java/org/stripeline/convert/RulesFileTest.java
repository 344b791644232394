// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.convert.service.TimeWindow;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.RefusedException;

/** Tests rules files: what they mean, and what is wrong with them. */
class RulesFileTest {
  private static final long DAY_MS = 86_400_000;

  @TempDir Path directory;

  private List<Rule> read(String text) throws IOException {
    Path file = directory.resolve("rules.xml");
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    return RulesFile.read(file.toString());
  }

  @Test
  void elementsAreTheOptionsOfConvert() throws Exception {
    List<Rule> rules =
        read(
            "<rules>\n<!-- Files of today's reports. -->\n"
                + "<rule name='hot'><path>/data/hot</path><leave/></rule>\n"
                + "<rule name='archive'>\n"
                + "  <path>/data</path>\n  <path>/old/20*</path>\n"
                + "  <min-age>30d</min-age><min-size>1MiB</min-size><owner>etl</owner>\n"
                + "  <policy>RS-6-3</policy><layout>auto</layout><throttle>50MiB</throttle>\n"
                + "  <allow-stale-readers/><include-synced>false</include-synced>\n"
                + "  <window>22:00-06:00</window>\n"
                + "</rule></rules>");

    assertThat(rules).extracting(rule -> rule.name).containsExactly("hot", "archive");
    assertThat(rules).extracting(rule -> rule.line).containsExactly(3, 4);
    assertThat(rules.get(0).isLeave).isTrue();
    JobSettings job = rules.get(1).job("/data", rules.subList(0, 1));
    assertThat(job.path).isEqualTo("/data");
    assertThat(job.rule).isEqualTo("archive");
    assertThat(job.policy).isEqualTo("RS-6-3");
    assertThat(job.layout).isEqualTo(Layout.AUTO);
    assertThat(job.bytesPerSecond).isEqualTo(50 << 20);
    assertThat(job.allowStaleReaders).isTrue();
    assertThat(job.rules.includeSynced).isFalse();
    assertThat(rules.get(1).window).hasToString("22:00-06:00");
    long old = 31 * DAY_MS;
    int size = 1 << 20;
    assertThat(job.rules.selects("/data/a", "etl", size, 0, old)).isTrue();
    assertThat(job.rules.selects("/old/2024/a", "etl", size, 0, old)).isTrue();
    assertThat(job.rules.selects("/data/hot/a", "etl", size, 0, old)).isFalse();
    assertThat(job.rules.selects("/data/hotter", "etl", size, 0, old)).isTrue();
    assertThat(job.rules.selects("/old/1999/a", "etl", size, 0, old)).isFalse();
    assertThat(job.rules.selects("/data/a", "root", size, 0, old)).isFalse();
    assertThat(job.rules.selects("/data/a", "etl", size - 1, 0, old)).isFalse();
    assertThat(job.rules.selects("/data/a", "etl", size, 2 * DAY_MS, old)).isFalse();
  }

  @Test
  void aFileBelongsToTheFirstRuleThatChoosesItWhateverItsAge() throws Exception {
    List<Rule> rules =
        read(
            "<rules>"
                + "<rule name='large'><path>/</path><min-size>1GiB</min-size>"
                + "<min-age>90d</min-age><policy>RS-6-3</policy></rule>"
                + "<rule name='rest'><path>/</path><policy>RS-3-2</policy></rule></rules>");
    JobSettings rest = rules.get(1).job("/", rules.subList(0, 1));
    assertThat(rest.rules.selects("/a", "etl", (1 << 30) - 1, 0, 0)).isTrue();
    assertThat(rest.rules.selects("/a", "etl", 1 << 30, 0, 0)).isFalse();
  }

  private static String random(Random random, String... from) {
    return from[random.nextInt(from.length)];
  }

  @Test
  void exactlyTheRuleThatIsExplainedSelectsAFile() throws Exception {
    Random random = new Random(11);
    int taken = 0;
    for (int round = 0; round < 300; round++) {
      StringBuilder text = new StringBuilder("<rules>");
      for (int i = 0; i <= random.nextInt(5); i++) {
        text.append("<rule name='r").append(i).append("'><path>");
        for (int depth = random.nextInt(4); depth >= 0; depth--) {
          text.append('/').append(random(random, "a", "b", "*", "[ab]", "{a,c}", "", "a^", "?"));
        }
        text.append("</path>").append(random(random, "", "<path>/b/c/</path>", "<path>//c</path>"));
        text.append(random(random, "", "<owner>u</owner>", "<min-size>9</min-size>"));
        text.append(random(random, "", "<glob>a*</glob>", "<glob>/a/*</glob>"));
        text.append(random(random, "<leave/>", "<policy>RS-6-3</policy>")).append("</rule>");
      }
      List<Rule> rules;
      try {
        rules = read(text + "</rules>");
      } catch (RefusedException e) {
        assertThat(e).hasMessageContaining("would never take a file");
        continue;
      }
      for (int i = 0; i < 50; i++) {
        StringBuilder path = new StringBuilder();
        for (int depth = random.nextInt(4); depth >= 0; depth--) {
          path.append('/').append(random(random, "a", "b", "c", "a^", "*", "ü"));
        }
        String file = path.toString();
        String owner = random(random, "u", "v");
        long bytes = random.nextInt(20);
        boolean isTaken = false;
        for (int n = 0; n < rules.size(); n++) {
          Rule rule = rules.get(n);
          boolean isFirst = !isTaken && rule.files.whyNot(file, owner, bytes) == null;
          isTaken |= isFirst;
          taken += isFirst && !rule.isLeave ? 1 : 0;
          assertThat(
                  !rule.isLeave
                      && rule.job("/", rules.subList(0, n)).rules.selects(file, owner, bytes, 0, 0))
              .as(file + " " + text)
              .isEqualTo(isFirst && !rule.isLeave);
        }
      }
    }
    assertThat(taken).isPositive();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<rules/>|it has no rule",
        "<rule/>|line 1: the first element is <rule>, not <rules>",
        "<rules>;<rule name='a'>|line 2: ",
        "<rules>;;<rules/></rules>|line 3: <rules> is not <rule>",
        "<rules><rule><path>/</path></rule></rules>|line 1: a rule needs a name",
        "<rules><rule name='a b'/></rules>|line 1: a rule needs a name",
        "<rules><rule name='a' id='1'/></rules>|line 1: a rule has no attribute id",
        "<rules>;<rule name='a'><policy>RS-6-3</policy></rule></rules>|line 2: rule a has no"
            + " <path>",
        "<rules><rule name='a'><path>/</path></rule></rules>|--policy is missing",
        "<rules><rule name='a'>;<path>data</path></rule></rules>|line 2: Cannot use path data",
        "<rules><rule name='a'>;<path>/{a/b}</path></rule></rules>|line 2: Cannot use path /{a/b}",
        "<rules><rule name='a'>;<path>/[</path></rule></rules>|line 2: Cannot read path /[",
        "<rules><rule name='a'><path>/</path>;<min-age>30</min-age></rule></rules>"
            + "|line 2: Cannot read --min-age=30",
        "<rules><rule name='a'><path>/</path>;<layout>wide</layout></rule></rules>|line 2: ",
        "<rules><rule name='a'><path>/</path>;<policy>RS-6</policy></rule></rules>|RS-6",
        "<rules><rule name='a'><path>/</path>;<undo/></rule></rules>|line 2: a rule has no <undo>",
        "<rules><rule name='a'><path>/</path>;<keytab>k</keytab></rule></rules>"
            + "|line 2: a rule has no <keytab>",
        "<rules><rule name='a'><path>/</path>;<window>9-17</window></rule></rules>"
            + "|line 2: Cannot read window 9-17",
        "<rules><rule name='a'><path>/</path>;<window>09:00-09:00</window></rule></rules>"
            + "|line 2: Cannot read window",
        "<rules><rule name='a'><path>/</path><owner>x</owner>;<owner>y</owner></rule></rules>"
            + "|line 2: <owner> is given twice",
        "<rules><rule name='a'><path>/</path><leave/>;<policy>RS-6-3</policy></rule></rules>"
            + "|line 2: <policy> has no effect",
        "<rules><rule name='a'><path>/</path>;<leave>yes</leave></rule></rules>"
            + "|line 2: <leave> is yes",
        "<rules><rule name='a'><path>/</path>;<owner name='x'/></rule></rules>"
            + "|line 2: <owner> has no attributes",
        "<rules><rule name='a'><path>/a</path><leave/></rule>;"
            + "<rule name='a'><path>/b</path><leave/></rule></rules>|line 2: a is also the name",
        "<rules><rule name='a'><path>/*</path><leave/></rule>;"
            + "<rule name='b'><path>/a/b</path><leave/></rule></rules>|line 2: rule b would never",
        "<rules><rule name='a'><path>/a</path><leave/></rule></rules>;<rules/>|line 2: ",
        "<rules><rule name='a'>;<path>/a&x;b</path><leave/></rule></rules>|line 2: ",
        "<rules><rule name='a'>;<path>/a/../b</path><leave/></rule></rules>"
            + "|line 2: Cannot use path /a/../b",
        "<!DOCTYPE rules [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>;<rules>&e;</rules>|line 1: "
      })
  void whatIsWrongIsRefusedWithItsLine(String text, String message) {
    assertThatThrownBy(() -> read(text.replaceAll("(?<!&e);(?=[<;])", "\n")))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith("Cannot read rules file ")
        .hasMessageContaining(message);
  }

  @Test
  void aFileThatEveryUserMayWriteIsRefused() throws Exception {
    Path file = directory.resolve("open.xml");
    Files.createFile(file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--rw-"));
    assertThatThrownBy(() -> RulesFile.read(file.toString()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("chmod o-w");
    assertThatThrownBy(() -> RulesFile.read(directory.toString()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("directory");
    assertThatThrownBy(() -> RulesFile.read(directory.resolve("none.xml").toString()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no such file");
  }

  @Test
  void damagedFilesAreRefused() throws Exception {
    byte[] whole =
        ("<?xml version='1.0' encoding='UTF-8'?>\n<rules><!-- ü --><rule name='a'>"
                + "<path>/ü/*</path><min-age>30d</min-age><policy>RS-6-3</policy>"
                + "<glob><![CDATA[*]]></glob><window>22:00-06:00</window></rule></rules>\n")
            .getBytes(StandardCharsets.UTF_8);
    Random random = new Random(3);
    Path file = directory.resolve("rules.xml");
    for (int i = 0; i < 200; i++) {
      byte[] text =
          Arrays.copyOf(whole, random.nextInt(4) == 0 ? random.nextInt(200) : whole.length);
      for (int n = random.nextInt(4); n > 0 && text.length > 0; n--) {
        text[random.nextInt(text.length)] = (byte) random.nextInt(256);
      }
      Files.write(file, text);
      try {
        assertThat(RulesFile.read(file.toString())).hasSize(1);
      } catch (RefusedException e) {
        assertThat(e).hasMessageStartingWith("Cannot read rules file ");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    // Clocks are put forward from 02:00 to 03:00 on 29 March, and back from 03:00 on 25 October.
    "02:30-03:30,2026-03-29T01:00+01:00,false,60",
    "02:30-03:30,2026-03-29T03:00+02:00,true,1410",
    "02:00-03:00,2026-03-29T01:59+01:00,false,1",
    "02:00-03:00,2026-03-29T03:00+02:00,false,1380",
    "22:00-06:00,2026-03-29T00:00+01:00,true,1260",
    "02:30-03:30,2026-10-25T02:00+02:00,false,30",
    "02:30-03:30,2026-10-25T02:00+01:00,false,30",
    "22:00-06:00,2026-10-25T00:00+02:00,true,1380"
  })
  void aWindowOpensOnDaysOnWhichClocksChange(
      String window, String time, boolean isOpen, long minutes) {
    ZonedDateTime at = ZonedDateTime.parse(time).withZoneSameInstant(ZoneId.of("Europe/Berlin"));
    TimeWindow parsed = TimeWindow.parse(window);
    assertThat(parsed.isOpen(at)).isEqualTo(isOpen);
    assertThat(parsed.untilOpening(at)).isEqualTo(Duration.ofMinutes(minutes));
    assertThat(parsed.isOpen(at.plusMinutes(minutes)))
        .isEqualTo(!time.startsWith("2026-03-29T01:59"));
  }

  @Test
  void aFileInADirectoryThatEveryUserMayWriteIsRefused() throws Exception {
    Path open = Files.createDirectory(directory.resolve("open"));
    Path file = open.resolve("rules.xml");
    Files.write(
        file,
        "<rules><rule name='a'><path>/a</path><leave/></rule></rules>"
            .getBytes(StandardCharsets.UTF_8));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path link = Files.createSymbolicLink(directory.resolve("link.xml"), file);
    for (Path name : Arrays.asList(file, link)) {
      assertThatThrownBy(() -> RulesFile.read(name.toString()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("all may write directory " + open);
    }
    Files.setAttribute(open, "unix:mode", 01777);
    assertThat(RulesFile.read(link.toString())).hasSize(1);
  }

  @Test
  void entitiesAreNeitherExpandedNorFetched() throws Exception {
    Path secret = directory.resolve("secret");
    Files.write(secret, "/etc".getBytes(StandardCharsets.UTF_8));
    StringBuilder bomb = new StringBuilder("<!DOCTYPE rules [<!ENTITY e0 '/a'>");
    for (int i = 1; i < 40; i++) {
      bomb.append("<!ENTITY e").append(i).append(" '");
      bomb.append(("&e" + (i - 1) + ";").repeat(10)).append("'>");
    }
    String rule = "<rules><rule name='a'><path>/x%s</path><leave/></rule></rules>";
    String[] texts = {
      bomb + "]>" + String.format(rule, "&e39;"),
      "<!DOCTYPE rules [<!ENTITY f SYSTEM '" + secret.toUri() + "'>]>" + String.format(rule, "&f;"),
      "<!DOCTYPE rules [<!ENTITY % p SYSTEM '"
          + secret.toUri()
          + "'> %p;]>"
          + String.format(rule, "&f;"),
      "<!DOCTYPE rules SYSTEM '" + secret.toUri() + "'>" + String.format(rule, "&f;")
    };
    for (String text : texts) {
      assertThatThrownBy(() -> read(text))
          .isInstanceOf(RefusedException.class)
          .hasMessageStartingWith("Cannot read rules file ")
          .hasMessageNotContaining("/etc");
    }
  }

  @Test
  @Timeout(60)
  void aLargeFileIsReadOrRefusedInTime() throws Exception {
    StringBuilder text = new StringBuilder("<rules>");
    for (int i = 0; i < 1000; i++) {
      text.append("<rule name='r").append(i).append("'><path>/d/").append(i);
      text.append("</path><leave/></rule>");
    }
    assertThat(read(text + "</rules>")).hasSize(1000);
    assertThatThrownBy(() -> read(text + "<rule name='x'><path>/x</path><leave/></rule></rules>"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("it has more than 1000 paths");
    assertThatThrownBy(() -> read(text + " ".repeat(1 << 20) + "</rules>"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("it has more than 1048576 bytes");
  }

  @ParameterizedTest
  @CsvSource({
    "22:00-06:00,21:59,false,1",
    "22:00-06:00,22:00,true,1440",
    "22:00-06:00,05:59,true,961",
    "22:00-06:00,06:00,false,960",
    "09:00-17:00,08:00,false,60",
    "09:00-17:00,16:59,true,961",
    "09:00-17:00,17:00,false,960"
  })
  void aWindowOpensEachDay(String window, String time, boolean isOpen, long minutes) {
    ZonedDateTime at = ZonedDateTime.parse("2026-01-10T" + time + ":00Z");
    TimeWindow parsed = TimeWindow.parse(window);
    assertThat(parsed.isOpen(at)).isEqualTo(isOpen);
    assertThat(parsed.untilOpening(at)).isEqualTo(Duration.ofMinutes(minutes));
  }
}
