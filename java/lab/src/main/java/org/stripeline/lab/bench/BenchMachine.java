// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.OptionalLong;

/** The machine on which clients and servers run; field names are those of the JSON record. */
public final class BenchMachine {
  /** Model of the processor, or null if unknown. */
  public String processor;

  /** Number of processors available to this JVM. */
  public int processors = Runtime.getRuntime().availableProcessors();

  /** Release of the kernel. */
  public String kernel = System.getProperty("os.version");

  /** Linux's load averages and task counts, or null if unknown. */
  public String load;

  /** Determines the properties and the current load of the machine. */
  public void describe() {
    processor = firstLine("/proc/cpuinfo", "model name");
    load = firstLine("/proc/loadavg", "");
  }

  /** Returns the model of the processor, which Linux does not tell on every architecture. */
  public String processorName() {
    return processor == null ? "unnamed processor" : processor;
  }

  /** Returns the bytes of memory that new processes can use, empty if unknown. */
  public static OptionalLong availableMemory() {
    String kibibytes = firstLine("/proc/meminfo", "MemAvailable:");
    return kibibytes == null
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(kibibytes.replaceAll("[^0-9]", "")) << 10);
  }

  private static String firstLine(String file, String start) {
    try {
      for (String line : Files.readAllLines(Paths.get(file), StandardCharsets.UTF_8)) {
        if (line.startsWith(start)) {
          return line.substring(line.indexOf(':') + 1).trim();
        }
      }
    } catch (IOException unknown) {
      // Not every system has the file; the value then stays unknown.
    }
    return null;
  }
}
