// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

/** A time as written by users: {@code 90m}, {@code 12h}, {@code 30d}. */
public final class TimeSpan {
  private TimeSpan() {}

  /**
   * Returns the milliseconds of a time.
   *
   * @param option the option that has it, for the message
   * @throws IllegalArgumentException if it cannot be read
   */
  public static long millis(String option, String text) {
    if (!text.matches("\\d{1,6}[smhd]")) {
      throw new IllegalArgumentException(
          "Cannot read " + option + "=" + text + ": write for example 90m, 12h or 30d");
    }
    long count = Long.parseLong(text.substring(0, text.length() - 1));
    switch (text.charAt(text.length() - 1)) {
      case 's':
        return count * 1000;
      case 'm':
        return count * 60_000;
      case 'h':
        return count * 3_600_000;
      default:
        return count * 86_400_000;
    }
  }
}
