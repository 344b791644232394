// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Names one process for good: its number, the clock tick of its start and the boot that it belongs
 * to. A number alone is given out again, so it must never be signalled on its own evidence.
 */
final class ProcessIdentity {
  final long pid;
  final long startTicks;
  final String boot;

  ProcessIdentity(long pid, long startTicks, String boot) {
    this.pid = pid;
    this.startTicks = startTicks;
    this.boot = boot;
  }

  /** The process that runs this code. */
  static ProcessIdentity current() throws IOException {
    // The link names the process without Java 9's ProcessHandle.
    return of(Long.parseLong(Files.readSymbolicLink(Paths.get("/proc/self")).toString()));
  }

  private static ProcessIdentity of(long pid) throws IOException {
    return new ProcessIdentity(pid, startTicks(pid), boot());
  }

  /** Whether this very process still runs; a zombie counts as gone. */
  boolean isAlive() {
    try {
      return startTicks(pid) == startTicks && boot().equals(boot);
    } catch (IOException gone) {
      return false;
    }
  }

  private static long startTicks(long pid) throws IOException {
    String stat = text(Paths.get("/proc/" + pid + "/stat"));
    // The command name stands in parentheses and may hold anything, so count after the last one.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    if (fields[0].equals("Z") || fields[0].equals("X")) {
      throw new IOException("Process " + pid + " has ended");
    }
    // proc(5): starttime is field 22, and the first field here is number 3.
    return Long.parseLong(fields[19]);
  }

  private static String boot() throws IOException {
    return text(Paths.get("/proc/sys/kernel/random/boot_id")).trim();
  }

  private static String text(Path path) throws IOException {
    return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
  }
}
