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
  private final List<SpanRead> before;

  private final Span[] need;
  private final SpanRead[] own;

  /** What each unit was asked for besides, to decode from. */
  private final List<List<SpanRead>> extra = new ArrayList<>();

  private final boolean[] missing;
  private final List<SpanRead> all = new ArrayList<>();
  private Span decodeSpan = Span.EMPTY;
  private boolean reinstated;

  /**
   * Creates a plan; nothing is asked for yet.
   *
   * @param openTo up to where of the group readers are opened
   * @param placement where the bytes are wanted; null if nobody knows yet
   * @param before what other segments have brought, to decode from
   */
  SpanPlan(
      Segment segment,
      GroupReader reader,
      long openTo,
      Placement placement,
      List<SpanRead> before) {
    this.segment = segment;
    this.reader = reader;
    this.geometry = reader.geometry();
    this.openTo = openTo;
    this.placement = placement;
    this.before = before;
    int units = geometry.units();
    need = new Span[units];
    own = new SpanRead[units];
    for (int unit = 0; unit < units; unit++) {
      extra.add(new ArrayList<>());
    }
    missing = new boolean[units];
    Arrays.fill(need, Span.EMPTY);
  }

  /** Asks the data units, but for those that are known to be bad. */
  void askForNeeds() {
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      need[unit] = geometry.wholeChunks(unit, exactNeed(unit));
      missing[unit] = !need[unit].isEmpty() && !reader.admits(unit);
    }
    // What will be decoded from is wanted in buffers.
    boolean mayPlace = placement != null && !isAnyMissing();
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      if (!need[unit].isEmpty() && !missing[unit]) {
        boolean wantedWhole = exactNeed(unit).covers(need[unit]);
        own[unit] = mayPlace && wantedWhole ? issueToPlace(unit) : issueNeed(unit);
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
      if (own[unit] != null && own[unit].state == SpanRead.State.FAILED) {
        own[unit] = null;
      }
      extra.get(unit).removeIf(read -> read.state == SpanRead.State.FAILED);
    }
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
    reinstated = false;
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
  boolean reinstated() {
    return reinstated;
  }

  private int promisedSources() {
    int count = 0;
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!missing[unit] && isPromised(unit)) {
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

  /** Returns whether all that a unit has of the span to decode is there or may still come. */
  private boolean isPromised(int unit) {
    return isZero(unit) || lacking(unit, false).isEmpty();
  }

  /**
   * Returns what is to be asked of a unit, that no read has brought, so that it has the span to
   * decode.
   *
   * @param onlyDone whether what may still come lacks too
   */
  Span lacking(int unit, boolean onlyDone) {
    Span rest = present(unit);
    for (SpanRead read : reads(unit)) {
      if (onlyDone ? read.state == SpanRead.State.DONE : read.isPromising()) {
        rest = rest.without(read.span);
      }
    }
    return rest;
  }

  /**
   * Returns what a unit was asked for, except what has been forgotten, and what had come before.
   */
  List<SpanRead> reads(int unit) {
    List<SpanRead> reads = new ArrayList<>();
    if (own[unit] != null) {
      reads.add(own[unit]);
    }
    // What lies beside the need first: what is left then is one span.
    for (int i = before.size() - 1; i >= 0; i--) {
      if (before.get(i).unit == unit) {
        reads.add(before.get(i));
      }
    }
    reads.addAll(extra.get(unit));
    return reads;
  }

  /** Asks up to so many more units of a standing; returns how many. */
  private int askMore(int most, Standing standing) {
    int asked = 0;
    for (int unit = 0; unit < geometry.units() && asked < most; unit++) {
      if (missing[unit] || isPromised(unit) || hasTried(unit)) {
        continue;
      }
      boolean isAsked =
          standing == Standing.GOOD ? reader.admits(unit) : reader.standing(unit) == standing;
      if (isAsked) {
        extra.get(unit).add(issueExtra(unit, lacking(unit, false)));
        asked++;
      }
    }
    return asked;
  }

  /** Returns whether the span, or part of it, failed or is late with that unit already. */
  private boolean hasTried(int unit) {
    return reads(unit).stream().anyMatch(this::isSpent);
  }

  private boolean isSpent(SpanRead read) {
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
      for (SpanRead read : reads(unit)) {
        changed |= reinstate(read);
      }
      if (missing[unit] && own[unit] == null && reader.standing(unit) != Standing.ABSENT) {
        own[unit] = issueNeed(unit);
        missing[unit] = false;
        changed = true;
      }
    }
    return changed;
  }

  private boolean reinstate(SpanRead read) {
    if (!read.isPending() || !read.late) {
      return false;
    }
    read.late = false;
    reinstated = true;
    arrived(read);
    return true;
  }

  private SpanRead issueNeed(int unit) {
    Span span = need[unit];
    for (int other = 0; other < geometry.dataUnits(); other++) {
      if (missing[other] && before.stream().noneMatch(read -> read.unit == unit)) {
        // What will be decoded from comes with it where it is beside it.
        Span decoded = need[other].intersection(new Span(0, geometry.unitBytes(unit)));
        span = span.intersection(decoded).isEmpty() ? span : span.union(decoded);
      }
    }
    return issue(unit, span, openTo(unit), segment.takeBuffer(span.length()), null);
  }

  private SpanRead issueToPlace(int unit) {
    return issue(unit, need[unit], openTo(unit), null, placement);
  }

  /**
   * Asks a unit for what is decoded from. Readers of a stream that goes on are opened up to where
   * the missing units will be wanted; segments of one read ask in any order, which would close
   * them.
   */
  private SpanRead issueExtra(int unit, Span span) {
    long end = span.hi;
    boolean goesOn = placement == null && end == present(unit).hi;
    for (int other = 0; other < geometry.dataUnits(); other++) {
      if (goesOn && missing[other]) {
        end = Math.max(end, openTo(other));
      }
    }
    end = Math.min(end, geometry.unitBytes(unit));
    return issue(unit, span, end, segment.takeBuffer(span.length()), null);
  }

  /** Returns to where readers of a unit are opened that bring what the segment needs of it. */
  private long openTo(int unit) {
    // A DataNode that is asked for more than is read has its connection closed on it.
    return openTo > segment.to()
        ? Math.max(need[unit].hi, geometry.need(unit, segment.from(), openTo).hi)
        : need[unit].hi;
  }

  private SpanRead issue(int unit, Span span, long end, ByteBuffer buffer, Placement place) {
    SpanRead read = new SpanRead(segment, unit, span, end, buffer, place);
    all.add(read);
    try {
      reader.submit(read);
    } catch (RuntimeException | Error e) {
      // No lane will give its buffer back; the segment does that for reads that have failed.
      read.state = SpanRead.State.FAILED;
      throw e;
    }
    return read;
  }

  /** Returns an exception that names file, range and what is missing. */
  IOException describe() {
    StringBuilder text = new StringBuilder();
    IOException first = null;
    int lost = 0;
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!missing[unit] && isPromised(unit)) {
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
    for (SpanRead read : reads(unit)) {
      if (read.fault != null) {
        return read.fault;
      }
    }
    return reader.knowledge().fault(unit);
  }
}
