// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that patterns of paths cover what Hadoop's shell finds with the same globs. */
class PathPatternTest {
  private static final String[] PARTS = {
    "a", "b", "*", "?", "[ab]", "[^a]", "{a,b}", "{ab,*b}", "^", "$", "(", ")", "+", "|", ".", "!",
    " ", "}", "ü", "\\*", "\\\\", "#", "&"
  };

  private static final String[] CHARACTERS = {
    "a", "b", "^", "$", "(", ")", "+", "|", ".", "!", " ", "}", "ü", "*", "#", "&", "\\"
  };

  @TempDir java.nio.file.Path directory;

  private static String random(Random random, String[] from) {
    int count = 1 + random.nextInt(3);
    String text =
        random.ints(count, 0, from.length).mapToObj(i -> from[i]).collect(Collectors.joining());
    return text.matches("[.]+") ? text + "a" : text;
  }

  private static boolean isReadable(String glob) {
    try {
      return new PathPattern("/" + glob).toString() != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Test
  void itCoversWhatTheShellFinds() throws IOException {
    Random random = new Random(7);
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRaw();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String name = random(random, CHARACTERS);
      if (!names.contains(name)) {
        names.add(name);
        Files.createFile(directory.resolve(name));
      }
    }
    for (int i = 0; i < 1000; i++) {
      String glob = random(random, PARTS);
      if (!isReadable(glob)) {
        continue;
      }
      FileStatus[] statuses = fs.globStatus(new Path(directory + "/" + glob));
      List<String> found =
          Arrays.stream(statuses == null ? new FileStatus[0] : statuses)
              .map(status -> status.getPath().getName())
              .sorted()
              .collect(Collectors.toList());
      PathPattern pattern = new PathPattern(directory + "/" + glob);
      assertThat(names.stream().filter(name -> pattern.covers(directory + "/" + name)).sorted())
          .as(glob)
          .containsExactlyElementsOf(found);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/a,/a,true",
    "/,/a*/b,true",
    "/*,/a,true",
    "/*,/a*/b,true",
    "/a*,/ab/c,true",
    "/a/b,/a,false",
    "/a/?,/a/*,false",
    "/a/[*b],/a/*,false",
    "/a/{b},/a/b,true",
    "/a/\\*,/a/*,false"
  })
  void itCoversAPatternOnlyIfItCoversAllOfIts(String one, String other, boolean isCovered) {
    assertThat(new PathPattern(one).covers(new PathPattern(other))).isEqualTo(isCovered);
  }

  @ParameterizedTest
  @CsvSource({"/data/,/data", "//data//x/,/data/x", "/,/", "//,/"})
  void slashesAreSingle(String given, String text) {
    assertThat(new PathPattern(given)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a/../b", "/a/.", "/..", "a", "/a/{b/c}", "/a/[b"})
  void otherPathsAreRefused(String path) {
    assertThatThrownBy(() -> new PathPattern(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(path);
  }
}
