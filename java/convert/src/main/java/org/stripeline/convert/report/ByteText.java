// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.util.Locale;

/** Formats numbers of bytes for people. */
public final class ByteText {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private ByteText() {}

  public static String of(long bytes) {
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }
}
