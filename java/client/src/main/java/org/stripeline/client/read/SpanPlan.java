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
 * Selects the spans that a segment reads from internal blocks: from every data unit the span that
 * the segment needs and, if units fail or are late, the span to decode from other units until k
 * units cover it. Guarded by the segment's lock.
 */
final class SpanPlan {
  private static final Standing[] ASKED_IN_ORDER = {
    Standing.GOOD, Standing.SUSPECT, Standing.FAULTY
  };

  private static final String OF_OPEN_GROUP =
      " others cannot replace them: the file was being written when it was opened, and what they"
          + " have in its last stripe is not known. Read again when the missing ones answer, or"
          + " open the file again after it has been closed";

  private final Segment segment;
  private final GroupReader reader;
  private final GroupGeometry geometry;
  private final long openTo;
  private final Placement placement;
  private final List<SpanRead> before;

  private final Span[] need;
  private final SpanRead[] own;

  /** Additional reads of each unit, as sources for decoding. */
  private final List<List<SpanRead>> extra = new ArrayList<>();

  private final boolean[] missing;
  private final List<SpanRead> all = new ArrayList<>();
  private Span decodeSpan = Span.EMPTY;
  private boolean reinstated;

  /**
   * Creates a plan; nothing is requested yet.
   *
   * @param openTo the offset in the group up to which readers are opened
   * @param placement the target of the bytes, null if it is not known yet
   * @param before completed reads of other segments, as sources for decoding
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

  /** Issues reads of the data units, except of those that are known to be bad. */
  void askForNeeds() {
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      need[unit] = geometry.wholeChunks(unit, exactNeed(unit));
      missing[unit] = !need[unit].isEmpty() && !reader.admits(unit);
    }
    // Sources for decoding must be in buffers.
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

  /** Returns all reads that were ever issued. */
  List<SpanRead> all() {
    return Collections.unmodifiableList(all);
  }

  /**
   * Returns the read of the span that the segment needs of a data unit; null if none was issued.
   */
  SpanRead own(int unit) {
    return own[unit];
  }

  /** Returns whether the segment's span of a unit is to be decoded. */
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

  /** Records that a read has finished; it may have been given up as late. */
  void arrived(SpanRead read) {
    if (isOwn(read)) {
      missing[read.unit] = false;
    }
  }

  /** Records that a read is late or has failed. */
  void doWithout(SpanRead read) {
    if (isOwn(read)) {
      missing[read.unit] = true;
    }
  }

  boolean isOwn(SpanRead read) {
    return own[read.unit] == read;
  }

  /** Forgets failed reads, so that their units can be read again. */
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
   * Issues reads until k units cover the span to decode.
   *
   * @return whether k units are available
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
      if (maySuffice()) {
        for (Standing standing : ASKED_IN_ORDER) {
          lacking -= askMore(lacking, standing);
        }
      }
      boolean exhausted = lacking > 0 && !askMissing();
      if (lacking <= 0 || exhausted || !isAnyMissing()) {
        return !exhausted;
      }
    }
  }

  /**
   * Returns whether the last {@link #gatherSources} found no substitute for late units and waits
   * for them again.
   */
  boolean reinstated() {
    return reinstated;
  }

  /**
   * Returns whether a unit may be a source: it is not missing, and it is known what it has in the
   * span to decode.
   */
  boolean isSource(int unit) {
    return !missing[unit] && geometry.isKnownTo(unit, decodeSpan.hi);
  }

  /** Returns false if too few units may be sources, as often at the end of an open group. */
  private boolean maySuffice() {
    if (!geometry.isOpen()) {
      return true;
    }
    int count = 0;
    for (int unit = 0; unit < geometry.units(); unit++) {
      count += isSource(unit) ? 1 : 0;
    }
    return count >= geometry.dataUnits();
  }

  private int promisedSources() {
    int count = 0;
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (isSource(unit) && isPromised(unit)) {
        count++;
      }
    }
    return count;
  }

  /** Returns whether a source ends before the span to decode, so that its bytes there are zeros. */
  boolean isZero(int unit) {
    return geometry.unitBytes(unit) <= decodeSpan.lo;
  }

  /** Returns the part of the span to decode that a unit contains; the rest of the span is zeros. */
  Span present(int unit) {
    return new Span(decodeSpan.lo, Math.min(decodeSpan.hi, geometry.unitBytes(unit)));
  }

  /** Returns whether the unit's part of the span to decode is available or still expected. */
  private boolean isPromised(int unit) {
    return isZero(unit) || lacking(unit, false).isEmpty();
  }

  /**
   * Returns the part of the span to decode that must still be requested from a unit.
   *
   * @param onlyDone whether to count only finished reads; otherwise expected reads count too
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

  /** Returns the reads of a unit that are not forgotten, including those of earlier segments. */
  List<SpanRead> reads(int unit) {
    List<SpanRead> reads = new ArrayList<>();
    if (own[unit] != null) {
      reads.add(own[unit]);
    }
    // The latest reads, which are adjacent to the needed span, come first: then the rest that no
    // read covers is a single span.
    for (int i = before.size() - 1; i >= 0; i--) {
      if (before.get(i).unit == unit) {
        reads.add(before.get(i));
      }
    }
    reads.addAll(extra.get(unit));
    return reads;
  }

  /**
   * Issues reads of up to {@code most} further units of a standing; returns the number of reads.
   */
  private int askMore(int most, Standing standing) {
    int asked = 0;
    for (int unit = 0; unit < geometry.units() && asked < most; unit++) {
      if (!isSource(unit) || isPromised(unit) || hasTried(unit)) {
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

  /** Returns whether a read of the unit that overlaps the span has failed or is late. */
  private boolean hasTried(int unit) {
    return reads(unit).stream().anyMatch(this::isSpent);
  }

  private boolean isSpent(SpanRead read) {
    boolean overlaps = read.span.lo < decodeSpan.hi && decodeSpan.lo < read.span.hi;
    return overlaps && (read.state == SpanRead.State.FAILED || read.isPending() && read.late);
  }

  /**
   * Called when no other unit is left: reads units again whose reads were only blocked; if there
   * are none, waits for late units again, and reads units that were skipped before. Returns whether
   * anything changed.
   */
  private boolean askMissing() {
    if (askBlocked()) {
      return true;
    }
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

  private boolean askBlocked() {
    boolean changed = false;
    for (int unit = 0; unit < geometry.units(); unit++) {
      changed |= extra.get(unit).removeIf(read -> read.blocked);
      if (own[unit] != null && own[unit].blocked) {
        own[unit] = issueNeed(unit);
        own[unit].again = true;
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
    read.again = true;
    reinstated = true;
    arrived(read);
    return true;
  }

  private SpanRead issueNeed(int unit) {
    Span span = need[unit];
    for (int other = 0; other < geometry.dataUnits(); other++) {
      if (missing[other] && before.stream().noneMatch(read -> read.unit == unit)) {
        // Includes the source for decoding if its span overlaps, so that one read covers both.
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
   * Issues a read of a source for decoding. In a sequential stream, the reader is opened up to the
   * offset where the missing units will be needed; segments of a positional read are requested in
   * any order, which would close such readers.
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

  /** Returns the offset up to which a unit's reader is opened for the segment's needs. */
  private long openTo(int unit) {
    // A connection is closed if its DataNode was asked for more than is read.
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
      // No lane will release its buffer; the segment releases the buffers of failed reads.
      read.state = SpanRead.State.FAILED;
      throw e;
    }
    return read;
  }

  /** Returns an exception that names the file, the range and the missing units. */
  IOException describe() {
    StringBuilder text = new StringBuilder();
    IOException first = null;
    int lost = 0;
    int unknown = 0;
    for (int unit = 0; unit < geometry.units(); unit++) {
      if (!missing[unit] && !isSource(unit)) {
        unknown++;
        continue;
      }
      if (isSource(unit) && isPromised(unit)) {
        continue;
      }
      lost++;
      IOException fault = lastFault(unit);
      String node = reader.group().node(unit);
      text.append(lost == 1 ? " " : "; ").append("internal block ").append(unit).append(": ");
      text.append(fault != null ? fault.getMessage() : node == null ? "no DataNode has it" : node);
      first = first == null ? fault : first;
    }
    if (unknown > 0) {
      text.append("; ").append(unknown).append(OF_OPEN_GROUP);
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
