// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collection;

/** Measures processor time of processes as reported by Linux, in steps of 10 ms. */
public final class ProcessTime {
  /**
   * Linux reports times to user space in hundredths of a second, independently of its internal
   * tick.
   */
  private static final double TICKS_PER_SECOND = 100;

  private ProcessTime() {}

  /** Returns the seconds of user and system time of this process. */
  public static double ofSelf() throws IOException {
    return seconds(Paths.get("/proc/self/stat"));
  }

  /**
   * Returns the total seconds of user and system time of some processes; processes that have ended
   * count as 0.
   */
  public static double of(Collection<Long> processes) throws IOException {
    double sum = 0;
    for (long process : processes) {
      try {
        sum += seconds(Paths.get("/proc/" + process + "/stat"));
      } catch (NoSuchFileException gone) {
        // The process of a DataNode that was ended on purpose.
      }
    }
    return sum;
  }

  private static double seconds(Path stat) throws IOException {
    return parse(new String(Files.readAllBytes(stat), StandardCharsets.UTF_8));
  }

  public static double parse(String stat) {
    // The name in parentheses may contain blanks and parentheses; the fields after it may not.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
  }
}
