// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.stripeline.client.read.GroupKnowledge.Standing;

/**
 * A range of a block group being fetched: what each data unit has of it, and, where units fail or
 * are late, as much of others as decoding wants. Every unit's part of the range is one span of its
 * internal block, and a decode covers one span of all units at once, so there is no state in which
 * part of a span is decoded and part is not.
 *
 * <p>All state is guarded by this object's lock; decoding runs outside it.
 */
public final class Segment implements Closeable {
  private final GroupReader reader;
  private final ReadContext context;
  private final ReadCounters counters;
  private final GroupGeometry geometry;
  private final long from;
  private final long to;
  private final long openTo;

  /** Where the bytes are wanted; null if nobody knows yet. */
  private final Placement placement;

  private final Span[] need;
  private final SpanRead[] own;
  private final SpanRead[] extra;
  private final boolean[] missing;

  /** Results of decoding, each over {@link #decodeSpan}. */
  private final ByteBuffer[] decoded;

  private final List<SpanRead> all = new ArrayList<>();
  private Span decodeSpan = Span.EMPTY;
  private boolean isDecoding;
  private boolean isComplete;
  private boolean isReleased;

  /** Set when units are lacking; only whoever waits does something about it. */
  private boolean isExhausted;

  /** Hedging has nobody left to ask; waiting is all there is until something changes. */
  private boolean hedgingEnded;

  private IOException failure;
  private long decodeMillis;
  private boolean isCounted;

  Segment(GroupReader reader, long from, long to, long openTo, Placement placement) {
    this.reader = reader;
    this.context = reader.context();
    this.counters = reader.counters();
    this.geometry = reader.geometry();
    this.from = from;
    this.to = to;
    this.openTo = openTo;
    this.placement = placement;
    int units = geometry.units();
    need = new Span[units];
    own = new SpanRead[units];
    extra = new SpanRead[units];
    missing = new boolean[units];
    decoded = new ByteBuffer[units];
    Arrays.fill(need, Span.EMPTY);
  }

  /** Returns the first byte of the range, in the group. */
  public long from() {
    return from;
  }

  /** Returns the first byte after the range. */
  public long to() {
    return to;
  }

  synchronized void start() {
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      need[unit] = geometry.wholeChunks(unit, geometry.need(unit, from, to));
      missing[unit] = !need[unit].isEmpty() && reader.standing(unit) != Standing.GOOD;
    }
    // What will be decoded from is wanted in buffers.
    boolean mayPlace = placement != null && !isAnyMissing();
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      if (!need[unit].isEmpty() && !missing[unit]) {
        own[unit] = mayPlace && isNeededWhole(unit) ? issueToPlace(unit) : issue(unit, need[unit]);
      }
    }
    advance();
  }

  /** Returns whether the caller wants all of the chunks that its part of a unit lies in. */
  private boolean isNeededWhole(int unit) {
    return geometry.need(unit, from, to).covers(need[unit]);
  }

  /**
   * Waits until the range is there.
   *
   * @throws IOException if it cannot be had, naming file, range and what is missing
   * @throws ExhaustedException if that holds for the range as a whole but perhaps not for every
   *     stripe of it by itself
   */
  public void await() throws IOException {
    boolean refreshed = false;
    boolean stalled = false;
    while (true) {
      boolean refresh = false;
      synchronized (this) {
        if (isComplete || failure != null) {
          break;
        }
        if (!stalled) {
          stalled = true;
          counters.add(ReadCount.STALLS, 1);
        }
        if (isExhausted) {
          if (geometry.stripeEnd(from) < to) {
            throw new ExhaustedException(describe());
          }
          if (refreshed) {
            fail(describe());
            break;
          }
          refresh = true;
        } else {
          waitOrHedge();
        }
      }
      if (refresh) {
        refreshed = true;
        refresh();
      }
      // Hedging and refreshing can leave all sources there already, with no lane to notice.
      decodeIfReady();
    }
    synchronized (this) {
      if (failure != null) {
        throw failure;
      }
    }
  }

  private void refresh() {
    IOException trouble = null;
    try {
      reader.knowledge().refresh();
    } catch (IOException e) {
      trouble = e;
    }
    synchronized (this) {
      if (trouble != null) {
        IOException shown = describe();
        shown.addSuppressed(trouble);
        fail(shown);
        return;
      }
      isExhausted = false;
      for (int unit = 0; unit < geometry.units(); unit++) {
        own[unit] = withoutFailure(own[unit]);
        extra[unit] = withoutFailure(extra[unit]);
      }
      advance();
    }
  }

  private static SpanRead withoutFailure(SpanRead read) {
    return read != null && read.state == SpanRead.State.FAILED ? null : read;
  }

  private void waitOrHedge() throws IOException {
    long now = System.nanoTime();
    long patience = context.isHedged() && !hedgingEnded ? patienceNanos(now) : Long.MAX_VALUE;
    try {
      if (patience == Long.MAX_VALUE) {
        wait();
      } else if (patience > 0) {
        wait(patience / 1_000_000, (int) (patience % 1_000_000));
      } else {
        hedge(now);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while reading " + range());
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /** Returns nanoseconds until the first pending span is late; none or less if one is. */
  private long patienceNanos(long now) {
    long least = Long.MAX_VALUE;
    for (SpanRead read : all) {
      if (read.isPending() && !read.late) {
        least = Math.min(least, dueNanos(read) - now);
      }
    }
    return least;
  }

  private long dueNanos(SpanRead read) {
    // In a queue it is as late as what stands before it, which may be of a segment further ahead.
    long start =
        read.state == SpanRead.State.RUNNING
            ? read.startedNanos
            : read.lane.currentSinceNanos();
    return start + Math.max(peersNanos(), context.lateNanos(read.span.length()));
  }

  /** Where half of the spans are in, three times what they took is what the others may take. */
  private long peersNanos() {
    long slowest = 0;
    int done = 0;
    for (SpanRead read : all) {
      if (read.state == SpanRead.State.DONE) {
        done++;
        slowest = Math.max(slowest, read.nanos);
      }
    }
    return 2 * done >= all.size() ? Math.max(context.hedgeMinNanos(), 3 * slowest) : 0;
  }

  private void hedge(long now) {
    int hedged = 0;
    for (SpanRead read : all) {
      if (read.isPending() && !read.late && dueNanos(read) - now <= 0) {
        markLate(read);
        hedged++;
      }
    }
    advance();
    if (!hedgingEnded) {
      counters.add(ReadCount.HEDGES, hedged);
    }
  }

  private void markLate(SpanRead read) {
    read.late = true;
    if (own[read.unit] == read) {
      missing[read.unit] = true;
    }
  }

  /** Called when the read before this one held up its lane: others are asked without waiting. */
  void heldUp(SpanRead read) {
    synchronized (this) {
      if (isComplete || isReleased || !read.isPending() || read.late) {
        return;
      }
      markLate(read);
      counters.add(ReadCount.HEDGES, 1);
      advance();
    }
    decodeIfReady();
  }

  /** Called by a lane; returns whether the read is still wanted. */
  synchronized boolean begin(SpanRead read) {
    if (read.state == SpanRead.State.ABANDONED) {
      giveBack(read);
      return false;
    }
    read.state = SpanRead.State.RUNNING;
    read.startedNanos = System.nanoTime();
    return true;
  }

  /** Called by a lane when the span is in the buffer. */
  void done(SpanRead read) {
    synchronized (this) {
      if (read.state == SpanRead.State.ABANDONED) {
        giveBack(read);
        if (read.late) {
          trust(read.unit);
        }
        return;
      }
      read.state = SpanRead.State.DONE;
      read.nanos = System.nanoTime() - read.startedNanos;
      counters.add(ReadCount.BYTES_FETCHED, read.span.length());
      if (!read.late) {
        praise(read);
      }
      if (own[read.unit] == read) {
        missing[read.unit] = false;
      }
      hedgingEnded = false;
      advance();
    }
    decodeIfReady();
  }

  /** Called by a lane when the span cannot be had. */
  void failed(SpanRead read, IOException fault) {
    synchronized (this) {
      if (read.state == SpanRead.State.ABANDONED) {
        giveBack(read);
        return;
      }
      read.state = SpanRead.State.FAILED;
      read.fault = fault;
      reader.failed(read.unit, fault);
      if (own[read.unit] == read) {
        missing[read.unit] = true;
      }
      hedgingEnded = false;
      advance();
    }
    decodeIfReady();
  }

  /** Called by a lane for a read that it will not begin. */
  synchronized void release(SpanRead read) {
    giveBack(read);
  }

  private void giveBack(SpanRead read) {
    if (read.buffer != null) {
      context.buffers().give(read.buffer);
    }
  }

  private void praise(SpanRead read) {
    context.latency().sample(read.span.length(), read.nanos);
    String node = trust(read.unit);
    if (node != null) {
      context.nodeLatencies().sample(node, read.nanos);
    }
  }

  private String trust(int unit) {
    String node = reader.group().node(unit);
    if (node != null) {
      context.health().trust(node);
    }
    return node;
  }

  /** Looks at where things stand: completes, or asks for what decoding lacks. */
  private void advance() {
    if (isComplete || isReleased || isDecoding || failure != null) {
      return;
    }
    if (!isAnyMissing()) {
      if (areOwnDone()) {
        complete();
      }
      notifyAll();
      return;
    }
    gatherSources();
    notifyAll();
  }

  private boolean isAnyMissing() {
    for (boolean unit : missing) {
      if (unit) {
        return true;
      }
    }
    return false;
  }

  private boolean areOwnDone() {
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      if (!need[unit].isEmpty()
          && !missing[unit]
          && (own[unit] == null || own[unit].state != SpanRead.State.DONE)) {
        return false;
      }
    }
    return true;
  }

  private void complete() {
    isComplete = true;
    for (SpanRead read : all) {
      if (read.isPending()) {
        giveUp(read);
      }
    }
    notifyAll();
  }

  private void giveUp(SpanRead read) {
    boolean late = read.late;
    read.placeNoMore();
    read.state = SpanRead.State.ABANDONED;
    if (late && own[read.unit] == read) {
      counters.add(ReadCount.HEDGES_WON, 1);
    }
    if (late) {
      String node = reader.group().node(read.unit);
      if (node != null) {
        context.health().suspect(node);
      }
    }
    reader.cancel(read);
  }

  /** Sees to it that k units bring the span that the missing ones want, as far as there are k. */
  private void gatherSources() {
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
      isExhausted = lacking > 0 && !askMissing();
      if (lacking <= 0 || isExhausted || !isAnyMissing()) {
        return;
      }
    }
  }

  private static final Standing[] ASKED_IN_ORDER = {
    Standing.GOOD, Standing.SUSPECT, Standing.FAULTY
  };

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
  private boolean isZero(int unit) {
    return geometry.unitBytes(unit) <= decodeSpan.lo;
  }

  /** Returns what a unit has of the span to decode; the rest of it is zero. */
  private Span present(int unit) {
    return new Span(decodeSpan.lo, Math.min(decodeSpan.hi, geometry.unitBytes(unit)));
  }

  private SpanRead promised(int unit) {
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
    hedgingEnded = true;
    if (own[read.unit] == read) {
      missing[read.unit] = false;
    }
    return true;
  }

  private SpanRead issue(int unit, Span span) {
    return issue(unit, span, take(span.length()), null);
  }

  private SpanRead issueToPlace(int unit) {
    return issue(unit, need[unit], null, placement);
  }

  private SpanRead issue(int unit, Span span, ByteBuffer buffer, Placement place) {
    // A DataNode that is asked for more than is read has its connection closed on it.
    long end = openTo > to ? Math.max(span.hi, geometry.endInUnit(unit, openTo)) : span.hi;
    SpanRead read = new SpanRead(this, unit, span, end, buffer, place);
    all.add(read);
    reader.submit(read);
    return read;
  }

  private void decodeIfReady() {
    ByteBuffer[] inputs;
    int[] erased;
    ByteBuffer[] outputs;
    List<ByteBuffer> scratch = new ArrayList<>();
    Span span;
    synchronized (this) {
      if (isComplete || isReleased || isDecoding || failure != null || !isAnyMissing()) {
        return;
      }
      span = decodeSpan;
      inputs = readySources(scratch);
      if (inputs == null || !areOwnDone()) {
        giveBack(scratch);
        return;
      }
      isDecoding = true;
      erased = missingUnits();
      outputs = new ByteBuffer[erased.length];
      for (int i = 0; i < outputs.length; i++) {
        outputs[i] = zeroBased(take(span.length()), span.length());
      }
    }
    IOException trouble = null;
    long start = System.nanoTime();
    try {
      reader.group().decode(inputs, erased, outputs);
    } catch (IOException e) {
      trouble = e;
    } catch (RuntimeException | Error e) {
      trouble = new IOException("Cannot decode " + range(), e);
    }
    synchronized (this) {
      isDecoding = false;
      decodeMillis = (System.nanoTime() - start) / 1_000_000;
      giveBack(scratch);
      for (int i = 0; i < erased.length; i++) {
        decoded[erased[i]] = outputs[i];
      }
      if (isReleased) {
        giveBackAll();
      } else if (trouble != null) {
        fail(trouble);
      } else {
        counters.add(ReadCount.DEGRADED_SEGMENTS, 1);
        counters.add(ReadCount.BYTES_DECODED, (long) erased.length * span.length());
        complete();
      }
    }
  }

  private ByteBuffer take(int bytes) {
    return context.buffers().take(bytes, reader.group().prefersDirectBuffers());
  }

  private static ByteBuffer zeroBased(ByteBuffer buffer, int length) {
    buffer.position(0).limit(length);
    return buffer;
  }

  private int[] missingUnits() {
    int count = 0;
    int[] units = new int[geometry.units()];
    for (int unit = 0; unit < units.length; unit++) {
      if (missing[unit]) {
        units[count++] = unit;
      }
    }
    return Arrays.copyOf(units, count);
  }

  /** Returns exactly k inputs over the span to decode, null if so many are not there yet. */
  private ByteBuffer[] readySources(List<ByteBuffer> scratch) {
    ByteBuffer[] inputs = new ByteBuffer[geometry.units()];
    int count = 0;
    for (int unit = 0; unit < inputs.length && count < geometry.dataUnits(); unit++) {
      if (missing[unit]) {
        continue;
      }
      ByteBuffer input = isZero(unit) ? zeros(scratch) : source(unit, scratch);
      if (input != null) {
        inputs[unit] = input;
        count++;
      }
    }
    return count == geometry.dataUnits() ? inputs : null;
  }

  private ByteBuffer source(int unit, List<ByteBuffer> scratch) {
    SpanRead read = promised(unit);
    if (read == null || read.state != SpanRead.State.DONE) {
      return null;
    }
    if (read.buffer == null) {
      read.buffer = take(read.span.length());
      read.collect();
    }
    Span present = present(unit);
    ByteBuffer part = read.buffer.duplicate();
    part.position((int) (present.lo - read.span.lo)).limit((int) (present.hi - read.span.lo));
    if (present.hi == decodeSpan.hi) {
      return part.slice();
    }
    ByteBuffer padded = zeros(scratch);
    padded.duplicate().put(part);
    return padded;
  }

  private ByteBuffer zeros(List<ByteBuffer> scratch) {
    ByteBuffer buffer = zeroBased(take(decodeSpan.length()), decodeSpan.length());
    scratch.add(buffer);
    for (ByteBuffer fill = buffer.duplicate(); fill.hasRemaining(); ) {
      if (fill.remaining() >= Long.BYTES) {
        fill.putLong(0);
      } else {
        fill.put((byte) 0);
      }
    }
    return buffer;
  }

  private void giveBack(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      context.buffers().give(buffer);
    }
  }

  private void giveBackDecoded() {
    for (int unit = 0; unit < decoded.length; unit++) {
      if (decoded[unit] != null) {
        context.buffers().give(decoded[unit]);
        decoded[unit] = null;
      }
    }
  }

  private void fail(IOException cause) {
    failure = cause;
    counters.add(ReadCount.FAILURES, 1);
    notifyAll();
  }

  /**
   * Returns the bytes at an offset of the group, up to the end of their cell or of this range, as a
   * buffer from position to limit. Only after {@link #await}, and until {@link #close}.
   */
  public synchronized ByteBuffer bytesAt(long offset) {
    int unit = geometry.unitOf(offset);
    long inUnit = geometry.offsetInUnit(offset);
    long length = Math.min(to, geometry.cellEnd(offset)) - offset;
    ByteBuffer whole;
    long base;
    if (missing[unit]) {
      whole = decoded[unit];
      base = decodeSpan.lo;
    } else {
      whole = own[unit].buffer;
      base = own[unit].span.lo;
    }
    ByteBuffer part = whole.duplicate();
    part.limit((int) (inUnit - base + length)).position((int) (inUnit - base));
    return part;
  }

  /** Puts what is not there yet where it is wanted. Only after {@link #await}. */
  synchronized void place() {
    for (long at = from; at < to; at = Math.min(to, geometry.cellEnd(at))) {
      int unit = geometry.unitOf(at);
      if (missing[unit] || !own[unit].isPlaced()) {
        placement.put(at, bytesAt(at));
      }
    }
  }

  /**
   * Tells what was fetched for this range, once; on the thread whose statistics they are. Returns
   * whether this was the time.
   */
  public synchronized boolean count(Tally tally) {
    if (isCounted) {
      return false;
    }
    isCounted = true;
    counters.add(ReadCount.BYTES_DELIVERED, to - from);
    for (SpanRead read : all) {
      if (read.state == SpanRead.State.DONE) {
        tally.fetched(
            read.span.length(), read.shortCircuit, read.distance, read.nanos / 1_000_000);
      }
    }
    if (decodeMillis > 0) {
      tally.decoded(decodeMillis);
    }
    return true;
  }

  /** Receives what a segment cost. */
  public interface Tally {
    /** So many bytes came from a DataNode at that distance. */
    void fetched(int bytes, boolean shortCircuit, int networkDistance, long millis);

    /** Decoding took so long. */
    void decoded(long millis);
  }

  /** Gives up what is pending and gives the buffers back. */
  @Override
  public synchronized void close() {
    if (isReleased) {
      return;
    }
    isReleased = true;
    for (SpanRead read : all) {
      if (read.isPending()) {
        giveUp(read);
      }
    }
    if (!isDecoding) {
      giveBackAll();
    }
  }

  /** Gives back what is this segment's; of abandoned reads the lanes take care. */
  private void giveBackAll() {
    for (SpanRead read : all) {
      if (read.state != SpanRead.State.ABANDONED) {
        giveBack(read);
      }
    }
    giveBackDecoded();
  }

  private String range() {
    return "bytes " + from + " to " + (to - 1) + " of " + reader.group().name();
  }

  private IOException describe() {
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
                + range()
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
