// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

import java.time.Duration;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.time.zone.ZoneOffsetTransition;

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
    ZonedDateTime opening = opening(now);
    return Duration.between(now, opening.isAfter(now) ? opening : opening(now.plusDays(1)));
  }

  /** Returns when the window opens on a day. */
  private ZonedDateTime opening(ZonedDateTime day) {
    ZoneOffsetTransition gap =
        day.getZone().getRules().getTransition(day.toLocalDate().atTime(from));
    // When clocks are put forward over the opening, the window is open from then on.
    return gap != null && gap.isGap() ? gap.getInstant().atZone(day.getZone()) : day.with(from);
  }

  @Override
  public String toString() {
    return from + "-" + to;
  }
}
