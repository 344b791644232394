// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

import java.time.Duration;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;

/** A part of each day, in local time, such as 22:00-06:00; it may span midnight. */
public final class TimeWindow {
  private final LocalTime from;
  private final LocalTime to;

  private TimeWindow(LocalTime from, LocalTime to) {
    this.from = from;
    this.to = to;
  }

  /**
   * Reads a window.
   *
   * @throws IllegalArgumentException if it is not {@code HH:MM-HH:MM} with two different times
   */
  public static TimeWindow parse(String text) {
    try {
      String[] both = text.split("-", -1);
      if (both.length == 2) {
        LocalTime from = LocalTime.parse(both[0].trim());
        LocalTime to = LocalTime.parse(both[1].trim());
        if (!from.equals(to)) {
          return new TimeWindow(from, to);
        }
      }
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(wrong(text), e);
    }
    throw new IllegalArgumentException(wrong(text));
  }

  private static String wrong(String text) {
    return "Cannot read window " + text + ": write two different times, such as 22:00-06:00";
  }

  /** Returns whether the window is open at a time; its end is not part of it. */
  public boolean isOpen(ZonedDateTime at) {
    LocalTime time = at.toLocalTime();
    boolean isAfterStart = !time.isBefore(from);
    boolean isBeforeEnd = time.isBefore(to);
    return from.isBefore(to) ? isAfterStart && isBeforeEnd : isAfterStart || isBeforeEnd;
  }

  /** Returns the time from {@code now} until the window opens the next time; never zero. */
  public Duration untilOpening(ZonedDateTime now) {
    ZonedDateTime opening = now.with(from);
    return Duration.between(now, opening.isAfter(now) ? opening : now.plusDays(1).with(from));
  }

  @Override
  public String toString() {
    return from + "-" + to;
  }
}
