// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.util.Locale;

/** Formats numbers for text output. */
public final class Quantity {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Quantity() {}

  /** Returns bytes with a binary unit and three or four digits: 999 B, 1.50 GiB, 1023 TiB. */
  public static String bytes(double bytes) {
    double value = Math.abs(bytes);
    int unit = 0;
    while (unit < UNITS.length - 1 && value >= 1023.5) {
      value /= 1024;
      unit++;
    }
    String digits = unit == 0 || value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    String text = String.format(Locale.ROOT, digits, value) + " " + UNITS[unit];
    return bytes < 0 ? "-" + text : text;
  }

  /** Returns a ratio in percent, "-" if the whole is 0. */
  public static String percent(double part, double whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * part / whole);
  }

  /** Returns a factor such as 1.50x, "-" if the whole is 0. */
  public static String factor(double part, double whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.2fx", part / whole);
  }

  /** Returns a whole number. */
  public static String count(double count) {
    return String.format(Locale.ROOT, "%.0f", count);
  }

  /** Returns a count with a noun: 1 file, 2 files. */
  public static String counted(long count, String noun) {
    return counted(count, noun, noun + "s");
  }

  /**
   * Returns a count with one of two words: 1 directory, 2 directories; 1 file has, 2 files have.
   */
  public static String counted(long count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }

  /** Returns a duration with one or two units: 12 s, 3 min 20 s, 5 h 10 min, 12 d 3 h. */
  public static String duration(double seconds) {
    long whole = Math.round(Math.ceil(seconds));
    if (whole < 60) {
      return whole + " s";
    }
    if (whole < 3600) {
      return whole / 60 + " min " + whole % 60 + " s";
    }
    if (whole < 24 * 3600) {
      return whole / 3600 + " h " + whole % 3600 / 60 + " min";
    }
    return whole / (24 * 3600) + " d " + whole % (24 * 3600) / 3600 + " h";
  }
}
