// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;

/** The loopback interface of this process's network. */
public final class Loopback {
  private static final String PREFIX = "lo:";

  private Loopback() {}

  /** Puts it into service; in a new network it is not. */
  public static void start() throws IOException {
    ShapedNetwork.run("ip link set lo up");
  }

  /** Returns the bytes of all packets that it has transferred, with their headers. */
  public static long bytes() throws IOException {
    return parse(Files.readAllLines(Paths.get("/proc/net/dev"), StandardCharsets.UTF_8));
  }

  static long parse(List<String> lines) throws IOException {
    for (String line : lines) {
      String interfaceLine = line.trim();
      if (interfaceLine.startsWith(PREFIX)) {
        return Long.parseLong(interfaceLine.substring(PREFIX.length()).trim().split(" +")[0]);
      }
    }
    throw new IOException("Cannot read /proc/net/dev: it has no line for lo");
  }
}
