// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Temporary directories of runs that were killed are removed by a later run, and no others. */
class WorkDirectoryTest {
  @TempDir Path parent;

  @Test
  void directoriesOfKilledProcessesAreRemoved() throws IOException {
    ProcessIdentity self = ProcessIdentity.current();
    Path killed = leave("killed", ended(self, self.boot, self.namespace));
    Path beforeBoot = leave("boot", ended(self, "earlier", "pid:[1]"));

    WorkDirectory.openTemporary(parent, WorkDirectory.AtEnd.DELETE).close();

    assertThat(killed).doesNotExist();
    assertThat(beforeBoot).doesNotExist();
    assertThat(parent).isEmptyDirectory();
  }

  /** Of its processes, nothing is known here. */
  @Test
  void directoriesOfAnotherContainerStay() throws IOException {
    ProcessIdentity self = ProcessIdentity.current();
    Path foreign = leave("foreign", ended(self, self.boot, "pid:[1]"));
    WorkDirectory.removeAbandoned(parent);
    assertThat(foreign.resolve("data/blk_1")).exists();
  }

  /** Machines may share a directory for temporary files, and each has a boot of its own. */
  @Test
  void directoriesOfAnotherMachineStay() throws IOException {
    ProcessIdentity self = ProcessIdentity.current();
    Path foreign =
        leave(
            "foreign",
            new ProcessIdentity(
                self.pid, self.startTicks - 1, "other boot", self.namespace, "other/machine"));
    WorkDirectory.removeAbandoned(parent);
    assertThat(foreign.resolve("data/blk_1")).exists();
  }

  @Test
  void filesThatARunDidNotMakeStay() throws IOException {
    Path given = parent.resolve("given");
    try (WorkDirectory place = WorkDirectory.open(given, WorkDirectory.AtEnd.DELETE)) {
      Files.createFile(Files.createDirectories(place.data()).resolve("blk_1"));
      Files.createFile(Files.createDirectory(given.resolve("record")).resolve("io.json"));
    }
    assertThat(given.resolve("data")).doesNotExist();
    assertThat(given.resolve("record/io.json")).exists();
  }

  /** Commands differ in the options that make their data less. */
  @Test
  void missingSpaceIsReportedWithoutOptionsThatACommandMayLack() throws IOException {
    try (WorkDirectory place = WorkDirectory.openTemporary(parent, WorkDirectory.AtEnd.DELETE)) {
      assertThatThrownBy(() -> place.requireSpace(Long.MAX_VALUE))
          .hasMessageContaining("--dir, or less data (see --help)");
    }
  }

  /** No process has this process' id and another time of its start. */
  private static ProcessIdentity ended(ProcessIdentity self, String boot, String namespace) {
    return new ProcessIdentity(self.pid, self.startTicks - 1, boot, namespace, self.machine);
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

  @Test
  void aClosedDirectoryIsDeletedAfterWhatWasStartingInIt() throws Exception {
    WorkDirectory place = WorkDirectory.openTemporary(parent, WorkDirectory.AtEnd.DELETE);
    CountDownLatch isClosing = new CountDownLatch(1);
    AtomicBoolean isResourceClosed = new AtomicBoolean();
    Thread closer = new Thread(place::close);
    CompletableFuture<AutoCloseable> started =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return place.start(
                    () -> {
                      closer.start();
                      awaitUninterruptibly(isClosing);
                      Files.createDirectories(place.data().resolve("late"));
                      return () -> isResourceClosed.set(true);
                    });
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
    while (closer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    isClosing.countDown();
    assertThat(started)
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .havingRootCause()
        .withMessageContaining("interrupted");
    closer.join();
    assertThat(isResourceClosed).isTrue();
    assertThat(parent).isEmptyDirectory();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path leave(String name, ProcessIdentity owner) throws IOException {
    Path root = Files.createDirectory(parent.resolve("stripeline-demo-" + name));
    Files.createFile(Files.createDirectory(root.resolve("data")).resolve("blk_1"));
    ClusterDirectory.write(root.resolve("owner.json"), owner);
    return root;
  }
}
