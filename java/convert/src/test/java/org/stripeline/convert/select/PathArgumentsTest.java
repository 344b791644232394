// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.settings.RefusedException;

class PathArgumentsTest {
  @TempDir Path tree;

  @BeforeEach
  void makeFiles() throws IOException {
    for (String name : new String[] {"2023", "2024", "a[1]"}) {
      Files.createDirectory(tree.resolve(name));
    }
  }

  private static List<String> expand(String... given) throws IOException {
    return PathArguments.expand(new Configuration(false), Arrays.asList(given));
  }

  @Test
  void globsAreReadAsInHadoopsShell() throws IOException {
    assertThat(expand(tree + "/20*")).containsExactly(tree + "/2023", tree + "/2024");
    assertThat(expand(tree + "/{2024,a*}")).containsExactly(tree + "/2024", tree + "/a[1]");
    assertThat(expand(tree + "/a\\[1\\]")).containsExactly(tree + "/a[1]");
    assertThat(expand("file://" + tree + "/202[4-9]")).containsExactly("file:" + tree + "/2024");
  }

  @Test
  void pathsWithinOthersAreLeftOut() throws IOException {
    assertThat(expand("/a/b", "/a", "/a/", "/ab", "/a/c/d", "/a")).containsExactly("/a", "/ab");
    assertThat(expand("/a/.", "/a/b", "/a/c/..", "/d/.", "/d")).containsExactly("/a/.", "/d/.");
    assertThat(expand(tree + "/*4", tree.toString())).containsExactly(tree.toString());
    assertThat(expand("/gone", "hdfs://one/gone/b")).hasSize(2);
  }

  @Test
  void manyPathsAreJoinedQuickly() {
    int count = 50_000;
    String[] paths = new String[2 * count];
    for (int i = 0; i < count; i++) {
      paths[i] = "/data/" + i + "/below";
      paths[count + i] = "/data/" + i;
    }
    assertTimeoutPreemptively(
        Duration.ofSeconds(30), () -> assertThat(expand(paths)).hasSize(count));
  }

  @Test
  void pathsThatHadoopCannotParseAreRefused() {
    for (String path : new String[] {"", "a:b"}) {
      assertThatThrownBy(() -> expand("/data", path))
          .as(path)
          .isInstanceOf(RefusedException.class)
          .hasMessageStartingWith("Cannot use the path '" + path + "': ");
    }
  }

  @Test
  void globsWithoutMatchAreRefused() {
    for (String glob : new String[] {"/none*", "/none*/x", "/[", "/{a"}) {
      assertThatThrownBy(() -> expand(tree + glob))
          .as(glob)
          .isInstanceOf(RefusedException.class)
          .hasMessageStartingWith("Cannot expand " + tree + glob + ": ");
    }
  }
}
