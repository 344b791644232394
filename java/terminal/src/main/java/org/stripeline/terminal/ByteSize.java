// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A number of bytes as written by users: {@code 256MiB}, {@code 1GiB}, {@code 65536}. */
public final class ByteSize {
  /** Bytes of a mebibyte, for rates. */
  public static final double MIB = 1 << 20;

  /** Bytes of a gibibyte, for rates. */
  public static final double GIB = 1 << 30;

  /** The least rate in bytes per second: a smaller one lacks its unit, most likely. */
  private static final long RATE_MIN = 64 << 10;

  private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\s*([kmgt]i?b?|b?)");

  private final long bytes;
  private final String text;

  private ByteSize(long bytes, String text) {
    this.bytes = bytes;
    this.text = text;
  }

  /** Parses a size; {@code k}, {@code M}, {@code G} and {@code T} are powers of 1024. */
  public static ByteSize parse(String text) {
    Matcher form = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "Cannot read size '" + text + "': write for example 256MiB, 1GiB or 65536");
    }
    String unit = form.group(2);
    int shift = unit.isEmpty() ? 0 : 10 * ("kmgt".indexOf(unit.charAt(0)) + 1);
    long count = Long.parseLong(form.group(1));
    if (count > Long.MAX_VALUE >> shift) {
      throw new IllegalArgumentException("Cannot read size '" + text + "': it is too large");
    }
    return new ByteSize(count << shift, text.trim());
  }

  public long bytes() {
    return bytes;
  }

  @Override
  public String toString() {
    return text;
  }

  /** Converts command-line arguments to bytes per second, of which 0 means no limit. */
  public static final class RateConverter implements ITypeConverter<ByteSize> {
    @Override
    public ByteSize convert(String value) {
      ByteSize rate = new Converter().convert(value);
      if (rate.bytes > 0 && rate.bytes < RATE_MIN) {
        throw new TypeConversionException(
            "Cannot use "
                + value
                + " as bytes per second: at least 64KiB are possible; give a unit, such as "
                + (value.matches("[1-9]\\d{0,3}") ? value : "50")
                + "MiB");
      }
      return rate;
    }
  }

  /** Converts command-line arguments to sizes. */
  public static final class Converter implements ITypeConverter<ByteSize> {
    @Override
    public ByteSize convert(String value) {
      try {
        return parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
