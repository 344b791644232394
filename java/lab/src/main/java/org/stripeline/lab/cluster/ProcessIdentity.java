// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Identifies one process uniquely: by its id, the clock tick of its start and the boot during which
 * it started. An id alone is reused, so a signal must never be sent based on the id alone.
 */
final class ProcessIdentity {
  final long pid;
  final long startTicks;
  final String boot;

  /** The Linux namespace of the process id; null if an earlier version wrote this. */
  final String namespace;

  /** The machine, or the container; null if an earlier version wrote this. */
  final String machine;

  ProcessIdentity(long pid, long startTicks, String boot, String namespace, String machine) {
    this.pid = pid;
    this.startTicks = startTicks;
    this.boot = boot;
    this.namespace = namespace;
    this.machine = machine;
  }

  /** Returns the identity of the current process. */
  static ProcessIdentity current() throws IOException {
    // The link has the process id; Java 8 has no ProcessHandle.
    return of(Long.parseLong(Files.readSymbolicLink(Paths.get("/proc/self")).toString()));
  }

  private static ProcessIdentity of(long pid) throws IOException {
    return new ProcessIdentity(pid, startTicks(pid), boot(), namespace(), machine());
  }

  /**
   * Returns whether {@link #isAlive} can tell, which it cannot for a process in another container
   * or on another machine. On this machine, an earlier boot says that the process has ended.
   */
  boolean isVisible() throws IOException {
    return (machine == null || machine.equals(machine()))
        && (namespace == null || namespace.equals(namespace()) || !boot.equals(boot()));
  }

  /** Returns whether exactly this process is still running; a zombie counts as ended. */
  boolean isAlive() {
    try {
      return startTicks(pid) == startTicks && boot().equals(boot);
    } catch (IOException gone) {
      return false;
    }
  }

  private static long startTicks(long pid) throws IOException {
    String stat = text(Paths.get("/proc/" + pid + "/stat"));
    // The command name is in parentheses and may contain any characters, so fields are counted
    // after the last parenthesis.
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

  private static String namespace() throws IOException {
    return Files.readSymbolicLink(Paths.get("/proc/self/ns/pid")).toString();
  }

  /** With the host name, because all containers of an image may have the same machine id. */
  private static String machine() throws IOException {
    Path id = Paths.get("/etc/machine-id");
    return (Files.isReadable(id) ? text(id).trim() : "")
        + "/"
        + text(Paths.get("/proc/sys/kernel/hostname")).trim();
  }

  private static String text(Path path) throws IOException {
    return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
  }
}
