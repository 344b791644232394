// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.client.read.GroupKnowledge.Standing;

/** The lanes into one block group, for one caller at a time. */
public final class GroupReader implements Closeable {
  private final ReadContext context;
  private final GroupKnowledge knowledge;
  private final ReadCounters counters;
  private final Lane[] lanes;
  private boolean closed;

  /**
   * Creates a reader; nothing is opened before it is needed.
   *
   * @param counters count for the stream
   */
  public GroupReader(ReadContext context, GroupKnowledge knowledge, ReadCounters counters) {
    this.context = context;
    this.knowledge = knowledge;
    this.counters = counters;
    this.lanes = new Lane[knowledge.geometry().units()];
  }

  ReadContext context() {
    return context;
  }

  ReadCounters counters() {
    return counters;
  }

  GroupKnowledge knowledge() {
    return knowledge;
  }

  BlockGroup group() {
    return knowledge.group();
  }

  GroupGeometry geometry() {
    return knowledge.geometry();
  }

  /** Returns a buffer of the kind that the group's decoder wants, its limit at its capacity. */
  ByteBuffer takeBuffer(int bytes) {
    return context.buffers().take(bytes, group().prefersDirectBuffers());
  }

  void giveBuffer(ByteBuffer buffer) {
    context.buffers().give(buffer);
  }

  Standing standing(int unit) {
    return knowledge.standing(unit, context.health());
  }

  /** Takes note that an internal block could not be read, unless that is because of {@link #close}. */
  void failed(int unit, IOException fault) {
    synchronized (lanes) {
      if (closed) {
        return;
      }
    }
    if (fault instanceof CorruptUnitException) {
      counters.add(ReadCount.CORRUPTIONS, 1);
    }
    knowledge.failed(unit, fault, context.health());
  }

  void submit(SpanRead read) {
    Lane lane;
    synchronized (lanes) {
      if (lanes[read.unit] == null) {
        lanes[read.unit] = new Lane(group(), read.unit, context);
      }
      lane = lanes[read.unit];
      lane.submit(read);
    }
  }

  /** Gives a read up; where it holds its lane up, what waits behind it goes to a fresh lane. */
  void cancel(SpanRead read) {
    synchronized (lanes) {
      Lane lane = read.lane;
      if (!lane.cancel(read) || lanes[read.unit] != lane) {
        return;
      }
      List<SpanRead> waiting = lane.retire();
      lanes[read.unit] = null;
      for (SpanRead next : waiting) {
        submit(next);
        // On another thread, since the lock of the segment that gives up is held here.
        context.threads().execute(() -> next.segment.heldUp(next));
      }
    }
  }

  /**
   * Begins to fetch a range of the group.
   *
   * @param from first byte of the range, in the group
   * @param to first byte after it
   * @param openTo up to where of the group readers are opened that must be opened for this, so that
   *     what follows finds them open
   */
  public Segment fetch(long from, long to, long openTo) {
    return fetch(from, to, openTo, null);
  }

  /**
   * Begins to fetch a range of the group to where it is wanted, as far as nothing stands against
   * it. Nothing is put there any more once the segment is closed.
   *
   * @param placement where the bytes belong, null for buffers of the segment's own
   */
  Segment fetch(long from, long to, long openTo, Placement placement) {
    Segment segment = new Segment(this, from, to, openTo, placement);
    counters.add(ReadCount.SEGMENTS, 1);
    segment.start();
    return segment;
  }

  /** Ends all lanes; reads under way are given up. Segments must have been released before. */
  @Override
  public void close() {
    List<Lane> open = new ArrayList<>();
    synchronized (lanes) {
      closed = true;
      for (int unit = 0; unit < lanes.length; unit++) {
        if (lanes[unit] != null) {
          open.add(lanes[unit]);
          lanes[unit] = null;
        }
      }
    }
    for (Lane lane : open) {
      lane.retire();
    }
  }
}
