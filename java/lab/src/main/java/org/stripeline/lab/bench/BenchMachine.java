// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;

/** The machine of clients and servers, in a record; field names are those of the JSON. */
public final class BenchMachine {
  /** Model of the processor, or null where the system does not tell. */
  public String processor;

  /** Processors that this JVM may use. */
  public int processors = Runtime.getRuntime().availableProcessors();

  /** Release of the kernel. */
  public String kernel = System.getProperty("os.version");

  /** Linux's load averages and counts of tasks, or null where the system does not tell. */
  public String load;

  /** Finds out what it is and how busy it is now. */
  public void describe() {
    processor = firstLine("/proc/cpuinfo", "model name");
    load = firstLine("/proc/loadavg", "");
  }

  private static String firstLine(String file, String start) {
    try {
      for (String line : Files.readAllLines(Paths.get(file), StandardCharsets.UTF_8)) {
        if (line.startsWith(start)) {
          return line.substring(line.indexOf(':') + 1).trim();
        }
      }
    } catch (IOException unknown) {
      // Not every system has the file; the fact stays unknown.
    }
    return null;
  }
}
