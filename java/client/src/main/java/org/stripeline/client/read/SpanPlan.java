// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.stripeline.client.read.GroupKnowledge.Standing;

/**
 * Which internal blocks a segment asks for which spans: every data unit for what the segment needs
 * of it, and where that fails or is late, so many others for the span to decode that k bring it.
 * Guarded by the segment's lock.
 */
final class SpanPlan {
  private static final Standing[] ASKED_IN_ORDER = {
    Standing.GOOD, Standing.SUSPECT, Standing.FAULTY
  };

  private final Segment segment;
  private final GroupReader reader;
  private final GroupGeometry geometry;
  private final long openTo;
  private final Placement placement;

  private final Span[] need;
  private final SpanRead[] own;
  private final SpanRead[] extra;
  private final boolean[] missing;
  private final List<SpanRead> all = new ArrayList<>();
  private Span decodeSpan = Span.EMPTY;
  private boolean tookBack;

  /**
   * Creates a plan; nothing is asked for yet.
   *
   * @param openTo up to where of the group readers are opened
   * @param placement where the bytes are wanted; null if nobody knows yet
   */
  SpanPlan(Segment segment, GroupReader reader, long openTo, Placement placement) {
    this.segment = segment;
    this.reader = reader;
    this.geometry = reader.geometry();
    this.openTo = openTo;
    this.placement = placement;
    int units = geometry.units();
    need = new Span[units];
    own = new SpanRead[units];
    extra = new SpanRead[units];
    missing = new boolean[units];
    Arrays.fill(need, Span.EMPTY);
  }

  /** Asks the data units, but for those that are known to be bad. */
  void askForNeeds() {
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      need[unit] = geometry.wholeChunks(unit, exactNeed(unit));
      missing[unit] = !need[unit].isEmpty() && reader.standing(unit) != Standing.GOOD;
    }
    // What will be decoded from is wanted in buffers.
    boolean mayPlace = placement != null && !isAnyMissing();
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      if (!need[unit].isEmpty() && !missing[unit]) {
        boolean wantedWhole = exactNeed(unit).covers(need[unit]);
        own[unit] = mayPlace && wantedWhole ? issueToPlace(unit) : issue(unit, need[unit]);
      }
    }
  }

  private Span exactNeed(int unit) {
    return geometry.need(unit, segment.from(), segment.to());
  }

  /** Returns all that was ever asked for. */
  List<SpanRead> all() {
    return Collections.unmodifiableList(all);
  }

  /** Returns what a data unit was asked for because the segment needs it; null if it was not. */
  SpanRead own(int unit) {
    return own[unit];
  }

  /** Returns whether what the segment needs of a unit is to be decoded. */
  boolean isMissing(int unit) {
    return missing[unit];
  }

  boolean isAnyMissing() {
    for (boolean unit : missing) {
      if (unit) {
        return true;
      }
    }
    return false;
  }

  int[] missingUnits() {
    int count = 0;
    int[] units = new int[geometry.units()];
    for (int unit = 0; unit < units.length; unit++) {
      if (missing[unit]) {
        units[count++] = unit;
      }
    }
    return Arrays.copyOf(units, count);
  }

  boolean areOwnDone() {
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      if (!need[unit].isEmpty()
          && !missing[unit]
          && (own[unit] == null || own[unit].state != SpanRead.State.DONE)) {
        return false;
      }
    }
    return true;
  }

  /** Takes note that a read is there; it may have been given up for late. */
  void arrived(SpanRead read) {
    if (isOwn(read)) {
      missing[read.unit] = false;
    }
  }

  /** Takes note that a read is late or has failed. */
  void doWithout(SpanRead read) {
    if (isOwn(read)) {
      missing[read.unit] = true;
    }
  }

  boolean isOwn(SpanRead read) {
    return own[read.unit] == read;
  }

  /** Lets units that have failed be asked again. */
  void forgetFailures() {
    for (int unit = 0; unit < geometry.units(); unit++) {
      own[unit] = withoutFailure(own[unit]);
      extra[unit] = withoutFailure(extra[unit]);
    }
  }

  private static SpanRead withoutFailure(SpanRead read) {
    return read != null && read.state == SpanRead.State.FAILED ? null : read;
  }

  /** Returns the span over which all missing units are decoded. */
  Span decodeSpan() {
    return decodeSpan;
  }

  /**
   * Sees to it that k units bring the span that the missing ones want.
   *
   * @return whether there are k
   */
  boolean gatherSources() {
    tookBack = false;
    while (true) {
      Span wanted = Span.EMPTY;
      for (int unit = 0; unit < geometry.dataUnits(); unit++) {
        if (missing[unit]) {
          wanted = wanted.union(need[unit]);
        }
      }
      decodeSpan = wanted;
      int lacking = geometry.dataUnits() - promisedSources();
      for (Standing standing : ASKED_IN_ORDER) {
        lacking -= askMore(lacking, standing);
      }
      boolean exhausted = lacking > 0 && !askMissing();
      if (lacking <= 0 || exhausted || !isAnyMissing()) {
        return !exhausted;
      }
    }
  }

  /** Returns whether {@link #gatherSources} found nobody to ask in the stead of who is late. */
  boolean tookBack() {
    return tookBack;
  }

  private int promisedSources() {
    int count = 0;
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!missing[unit] && (isZero(unit) || promised(unit) != null)) {
        count++;
      }
    }
    return count;
  }

  /** Returns whether a unit ends before the span to decode, so that it is known without reading. */
  boolean isZero(int unit) {
    return geometry.unitBytes(unit) <= decodeSpan.lo;
  }

  /** Returns what a unit has of the span to decode; the rest of it is zero. */
  Span present(int unit) {
    return new Span(decodeSpan.lo, Math.min(decodeSpan.hi, geometry.unitBytes(unit)));
  }

  /** Returns the read that has, or may still bring, what a unit has of the span to decode. */
  SpanRead promised(int unit) {
    Span wanted = present(unit);
    if (own[unit] != null && own[unit].promises(wanted)) {
      return own[unit];
    }
    return extra[unit] != null && extra[unit].promises(wanted) ? extra[unit] : null;
  }

  /** Asks up to so many more units of a standing; returns how many. */
  private int askMore(int most, Standing standing) {
    int asked = 0;
    for (int unit = 0; unit < geometry.units() && asked < most; unit++) {
      if (missing[unit] || isZero(unit) || promised(unit) != null || hasTried(unit)) {
        continue;
      }
      if (reader.standing(unit) == standing) {
        extra[unit] = issue(unit, present(unit));
        asked++;
      }
    }
    return asked;
  }

  /** Returns whether the span, or part of it, failed or is late with that unit already. */
  private boolean hasTried(int unit) {
    return isSpent(own[unit]) || isSpent(extra[unit]);
  }

  private boolean isSpent(SpanRead read) {
    if (read == null) {
      return false;
    }
    boolean overlaps = read.span.lo < decodeSpan.hi && decodeSpan.lo < read.span.hi;
    return overlaps && (read.state == SpanRead.State.FAILED || read.isPending() && read.late);
  }

  /**
   * With nobody else left: takes late units back among those that are waited for, and asks those
   * that were passed over. Returns whether that changed anything.
   */
  private boolean askMissing() {
    boolean changed = false;
    for (int unit = 0; unit < geometry.units(); unit++) {
      changed |= takeBack(own[unit]);
      changed |= takeBack(extra[unit]);
      if (missing[unit] && own[unit] == null && reader.standing(unit) != Standing.ABSENT) {
        own[unit] = issue(unit, need[unit]);
        missing[unit] = false;
        changed = true;
      }
    }
    return changed;
  }

  private boolean takeBack(SpanRead read) {
    if (read == null || !read.isPending() || !read.late) {
      return false;
    }
    read.late = false;
    tookBack = true;
    arrived(read);
    return true;
  }

  private SpanRead issue(int unit, Span span) {
    return issue(unit, span, reader.takeBuffer(span.length()), null);
  }

  private SpanRead issueToPlace(int unit) {
    return issue(unit, need[unit], null, placement);
  }

  private SpanRead issue(int unit, Span span, ByteBuffer buffer, Placement place) {
    // A DataNode that is asked for more than is read has its connection closed on it.
    boolean goesOn = openTo > segment.to();
    long end = goesOn ? Math.max(span.hi, geometry.endInUnit(unit, openTo)) : span.hi;
    SpanRead read = new SpanRead(segment, unit, span, end, buffer, place);
    all.add(read);
    reader.submit(read);
    return read;
  }

  /** Returns an exception that names file, range and what is missing. */
  IOException describe() {
    StringBuilder text = new StringBuilder();
    IOException first = null;
    int lost = 0;
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!missing[unit] && (isZero(unit) || promised(unit) != null)) {
        continue;
      }
      lost++;
      IOException fault = lastFault(unit);
      String node = reader.group().node(unit);
      text.append(lost == 1 ? " " : "; ").append("internal block ").append(unit).append(": ");
      text.append(fault != null ? fault.getMessage() : node == null ? "no DataNode has it" : node);
      first = first == null ? fault : first;
    }
    IOException shown =
        new IOException(
            "Cannot read "
                + segment.range()
                + ": "
                + geometry.dataUnits()
                + " of "
                + geometry.units()
                + " internal blocks are needed and "
                + lost
                + " are missing."
                + text);
    if (first != null) {
      shown.initCause(first);
    }
    return shown;
  }

  private IOException lastFault(int unit) {
    if (own[unit] != null && own[unit].fault != null) {
      return own[unit].fault;
    }
    if (extra[unit] != null && extra[unit].fault != null) {
      return extra[unit].fault;
    }
    return reader.knowledge().fault(unit);
  }
}
