// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Reads the properties of the machine. */
final class MachineFacts {
  /** CPU features, by their names in the kernel, that our kernels use. */
  private static final List<String> FEATURES =
      Arrays.asList(
          "ssse3",
          "sse4_2",
          "pclmulqdq",
          "avx2",
          "avx512f",
          "avx512bw",
          "avx512vl",
          "gfni",
          "vpclmulqdq",
          "asimd",
          "pmull",
          "crc32",
          "sve");

  private MachineFacts() {}

  static void read(DoctorReport.Machine machine) {
    machine.system = System.getProperty("os.name") + " " + System.getProperty("os.version");
    machine.architecture = System.getProperty("os.arch");
    machine.processors = Runtime.getRuntime().availableProcessors();
    machine.glibc = glibc();
    readProcessor(Paths.get("/proc/cpuinfo"), machine);
  }

  static void readProcessor(Path cpuinfo, DoctorReport.Machine machine) {
    List<String> lines;
    try {
      lines = Files.readAllLines(cpuinfo, StandardCharsets.UTF_8);
    } catch (IOException unknown) {
      // Not every system has the file; the values then stay unknown.
      return;
    }
    Set<String> flags = new HashSet<>();
    for (String line : lines) {
      int colon = line.indexOf(':');
      String name = colon < 0 ? "" : line.substring(0, colon).trim();
      String value = colon < 0 ? "" : line.substring(colon + 1).trim();
      if (name.equals("model name") && machine.processor == null) {
        machine.processor = value;
      } else if (name.equals("flags") || name.equals("Features")) {
        flags.addAll(Arrays.asList(value.split(" ")));
      }
    }
    machine.features = new ArrayList<>(FEATURES);
    machine.features.retainAll(flags);
  }

  private static String glibc() {
    try {
      Process process =
          new ProcessBuilder("getconf", "GNU_LIBC_VERSION").redirectErrorStream(true).start();
      process.getOutputStream().close();
      byte[] answer = new byte[64];
      int length = process.getInputStream().read(answer);
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return null;
      }
      String text = new String(answer, 0, Math.max(length, 0), StandardCharsets.UTF_8).trim();
      return text.startsWith("glibc ") ? text : null;
    } catch (IOException absent) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
