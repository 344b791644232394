// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;

/** The page cache of this machine, which has what DataNodes here have written or read lately. */
final class PageCache {
  private static final Path DROP = Paths.get("/proc/sys/vm/drop_caches");

  private PageCache() {}

  /**
   * Returns why reads of DataNodes' files cannot be made to come from disks, or null.
   *
   * @param disks where the DataNodes keep their files; null if they are on other machines
   */
  static String obstacle(Path disks) throws IOException {
    if (disks == null) {
      return "the page caches of the cluster's machines cannot be emptied from here";
    }
    if (Files.getFileStore(disks).type().equals("tmpfs")) {
      return "its files are in memory; name a directory on a disk, with --dir or java.io.tmpdir";
    }
    return Files.isWritable(DROP) ? null : "only root may empty the page cache";
  }

  /** Leaves out reads that must come from disks, if they cannot. */
  static void leaveOut(IoSettings settings, Path disks, IoReport report) throws IOException {
    for (Operation operation : new ArrayList<>(settings.operations)) {
      String obstacle = operation.isCold() ? obstacle(disks) : null;
      if (obstacle != null) {
        settings.operations.remove(operation);
        report.leaveOut(operation.name(), obstacle);
      }
      if (settings.operations.isEmpty()) {
        throw new IOException("Cannot measure " + operation + ": " + obstacle);
      }
    }
  }

  /**
   * Writes what is not yet on the disks, and empties the page cache, if the operation is to read
   * from disks.
   */
  static void dropFor(Operation operation) throws IOException {
    if (!operation.isCold()) {
      return;
    }
    try {
      int status = new ProcessBuilder("sync").inheritIO().start().waitFor();
      if (status != 0) {
        throw new IOException("Cannot write the page cache to disks: sync ended with " + status);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for sync: interrupted", e);
    }
    // Pages without directory entries and inodes; see proc_sys_vm(5).
    Files.write(DROP, "1".getBytes(StandardCharsets.US_ASCII));
  }
}
