// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;

/**
 * Tests that the memory of a walk does not grow with the levels of a tree, which users can make.
 */
class DeepTreeTest {
  private static final int LEVELS = 3 * FileFinder.PAGES_MAX;

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;
  private DistributedFileSystem fs;
  private final List<String> expected = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    // Pages of one entry, so that most directories have several.
    cluster = new ConvertCluster(directory, 1, 1, conf -> conf.setInt("dfs.ls.limit", 1));
    fs = cluster.fs();
    make("/deep", 0);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Makes a file before and after the next level, and a branch that is nearly as deep. */
  private void make(String path, int level) throws IOException {
    file(path + "/a");
    if (level < LEVELS) {
      make(path + "/b", level + 1);
    }
    if (level % FileFinder.PAGES_MAX == 1) {
      make(path + "/c", Math.max(level + 1, LEVELS - FileFinder.PAGES_MAX));
    }
    file(path + "/d");
  }

  private void file(String path) throws IOException {
    fs.create(new Path(path)).close();
    expected.add(path);
  }

  private FileFinder find() throws IOException {
    return new FileFinder(fs.getClient(), "/deep", JobDirectory.ROOT_DEFAULT);
  }

  @Test
  void eachFileIsFoundOnceWithFewPagesInMemory() throws Exception {
    FileFinder finder = find();
    List<String> found = new ArrayList<>();
    while (finder.hasNext()) {
      found.add(finder.next().path());
      assertThat(finder.pages()).isLessThanOrEqualTo(FileFinder.PAGES_MAX);
    }
    assertThat(found).containsExactlyElementsOf(expected);
    assertThat(finder.vanished().isAny()).isFalse();
  }

  @Test
  void aDirectoryThatIsRenamedWhileTheWalkIsFarBelowCountsAsVanished() throws Exception {
    FileFinder finder = find();
    List<String> found = new ArrayList<>();
    boolean isRenamed = false;
    while (finder.hasNext()) {
      String path = finder.next().path();
      found.add(path);
      if (!isRenamed && path.length() > 2 * (LEVELS - 1)) {
        fs.rename(new Path("/deep/b"), new Path("/deep/e"));
        isRenamed = true;
      }
    }
    assertThat(finder.vanished().isAny()).isTrue();
    assertThat(found).contains("/deep/d").doesNotHaveDuplicates();
  }
}
