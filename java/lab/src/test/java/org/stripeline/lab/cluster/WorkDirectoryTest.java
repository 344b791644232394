// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Temporary directories of runs that were killed are removed by a later run, and no others. */
class WorkDirectoryTest {
  @TempDir Path parent;

  @Test
  void directoriesOfKilledProcessesAreRemoved() throws IOException {
    ProcessIdentity self = ProcessIdentity.current();
    // No process has this process' id and another time of its start.
    Path killed = leave("killed", new ProcessIdentity(self.pid, self.startTicks - 1, self.boot));
    Path beforeBoot = leave("boot", new ProcessIdentity(self.pid, self.startTicks, "earlier"));

    WorkDirectory.openTemporary(parent, WorkDirectory.AtEnd.DELETE).close();

    assertThat(killed).doesNotExist();
    assertThat(beforeBoot).doesNotExist();
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void directoriesInUseAndThoseOfOthersStay() throws IOException {
    Path running = leave("running", ProcessIdentity.current());
    Path unknown = Files.createDirectory(parent.resolve("stripeline-demo-unknown"));
    Path foreign = Files.createDirectory(parent.resolve("precious"));
    Path kept;
    try (WorkDirectory place = WorkDirectory.openTemporary(parent, WorkDirectory.AtEnd.KEEP)) {
      kept = Files.createDirectories(place.data());
    }

    WorkDirectory.removeAbandoned(parent);

    assertThat(running.resolve("data/blk_1")).exists();
    assertThat(unknown).exists();
    assertThat(foreign).exists();
    assertThat(kept).exists();
  }

  private Path leave(String name, ProcessIdentity owner) throws IOException {
    Path root = Files.createDirectory(parent.resolve("stripeline-demo-" + name));
    Files.createFile(Files.createDirectory(root.resolve("data")).resolve("blk_1"));
    ClusterDirectory.write(root.resolve("owner.json"), owner);
    return root;
  }
}
